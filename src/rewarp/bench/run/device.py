"""The device of a measurement. What differs between CUDA, ROCm, HPU, XPU and CPU is here, and nowhere else."""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewarp.bench.result import Sourced, unknown
from rewarp.errors import UsageError

PLATFORMS = ("cuda", "rocm", "hpu", "xpu", "cpu")
_HERE = "this machine: torch"


class Device:
    """A device as torch knows it. Marks are points in its own time."""

    platform: str
    kind: str
    """What torch calls it: ROCm is `cuda` there."""
    process_group: str

    def __init__(self, index: int = 0) -> None:
        self.index = index

    @property
    def torch_name(self) -> str:
        return f"{self.kind}:{self.index}"

    def mark(self) -> Any:
        raise NotImplementedError

    def wait_for(self, mark: Any) -> None:
        raise NotImplementedError

    def seconds(self, start: Any, end: Any) -> float:
        raise NotImplementedError

    def synchronize(self) -> None:
        raise NotImplementedError

    def end_step(self) -> None:
        """Whatever a back end wants to hear when a step is complete."""

    def peak_memory(self) -> int | None:
        """The most bytes that tensors held since the last ``forget_memory``."""
        return None

    def forget_memory(self) -> None:
        """Begin to look for a new peak."""

    def facts(self) -> dict[str, Sourced]:
        """Name, architecture and memory, as torch or the system tells."""
        raise NotImplementedError

    def bus(self) -> str | None:
        """The PCI address, by which the vendor's library knows the device: `0000:1b:00.0`."""
        return None


class Accelerator(Device):
    """A device with a module of its own in torch, with streams and events."""

    def __init__(self, platform_name: str, index: int = 0) -> None:
        super().__init__(index)
        import torch

        self.platform = platform_name
        self.kind = "cuda" if platform_name == "rocm" else platform_name
        self.process_group = {"cuda": "nccl", "hpu": "hccl", "xpu": "xccl"}[self.kind]
        self._module: Any = getattr(torch, self.kind)
        self._module.set_device(index)
        self._lazy = importlib.import_module("habana_frameworks.torch.core") if self.kind == "hpu" else None

    def mark(self) -> Any:
        event = self._module.Event(enable_timing=True)
        event.record()
        return event

    def wait_for(self, mark: Any) -> None:
        mark.synchronize()

    def seconds(self, start: Any, end: Any) -> float:
        return float(start.elapsed_time(end)) / 1e3

    def synchronize(self) -> None:
        self._module.synchronize()

    def end_step(self) -> None:
        if self._lazy is not None:
            self._lazy.mark_step()

    def peak_memory(self) -> int | None:
        return int(self._module.max_memory_allocated())

    def forget_memory(self) -> None:
        self._module.reset_peak_memory_stats()

    def facts(self) -> dict[str, Sourced]:
        properties = self._properties()
        name = str(self._module.get_device_name(self.index))
        memory = getattr(properties, "total_memory", None)
        return {
            "name": Sourced(name, _HERE),
            "arch": self._arch(properties),
            "memory_bytes": Sourced(int(memory), _HERE) if memory else unknown("torch does not tell"),
        }

    def _properties(self) -> Any:
        with contextlib.suppress(Exception):  # not every back end has it
            return self._module.get_device_properties(self.index)
        return None

    def _arch(self, properties: Any) -> Sourced:
        if self.platform == "rocm" and hasattr(properties, "gcnArchName"):
            return Sourced(str(properties.gcnArchName).split(":")[0], _HERE)
        if self.platform == "cuda" and hasattr(properties, "major"):
            return Sourced(f"sm_{properties.major}{properties.minor}", _HERE)
        return unknown("torch does not tell")

    def bus(self) -> str | None:
        properties = self._properties()
        domain, bus, slot = (getattr(properties, f"pci_{part}_id", None) for part in ("domain", "bus", "device"))
        if domain is None or bus is None or slot is None:
            return None
        return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


class Processor(Device):
    """The CPU: work is done when the call returns."""

    platform = kind = "cpu"
    process_group = "gloo"

    @property
    def torch_name(self) -> str:
        return "cpu"

    def mark(self) -> float:
        return time.perf_counter()

    def wait_for(self, mark: float) -> None:
        """It has passed already."""

    def seconds(self, start: float, end: float) -> float:
        return end - start

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def facts(self) -> dict[str, Sourced]:
        name = _cpu_name()
        return {
            "name": Sourced(name, "this machine: /proc/cpuinfo") if name else unknown("the system does not tell"),
            "arch": Sourced(platform.machine(), "this machine: uname"),
            "memory_bytes": _system_memory(),
        }


def _cpu_name() -> str | None:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith("model name"):
                return line.partition(":")[2].strip() or None
    return platform.processor() or None


def _system_memory() -> Sourced:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return Sourced(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "this machine: sysconf")
    return unknown("the system does not tell")


def available() -> list[str]:
    """Platforms that torch can use here, the accelerator first."""
    torch = need_torch()
    found = []
    with contextlib.suppress(ImportError):
        importlib.import_module("habana_frameworks.torch.core")
    if torch.cuda.is_available():
        found.append("rocm" if torch.version.hip else "cuda")
    for name in ("hpu", "xpu"):
        module = getattr(torch, name, None)
        if module is not None and module.is_available():
            found.append(name)
    return [*found, "cpu"]


def need_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except Exception as error:  # a broken installation raises whatever it likes
        raise UsageError(f"torch cannot be imported here ({error}); install the torch build of this machine") from None


def choose(wanted: str | None, environment: Mapping[str, str] = os.environ) -> Device:
    """The device that is asked for, or the first accelerator, or the CPU; each rank gets its own."""
    usable = available()
    if wanted is not None and wanted not in usable:
        raise UsageError(f"--device {wanted}: torch can use {', '.join(usable)} here")
    name = wanted or usable[0]
    index = int(environment.get("LOCAL_RANK", 0))
    return Processor(index) if name == "cpu" else Accelerator(name, index)
