"""The module ``torch.hpu`` of the test double: the names of Intel's, done on the CPU or refused."""

from __future__ import annotations

import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rewarp.tables import torch_cuda

_PREFIX = "torch.hpu."
_MEMORY = [f"{most}memory_{what}" for most in ("", "max_") for what in ("allocated", "reserved", "cached")]
_TENSORS = {"BFloat16": "bfloat16", "Bool": "bool", "Byte": "uint8", "Char": "int8", "Double": "float64"}
_TENSORS |= {"Float": "float32", "Half": "float16", "Int": "int32", "Long": "int64", "Short": "int16"}


def real_names() -> set[str]:
    """The names that Intel's module has, as far as they are twins of torch.cuda's."""
    twins = (row.gaudi_twin for row in torch_cuda().values())
    return {twin.removeprefix(_PREFIX).partition(".")[0] for twin in twins if twin and twin.startswith(_PREFIX)}


class Stream:
    """Work on the CPU is done when the call returns: a stream has nothing to wait for."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        self.device_index = 0

    def wait_event(self, event: Event) -> None:
        pass

    def wait_stream(self, stream: Stream) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass


class Event:
    def __init__(self, enable_timing: bool = False) -> None:
        self._timing, self._at = enable_timing, None

    _at: float | None

    def record(self, stream: Stream | None = None) -> None:
        self._at = time.perf_counter()

    def wait(self, stream: Stream | None = None) -> None:
        pass

    def query(self) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, end_event: Event) -> float:
        if not self._timing or self._at is None or end_event._at is None:
            raise RuntimeError("both events must be recorded, and made with enable_timing=True")
        return (end_event._at - self._at) * 1000


class _Streams:
    """Which stream is the current one."""

    def __init__(self) -> None:
        self.default = Stream()
        self.current = self.default

    @contextmanager
    def stream(self, stream: Stream | None) -> Iterator[None]:
        before = self.current
        self.set_stream(stream or before)
        try:
            yield
        finally:
            self.current = before

    def set_stream(self, stream: Stream) -> None:
        if not isinstance(stream, Stream):
            raise TypeError(f"torch.hpu takes streams of its own, not {type(stream).__name__}")
        self.current = stream


def hpu_module(torch: Any) -> types.ModuleType:
    module = types.ModuleType("torch.hpu", "The test double of Intel's torch.hpu.")
    content: dict[str, Any] = {name: _not_done(name) for name in real_names()}
    for part in (_devices(torch), _stream_functions(), _seeds(torch), _memory(), _tensors(torch)):
        content.update(part)
    # Torch itself asks every back end for these.
    content.update(_is_in_bad_fork=lambda: False, _lazy_init=lambda: None)
    content["get_amp_supported_dtype"] = lambda: [torch.bfloat16, torch.float16]
    vars(module).update(content)
    return module


def _not_done(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"Gaudi has torch.hpu.{name}; its test double does not")

    return refuse


def _devices(torch: Any) -> dict[str, Any]:
    class device:
        def __init__(self, device: Any) -> None:
            self.device = _checked(torch, device)

        def __enter__(self) -> None:
            pass

        def __exit__(self, *error: object) -> None:
            pass

    return {
        "init": lambda: None,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "is_bf16_supported": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_name": lambda device=None: "GAUDI2",
        "set_device": lambda device: _checked(torch, device) and None,
        "synchronize": lambda: None,
        "device": device,
        "device_of": device,
    }


def _checked(torch: Any, device: Any) -> int:
    """The number of a device, which must be Gaudi's only one."""
    device = device.device if isinstance(device, torch.Tensor) else device
    if device is None or isinstance(device, int):
        index = device or 0
    else:
        found = torch.device(device)
        if found.type != "hpu":
            raise ValueError(f"torch.hpu was given the device {found}")
        index = found.index or 0
    if index > 0:
        raise AssertionError(f"there is one device here, and number {index} was asked for")
    return 0


def _stream_functions() -> dict[str, Any]:
    streams = _Streams()
    return {
        "Stream": Stream,
        "Event": Event,
        "StreamContext": streams.stream,
        "stream": streams.stream,
        "set_stream": streams.set_stream,
        "current_stream": lambda device=None: streams.current,
        "default_stream": lambda device=None: streams.default,
    }


def _seeds(torch: Any) -> dict[str, Any]:
    """Numbers come from the CPU's generator."""
    generator = torch.default_generator
    seeds = {
        "manual_seed": lambda seed: generator.manual_seed(seed),
        "manual_seed_all": lambda seed: generator.manual_seed(seed),
        "initial_seed": lambda: generator.initial_seed(),
        "seed": lambda: generator.seed(),
        "seed_all": lambda: generator.seed(),
        "get_rng_state": lambda device="hpu": generator.get_state(),
        "set_rng_state": lambda new_state, device="hpu": generator.set_state(new_state),
        "get_rng_state_all": lambda: [generator.get_state()],
        "set_rng_state_all": lambda new_states: generator.set_state(next(iter(new_states))),
    }
    random = types.ModuleType("torch.hpu.random")
    vars(random).update(seeds, default_generators=(generator,))
    return {**seeds, "random": random}


def _memory() -> dict[str, Any]:
    free = total = 96 << 30
    figures: dict[str, Any] = {name: lambda device=None: 0 for name in _MEMORY}
    figures["mem_get_info"] = lambda device=None: (free, total)
    figures["memory_stats"] = lambda device=None: {"Limit": total, "InUse": 0, "MaxInUse": 0}
    figures["reset_peak_memory_stats"] = figures["reset_accumulated_memory_stats"] = lambda device=None: None
    return {**figures, "memory": types.SimpleNamespace(**figures)}


def _tensors(torch: Any) -> dict[str, Any]:
    def maker(dtype: Any) -> Any:
        return lambda *args, **kwargs: torch.tensor(*args, **kwargs, dtype=dtype, device="hpu")

    return {f"{name}Tensor": maker(getattr(torch, dtype)) for name, dtype in _TENSORS.items()}
