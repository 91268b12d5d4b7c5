"""Power, energy and clocks of a device, through its vendor's own library; where there is none, the reason."""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import importlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from rewarp.bench.run.device import Device
from rewarp.errors import GaveUp

_LOOK_S = 0.01
_APART_S = 0.2
"""Between two points that are kept: a counter that moves a few times a second is read up to one look too late."""
_RAPL = Path("/sys/class/powercap/intel-rapl:0")


_NVML_THROTTLES = {
    0x02: "clocks set by an application",
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "thermal limit (software)",
    0x40: "thermal limit (hardware)",
    0x80: "power brake",
}
"""Bits of nvmlClocksEventReasons (nvml.h). That a GPU is idle, 0x01, and what follows a display, 0x100, say nothing here."""


class NoMeter(GaveUp):
    """Why there is none."""


class Meter:
    """One device seen by its vendor's library."""

    source: str

    def watts(self) -> float | None:
        return None

    def joules(self) -> float | None:
        """A counter that only grows."""
        return None

    def clocks_mhz(self) -> dict[str, float]:
        return {}

    def state(self) -> dict[str, Any]:
        """What bounds the device: power cap and the one it left the factory with, highest clocks, how it is partitioned."""
        return {}

    def throttles(self) -> tuple[str, ...]:
        """Why the clocks are held down at this moment."""
        return ()

    def driver(self) -> str | None:
        return None


class Nvml(Meter):
    """libnvidia-ml comes with the driver; no package is needed."""

    source = "NVML"

    def __init__(self, device: Device) -> None:
        try:
            self._library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            raise NoMeter("libnvidia-ml.so.1 is not here") from None
        if self._library.nvmlInit_v2() != 0:
            raise NoMeter("NVML does not start")
        self._handle = ctypes.c_void_p()
        bus = device.bus()
        address = ctypes.c_char_p(bus.encode()) if bus else None
        # By address, for CUDA_VISIBLE_DEVICES renumbers devices and NVML does not know it.
        if address is None or self._library.nvmlDeviceGetHandleByPciBusId_v2(address, ctypes.byref(self._handle)) != 0:
            raise NoMeter(f"NVML knows no device at {bus}")

    def _ask(self, function: str, kind: Any, *arguments: Any) -> Any:
        answer = kind()
        call = getattr(self._library, function, None)
        if call is None or call(self._handle, *arguments, ctypes.byref(answer)) != 0:
            return None
        return answer.value

    def watts(self) -> float | None:
        milliwatts = self._ask("nvmlDeviceGetPowerUsage", ctypes.c_uint)
        return None if milliwatts is None else milliwatts / 1e3

    def joules(self) -> float | None:
        millijoules = self._ask("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong)
        return None if millijoules is None else millijoules / 1e3

    def clocks_mhz(self) -> dict[str, float]:
        found = {
            name: self._ask("nvmlDeviceGetClockInfo", ctypes.c_uint, kind) for name, kind in (("sm", 1), ("memory", 2))
        }
        return {name: float(value) for name, value in found.items() if value is not None}

    def state(self) -> dict[str, Any]:
        caps = {
            "power_cap_w": self._ask("nvmlDeviceGetEnforcedPowerLimit", ctypes.c_uint),
            "power_cap_default_w": self._ask("nvmlDeviceGetPowerManagementDefaultLimit", ctypes.c_uint),
        }
        found: dict[str, Any] = {name: value / 1e3 for name, value in caps.items() if value is not None}
        for name, kind in (("sm", 1), ("memory", 2)):
            if (clock := self._ask("nvmlDeviceGetMaxClockInfo", ctypes.c_uint, kind)) is not None:
                found[f"{name}_clock_max_mhz"] = float(clock)
        mode, pending = ctypes.c_uint(), ctypes.c_uint()
        call = getattr(self._library, "nvmlDeviceGetMigMode", None)
        if call is not None and call(self._handle, ctypes.byref(mode), ctypes.byref(pending)) == 0:
            found["mig"] = "on" if mode.value else "off"
        return found

    def throttles(self) -> tuple[str, ...]:
        reasons = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", ctypes.c_ulonglong) or 0
        return tuple(name for bit, name in _NVML_THROTTLES.items() if reasons & bit)

    def driver(self) -> str | None:
        text = ctypes.create_string_buffer(96)
        if self._library.nvmlSystemGetDriverVersion(text, 96) != 0:
            return None
        return text.value.decode(errors="replace")


class AmdSmi(Meter):
    """amdsmi is a Python package of ROCm."""

    source = "amdsmi"

    def __init__(self, device: Device) -> None:
        self._library = _library("amdsmi")
        try:
            self._library.amdsmi_init()
            bus = device.bus()
            self._handle = next(
                handle
                for handle in self._library.amdsmi_get_processor_handles()
                if str(self._library.amdsmi_get_gpu_device_bdf(handle)).lower() == bus
            )
        except StopIteration:
            raise NoMeter(f"amdsmi knows no device at {device.bus()}") from None
        except Exception as error:  # its exceptions differ by version
            raise NoMeter(f"amdsmi does not start: {error}") from None

    def _ask(self, function: str, *arguments: Any) -> Any:
        with contextlib.suppress(Exception):  # not every device answers everything
            return getattr(self._library, function)(self._handle, *arguments)
        return None

    def watts(self) -> float | None:
        answer = self._ask("amdsmi_get_power_info") or {}
        # MI300 gives the present power, older cards the average; what a card does not give is "N/A".
        for name in ("current_socket_power", "average_socket_power"):
            value = answer.get(name)
            if isinstance(value, (int, float)) and 0 < value < 65535:
                return float(value)
        return None

    def joules(self) -> float | None:
        answer = self._ask("amdsmi_get_energy_count") or {}
        ticks, microjoules = answer.get("energy_accumulator", answer.get("power")), answer.get("counter_resolution")
        if not isinstance(ticks, (int, float)) or not isinstance(microjoules, (int, float)):
            return None
        return float(ticks) * float(microjoules) / 1e6

    def clocks_mhz(self) -> dict[str, float]:
        kinds = getattr(self._library, "AmdSmiClkType", None)
        found = {}
        for name, kind in (("sm", "GFX"), ("memory", "MEM")):
            answer = self._ask("amdsmi_get_clock_info", getattr(kinds, kind, None)) or {}
            value = answer.get("clk", answer.get("cur_clk"))
            if isinstance(value, (int, float)):
                found[name] = float(value)
        return found

    def state(self) -> dict[str, Any]:
        caps = self._ask("amdsmi_get_power_cap_info") or {}
        found: dict[str, Any] = {}
        for name, field_ in (("power_cap_w", "power_cap"), ("power_cap_default_w", "default_power_cap")):
            value = caps.get(field_)
            if isinstance(value, (int, float)) and value > 0:
                # Microwatts since ROCm 6, watts before.
                found[name] = value / 1e6 if value > 1e5 else float(value)
        kinds = getattr(self._library, "AmdSmiClkType", None)
        for name, kind in (("sm", "GFX"), ("memory", "MEM")):
            value = (self._ask("amdsmi_get_clock_info", getattr(kinds, kind, None)) or {}).get("max_clk")
            if isinstance(value, (int, float)):
                found[f"{name}_clock_max_mhz"] = float(value)
        for name in ("compute", "memory"):
            mode = self._ask(f"amdsmi_get_gpu_{name}_partition")
            if isinstance(mode, str) and mode not in ("", "N/A"):
                found[f"{name}_partition"] = mode
        return found

    def throttles(self) -> tuple[str, ...]:
        status = (self._ask("amdsmi_get_gpu_metrics_info") or {}).get("throttle_status")
        return ("throttle status of the driver",) if status is True or (isinstance(status, int) and status) else ()

    def driver(self) -> str | None:
        answer = self._ask("amdsmi_get_gpu_driver_info") or {}
        version = answer.get("driver_version")
        return str(version) if version else None


class Hlml(Meter):
    """pyhlml is the Python package of Gaudi's management library."""

    source = "pyhlml"

    def __init__(self, device: Device) -> None:
        self._library = _library("pyhlml")
        try:
            self._library.hlmlInit()
            self._handle = self._library.hlmlDeviceGetHandleByIndex(device.index)
        except Exception as error:  # its exceptions differ by version
            raise NoMeter(f"pyhlml does not start: {error}") from None

    def watts(self) -> float | None:
        with contextlib.suppress(Exception):  # not every device answers
            return float(self._library.hlmlDeviceGetPowerUsage(self._handle)) / 1e3
        return None

    def joules(self) -> float | None:
        with contextlib.suppress(Exception):  # not every device answers
            return float(self._library.hlmlDeviceGetTotalEnergyConsumption(self._handle)) / 1e3
        return None


class Rapl(Meter):
    """The energy counter of the first CPU package."""

    source = "RAPL, package 0"

    def __init__(self, device: Device) -> None:
        if self.joules() is None:
            raise NoMeter(f"{_RAPL}/energy_uj cannot be read (it needs a bare machine, and often root)")

    def joules(self) -> float | None:
        with contextlib.suppress(OSError, ValueError):
            return int((_RAPL / "energy_uj").read_text()) / 1e6
        return None


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception:  # a package without its shared library raises whatever it likes
        raise NoMeter(f"the Python package {name} is not here") from None


_METERS: dict[str, Callable[[Device], Meter]] = {"cuda": Nvml, "rocm": AmdSmi, "hpu": Hlml, "cpu": Rapl}


def meter_of(device: Device) -> Meter:
    """The meter of a device; NoMeter with the reason where there is none."""
    make = _METERS.get(device.platform)
    if make is None:
        raise NoMeter(f"no library for the power of {device.platform} is known here")
    return make(device)


@dataclass
class Watch:
    """The energy a device has taken, looked at again and again while something runs, in a thread of its own."""

    meter: Meter | None
    points: list[tuple[float, float]] = field(default_factory=list)
    """Host time, and joules up to then; only where the counter moved, for it is updated a few times a second."""
    looks: int = 0
    throttled: dict[str, int] = field(default_factory=dict)
    """Reasons for which clocks were held down, and at how many of the looks."""

    def __enter__(self) -> Watch:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if self.meter is not None:
            self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _watch(self) -> None:
        assert self.meter is not None
        counts = self.meter.joules() is not None
        while True:
            ended = self._stop.wait(_LOOK_S)
            last, now = self.points[-1] if self.points else (-math.inf, -math.inf), time.perf_counter()
            if now - last[0] >= _APART_S or ended:
                # The counter first: what NVML calls the present power is the mean of the last second.
                joules = self.meter.joules() if counts else self._integrated(self.meter.watts())
                if joules is not None and joules > last[1]:
                    self.points.append((now, joules))
                self.looks += 1
                for reason in self.meter.throttles():
                    self.throttled[reason] = self.throttled.get(reason, 0) + 1
            if ended:
                return

    def _integrated(self, watts: float | None) -> float | None:
        if watts is None or not self.points:
            return None if watts is None else 0.0
        since, joules = self.points[-1]
        return joules + watts * (time.perf_counter() - since)

    def mean_between(self, times: Sequence[float]) -> list[float | None]:
        """Mean watts between each of these host times and the next; None where nothing was seen."""
        joules = [self._joules_at(at) for at in times]
        return [
            (second - first) / (end - start) if first is not None and second is not None and end > start else None
            for (start, first), (end, second) in pairwise(zip(times, joules))
        ]

    def _joules_at(self, at: float) -> float | None:
        after = bisect.bisect_left(self.points, (at, 0.0))
        if not 0 < after < len(self.points):
            return None
        (start, first), (end, second) = self.points[after - 1], self.points[after]
        return first + (second - first) * (at - start) / (end - start)
