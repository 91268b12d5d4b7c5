"""Which operators and kernels ran, and where: torch's own profiler, for the first seconds of work."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from typing import Any

from . import events

_KERNELS_KEPT = 200
_STEPS = 5
_LONGEST = 6
"""Windows: how much longer than asked the profiler waits for a first step."""
_DEVICES = ("cuda", "xpu", "hpu")


class Profiler:
    """One window: it opens with the first module or device, and again where a device comes later."""

    def __init__(self, process: Any, torch: Any, seconds: float) -> None:
        self._process, self._torch, self._seconds = process, torch, seconds
        self._everywhere = _all_threads()
        self._clear()
        begin = process.guarded(self.device_came)
        for name in ("cuda", "xpu"):
            lazily = getattr(getattr(torch, name, None), "_lazy_call", None)
            if lazily is not None:
                lazily(lambda name=name: begin(name))
        self._make_way()

    def _clear(self) -> None:
        self.active = False
        self._running: Any = None
        self._lock = threading.RLock()
        self._opened = 0.0
        self._device: str | None = None
        self._watched = 0.0
        self._ended = ""
        self._calls = 0
        self.steps_taken = 0
        """Optimizer steps, or calls of a function: after a few of them there is nothing new to see."""
        self.tally = events.Tally()

    def forked_here(self) -> None:
        self._clear()

    @property
    def is_open(self) -> bool:
        return self._running is not None

    # --- opening and closing ----------------------------------------------------------------

    def device_came(self, name: str) -> None:
        """A device was initialised. A window without it shows nothing of it: begin again, with it."""
        self.active = True
        if self._running is not None and self._device is None:
            self._close("a device came")
        if self._running is None and self._device is None:
            self._open(name)

    def work_came(self) -> None:
        """A module is about to run."""
        if not self.active:
            self.active = True
            self._open(self._initialised())

    def step_ended(self) -> None:
        self._calls += 1
        if self._running is None:
            name = self._initialised()
            if name and self._device is None:
                self._open(name)
            return
        elapsed = time.monotonic() - self._opened
        if self.steps_taken >= _STEPS:
            self._close(f"{_STEPS} steps were seen")
        elif (elapsed > self._seconds and self._calls >= 2) or elapsed > _LONGEST * self._seconds:
            self._close("its time was over")

    def finish(self) -> None:
        if self._running is not None:
            self._close("the process ended")

    def _initialised(self) -> str | None:
        for name in _DEVICES:
            module = getattr(self._torch, name, None)
            try:
                if module is not None and module.is_initialized():
                    return name
            except Exception:
                continue
        return None

    def _open(self, device: str | None) -> None:
        if self._seconds <= 0 or not self._may_begin_and_end_here():
            return
        from torch.autograd import profiler

        everywhere = {"experimental_config": self._everywhere} if self._everywhere else {}
        with self._lock:
            if self._running is not None:
                return
            try:
                running = profiler.profile(use_kineto=True, use_device=device, **everywhere)
                running.__enter__()
            except Exception:
                self._seconds = 0.0  # it would fail each time
                raise
            self._running, self._device = running, device
            self._opened, self._calls, self.steps_taken = time.monotonic(), 0, 0
        timer = threading.Timer(_LONGEST * self._seconds + 1, self._close_from_outside, [running])
        timer.daemon = True
        timer.start()

    def _may_begin_and_end_here(self) -> bool:
        """Where torch cannot watch all threads, a thread that ends with the profiler open takes the program with it."""
        if self._everywhere or threading.current_thread() is threading.main_thread():
            return True
        line = "profile: this torch can profile the main thread only"
        if line not in self._process.problems:
            self._process.problems.append(line)
        return False

    def _close_from_outside(self, running: Any) -> None:
        """A program without modules has no steps: the main thread is asked to close the window between two lines."""

        def close(_: Any) -> int:
            if self._running is running:
                self._process.guarded(self._close)("its time was over")
            return 0

        self._pending = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(close)
        ctypes.pythonapi.Py_AddPendingCall(self._pending, None)

    def _close(self, why: str) -> None:
        if self._device == "cuda" and self._torch.cuda.is_current_stream_capturing():
            return  # closing waits for the device, which ends a capture
        if not self._may_begin_and_end_here():
            return
        with self._lock:
            running, self._running = self._running, None
        if running is None:
            return
        if self._device == "cuda" and hasattr(self._torch.cuda, "_sleep"):
            self._torch.cuda._sleep(1)
        running.__exit__(None, None, None)
        self._ended = why
        self.tally.read(running.kineto_results.events())
        if self._device == "cuda" and not (self.tally.saw_probe or self.tally.kernels):
            self._process.problems.append("profile: the profiler saw no kernel, not even that of its own test")
        else:
            self._watched += time.monotonic() - self._opened

    def _make_way(self) -> None:
        """There can be one profiler at a time. Where the program starts its own, ours ends."""
        from torch.autograd import profiler

        prepare = profiler.profile._prepare_trace
        ours = self

        def prepare_after_ours(self: Any) -> Any:
            if ours._running is not None and self is not ours._running:
                ours._process.guarded(ours._close)("the program started its own profiler")
            return prepare(self)

        profiler.profile._prepare_trace = prepare_after_ours

    def report(self) -> dict[str, Any]:
        kept = sorted(self.tally.kernels.items(), key=lambda item: -item[1][1])
        if self._process.torch is not None:
            self._process.torch["initialised"] = self._devices()
        return {
            "profile": {
                "seconds": round(self._watched, 3),
                "ended": self._ended,
                "open": self._running is not None,
                "device": self._device,
                "kernel_count": sum(count for count, _, _ in self.tally.kernels.values()),
                "kernel_ns": sum(nanoseconds for _, nanoseconds, _ in self.tally.kernels.values()),
                "kernels": {name: figures[:2] for name, figures in kept[:_KERNELS_KEPT]},
                "heavy": self.tally.heavy,
                "attention": self.tally.attention,
            }
        }

    def _devices(self) -> list[dict[str, Any]]:
        """The devices that were initialised, with the most memory that was in use at once."""
        found = []
        for name in _DEVICES:
            module = getattr(self._torch, name, None) if name != "hpu" or "habana_frameworks" in sys.modules else None
            try:
                if module is None or not module.is_initialized():
                    continue
                found.append(
                    {
                        "type": name,
                        "name": str(module.get_device_name()),
                        "peak_bytes": sum(module.max_memory_allocated(i) for i in range(module.device_count())),
                    }
                )
            except Exception as error:
                self._process.problem("devices", error)
        return found


def _all_threads() -> Any:
    """The setting that watches all threads; None where torch has none."""
    try:
        from torch._C._profiler import _ExperimentalConfig

        return _ExperimentalConfig(profile_all_threads=True)
    except (ImportError, TypeError):
        return None
