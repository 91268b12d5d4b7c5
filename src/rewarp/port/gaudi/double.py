"""A test double for Gaudi: the device "hpu" on the CPU, so that a ported project can be run where there is no Gaudi.

    python -m rewarp.port.gaudi.double PROGRAM [ARGUMENT ...]
    python -m rewarp.port.gaudi.double -m MODULE [ARGUMENT ...]

``torch.hpu`` has the names that Intel's has, and no others. Tensors of "hpu" and of the CPU do not mix, as on the real
device. A call of ``torch.cuda`` by anybody but torch itself raises ``CudaReached``.
"""

from __future__ import annotations

import functools
import importlib
import os
import runpy
import sys
import types
from collections.abc import Callable
from typing import Any

from rewarp.errors import UsageError
from rewarp.port.gaudi.double_module import hpu_module
from rewarp.port.gaudi.double_tensor import register_tensors

_STILL_ANSWERED = frozenset({"is_available", "is_initialized", "empty_cache"})
"""What a build without CUDA answers truly: there is none, and there is nothing to be emptied."""


class CudaReached(AssertionError):
    """Something of CUDA was used although the program runs on Gaudi."""


def install() -> None:
    """Make "hpu" a device of this process. There is no way back: it is meant for a process of its own."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        torch = importlib.import_module("torch")
        registration = importlib.import_module("torch.utils.backend_registration")
    except ImportError as error:
        raise UsageError(f"the test double of Gaudi needs PyTorch: {error}") from None
    setup = getattr(registration, "_setup_privateuseone_for_python_backend", None)
    if setup is None:
        raise UsageError(f"the test double of Gaudi needs a newer PyTorch than {torch.__version__}")
    if getattr(torch, "hpu", None) is not None:
        raise UsageError("this PyTorch has torch.hpu already")
    module = hpu_module(torch)
    setup(rename="hpu", backend_module=module)
    register_tensors(torch)
    _add_frameworks(module)
    _close_cuda(torch)


def _add_frameworks(module: types.ModuleType) -> None:
    """The modules of Gaudi's own package that a port imports."""
    steps = types.SimpleNamespace(count=0)

    def mark_step(device_str: str = "", sync: bool = False) -> None:
        steps.count += 1

    parts = {"": {}, ".torch": {}, ".torch.core": {"mark_step": mark_step, "hpu": module}, ".torch.hpu": None}
    for name, content in {**parts, ".torch.distributed": {}, ".torch.distributed.hccl": {}}.items():
        full = f"habana_frameworks{name}"
        part = module if content is None else types.ModuleType(full)
        vars(part).update(content or {})
        part.__path__ = []
        sys.modules[full] = part
        above, _, last = full.rpartition(".")
        if above:
            setattr(sys.modules[above], last, part)


# --- torch.cuda is closed ------------------------------------------------------------------


def _close_cuda(torch: Any) -> None:
    for name, value in list(vars(torch.cuda).items()):
        if isinstance(value, types.FunctionType) and not name.startswith("_") and name not in _STILL_ANSWERED:
            setattr(torch.cuda, name, _closed(f"torch.cuda.{name}", value))
    for owner, name in ((torch.Tensor, "cuda"), (torch.nn.Module, "cuda")):
        setattr(owner, name, _closed(f"{owner.__name__}.{name}", getattr(owner, name)))
    amp = torch.cuda.amp
    amp.autocast.__init__ = _closed("torch.cuda.amp.autocast", amp.autocast.__init__)


def _closed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for torch itself; for everybody else it raises."""

    @functools.wraps(function)
    def closed(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] == "torch":
            return function(*args, **kwargs)
        raise CudaReached(f"{name} was called on Gaudi, by {caller}")

    return closed


def main(arguments: list[str]) -> None:
    """Run a program on the test double."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return
    install()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
