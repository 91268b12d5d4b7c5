"""Triton's kernels, compiled by its AMD back end and run by the machine: no GPU, no driver, CPU tensors.

>>> with rewarp.machine.triton("gfx942"):
...     kernel[grid](x, y, n, BLOCK=1024)

Arguments are CPU tensors of torch, or NumPy arrays wrapped in ``tensor(array)``.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Iterator
from typing import Any

from rewarp.errors import UsageError
from rewarp.machine.launch import LDS_LIMIT, THREADS_LIMIT, Memory, launch
from rewarp.machine.library import MachineError
from rewarp.machine.program import ARCHES, load
from rewarp.toolchain.arches import wave_size


class tensor:
    """A NumPy array in the words that Triton asks tensors for."""

    def __init__(self, array: Any, dtype: str | None = None) -> None:
        self.array = array
        self.dtype = dtype or str(array.dtype)
        self.__array_interface__ = array.__array_interface__
        self.nbytes, self.shape, self.strides = array.nbytes, array.shape, array.strides

    def data_ptr(self) -> int:
        return int(self.array.__array_interface__["data"][0])


@contextlib.contextmanager
def triton(arch: str = "gfx942") -> Iterator[None]:
    """Inside, ``kernel[grid](…)`` compiles for an AMD card and runs here."""
    if arch not in ARCHES:
        raise UsageError(f"the machine runs code for {', '.join(ARCHES)}, not for {arch}")
    try:
        import triton.backends as registry
        from triton.runtime.driver import driver as chosen
    except ImportError as error:
        raise MachineError(f"Triton is not installed: {error}") from None
    before, active = registry.backends["amd"], chosen._active
    registry.backends["amd"] = registry.Backend(_back_end(before.compiler), before.driver)
    chosen.set_active(_Driver(arch))
    try:
        with _addresses_noted():
            yield
    finally:
        registry.backends["amd"] = before
        chosen._active = active


@contextlib.contextmanager
def _addresses_noted() -> Iterator[None]:
    """Tensors whose address the program asks for: it may stand in other memory, where a kernel finds it."""
    try:
        import torch
        from torch.overrides import TorchFunctionMode
    except ImportError:
        yield
        return

    class Noting(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            # Triton asks for the address of every argument too: that alone makes it no one else's to use.
            if function is torch.Tensor.data_ptr and not _is_triton(sys._getframe(1)):
                _noted.append(weakref.ref(args[0]))
            return function(*args, **(kwargs or {}))

    with Noting():
        yield
    _noted.clear()


_noted: list[weakref.ref[Any]] = []


def _is_triton(caller: Any) -> bool:
    """Whether Triton or its launcher asks, and not the program; other modes of torch may stand between."""
    while caller.f_back and caller.f_code.co_name == "__torch_function__":
        caller = caller.f_back
    name = str(caller.f_globals.get("__name__", ""))
    return name.partition(".")[0] in ("triton", "rewarp") or caller.f_code.co_name == "dynamic_func"


def _noted_memory() -> Memory:
    memory = Memory()
    _noted[:] = [one for one in _noted if one() is not None]
    for one in _noted:
        if (alive := one()) is not None:
            storage = alive.untyped_storage()
            memory.add(storage.data_ptr(), storage.nbytes(), name="a tensor whose address was asked for")
    return memory


def _back_end(compiler: Any) -> Any:
    """Triton's own, up to the assembly: the machine reads that, and nothing has to be linked."""

    class Assembly(compiler):  # type: ignore[misc]
        def __init__(self, target: Any) -> None:
            super().__init__(target)
            self.binary_ext = "amdgcn"

        def add_stages(self, stages: dict[str, Any], options: Any, language: Any) -> None:
            super().add_stages(stages, options, language)
            stages.pop("hsaco", None)

        def hash(self) -> str:
            return f"rewarp-{super().hash()}"

    return Assembly


class _Utilities:
    @staticmethod
    def get_device_properties(device: str) -> dict[str, int]:
        return {"max_shared_mem": LDS_LIMIT, "multiprocessor_count": 304, "warpSize": 64 if "gfx9" in device else 32}

    @staticmethod
    def load_binary(name: str, kernel: bytes, shared: int, device: str) -> tuple[Any, Any, int, int, int]:
        program = load(kernel.decode())
        return program, (program, name), 0, 0, THREADS_LIMIT


class _Driver:
    """What Triton asks a driver for."""

    utils = _Utilities()

    def __init__(self, arch: str) -> None:
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget("hip", arch, wave_size(arch))
        self._device = f"rewarp {arch}"
        self.launcher_cls = _Launcher

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> Any:
        return self._target

    def get_current_device(self) -> str:
        return self._device

    def set_current_device(self, device: str) -> None:
        return

    def get_current_stream(self, device: str) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_benchmarker(self) -> Any:
        """The machine's time says nothing of a card's: tuners get the first configuration that runs."""

        def run_once(call: Any, *, quantiles: Any = None, **rest: Any) -> Any:
            call()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return run_once

    def get_empty_cache_for_benchmark(self) -> Any:
        return None

    def clear_cache(self, cache: Any) -> None:
        return


class _Launcher:
    """Runs a compiled kernel over a grid."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._passed = [kind != "constexpr" for kind in source.signature.values()]
        self._threads, self._shared = metadata.num_warps * metadata.warp_size, metadata.shared

    def __call__(
        self, x: int, y: int, z: int, stream: int, function: Any, packed: Any, described: Any, enter: Any, leave: Any,
        *arguments: Any,
    ) -> None:  # fmt: skip
        program, name = function
        if x * y * z == 0:
            return
        given = [value for value, passed in zip(arguments, self._passed) if passed]
        kernel = program.program.kernels[name]
        plain = [item for item in kernel.arguments if not str(item[".value_kind"]).startswith("hidden_")]
        # Behind its own a kernel takes addresses of scratch memory, which it has no use for unless it asks for some.
        given += [0] * (len(plain) - len(given))
        launch(program, name, (x, y, z), (self._threads,), given, dynamic_lds=self._shared, memory=_noted_memory())
        launches[name] = launches.get(name, 0) + 1


launches: dict[str, int] = {}
"""How often each kernel ran."""
