"""torch's device "cuda" on a machine without one: tensors of the CPU, for code that runs Triton's kernels on the machine.

Inside ``cuda_on_cpu(arch)`` every request for a CUDA device gets the CPU, tensors say that they are on ``cuda:0``, and
``torch.cuda`` answers as ROCm's torch would on that card. torch's own operations are the CPU's: only Triton's kernels run
as AMD code. Streams, events and graphs are not there, and say so by torch's own errors.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from rewarp.machine.library import MachineError
from rewarp.toolchain.arches import wave_size

_HIP_VERSION = "6.2"


@contextlib.contextmanager
def cuda_on_cpu(arch: str) -> Iterator[None]:
    try:
        import torch
        from torch.overrides import TorchFunctionMode
    except ImportError as error:
        raise MachineError(f"torch is not installed: {error}") from None

    def here(value: Any) -> Any:
        """The CPU, where a CUDA device is asked for."""
        if isinstance(value, torch.device):
            return torch.device("cpu") if value.type == "cuda" else value
        if isinstance(value, str) and value.partition(":")[0] == "cuda":
            return "cpu"
        return value

    answers = (  # getters are new objects each time: the same, but not identical
        (torch.Tensor.device.__get__, torch.device("cuda", 0)),
        (torch.Tensor.is_cuda.__get__, True),
        (torch.Tensor.is_cpu.__get__, False),
        (torch.Tensor.get_device, 0),
    )

    class OnCpu(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = dict(kwargs or {})
            for asked, answer in answers:
                if function == asked:
                    return answer
            if function in (torch.Tensor.cuda, torch.Tensor.cpu):
                return args[0] if function is torch.Tensor.cuda else args[0].clone()
            if "device" in kwargs:
                kwargs["device"] = here(kwargs["device"])
            kwargs.pop("pin_memory", None)
            return function(*(here(value) for value in args), **kwargs)

    with contextlib.ExitStack() as stack:
        for name, stand_in in _stand_ins(torch, arch).items():
            stack.enter_context(replaced(torch.cuda, name, stand_in))
        stack.enter_context(replaced(torch.version, "hip", _HIP_VERSION))
        stack.enter_context(replaced(torch.version, "cuda", None))
        stack.enter_context(OnCpu())
        yield


def _stand_ins(torch: Any, arch: str) -> dict[str, Any]:
    lanes = wave_size(arch)
    name = f"rewarp's emulator of {arch}"
    capability = (int(arch[3:-2]), int(arch[-2], 16))
    properties = SimpleNamespace(
        name=name, major=capability[0], minor=capability[1], gcnArchName=arch, multi_processor_count=304,
        warp_size=lanes, total_memory=64 << 30, max_threads_per_multi_processor=2048, regs_per_multiprocessor=65_536,
        shared_memory_per_block=65_536, shared_memory_per_multiprocessor=65_536, is_integrated=0,
    )  # fmt: skip
    return {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "init": lambda: None,
        "is_initialized": lambda: True,
        "get_device_name": lambda device=None: name,
        "get_device_capability": lambda device=None: capability,
        "get_device_properties": lambda device=None: properties,
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
        "manual_seed": torch.default_generator.manual_seed,
        "manual_seed_all": lambda seed: None,
        "device": lambda device: contextlib.nullcontext(),
        "is_bf16_supported": lambda including_emulation=True: True,
    }


@contextlib.contextmanager
def replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)
