"""Where and how a computation runs: the device, the seed, the switches that change numbers. All of it is written down."""

from __future__ import annotations

import importlib
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rewarp import __version__, git
from rewarp.errors import UsageError
from rewarp.verify.numbers.target import NotRun

_ACCELERATORS = ("cuda", "hpu", "xpu", "npu", "mps")
_HINTS = {"numpy": "pip install 'rewarp[numbers]'", "torch": "install the torch that the project uses"}


def need(*names: str) -> None:
    """torch, which is the user's, and numpy, which the extra brings: can they be imported?"""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # a broken installation raises whatever it likes
            raise NotRun(f"{name} cannot be imported here ({error}); {_HINTS[name]}") from None


def choose_device(wanted: str | None) -> str:
    """The device asked for, if it works here; else the first accelerator that torch sees, else the CPU."""
    need("numpy", "torch")
    import torch

    if wanted is None:
        return next((name for name in _ACCELERATORS if _is_available(name)), "cpu")
    if wanted.partition(":")[0] == "hpu":
        _is_available("hpu")
    try:
        torch.empty(1, device=wanted).fill_(1.0).cpu()
    except Exception as error:  # what a missing device raises differs by back end
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise NotRun(f"no device {wanted} here: {reason}") from None
    return wanted


def _is_available(name: str) -> bool:
    torch = sys.modules["torch"]
    try:
        if name == "hpu":
            importlib.import_module("habana_frameworks.torch.core")
        backend = torch.backends.mps if name == "mps" else getattr(torch, name)
        return bool(backend.is_available())
    except Exception:  # no such back end in this torch, or one that cannot start
        return False


def seed_everything(seed: int) -> None:
    import numpy as np
    import torch

    if not 0 <= seed < 2**63:
        raise UsageError(f"seed {seed}: it must be from 0 to 2**63 - 1")

    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


@contextmanager
def repeatable() -> Iterator[None]:
    """Deterministic algorithms where torch has them, and no trying out of convolutions; then as it was before."""
    import torch

    before = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.backends.cudnn.benchmark,
    )
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cudnn.benchmark = False
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        torch.backends.cudnn.benchmark = before[2]


def switches() -> dict[str, Any]:
    """The switches of torch that change numbers, as they are now; None where this torch has none of that name."""
    import torch

    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    asked: dict[str, Callable[[], Any]] = {
        "float32_matmul_precision": torch.get_float32_matmul_precision,
        "cuda.matmul.allow_tf32": lambda: cuda.matmul.allow_tf32,
        "cudnn.allow_tf32": lambda: cudnn.allow_tf32,
        "cuda.matmul.allow_fp16_reduced_precision_reduction": lambda: (
            cuda.matmul.allow_fp16_reduced_precision_reduction
        ),
        "cuda.matmul.allow_bf16_reduced_precision_reduction": lambda: (
            cuda.matmul.allow_bf16_reduced_precision_reduction
        ),
        "sdp.flash": cuda.flash_sdp_enabled,
        "sdp.mem_efficient": cuda.mem_efficient_sdp_enabled,
        "sdp.math": cuda.math_sdp_enabled,
        "sdp.cudnn": lambda: cuda.cudnn_sdp_enabled(),
        "blas": lambda: str(torch.backends.cuda.preferred_blas_library()),
        "cudnn.enabled": lambda: cudnn.enabled,
        "cudnn.benchmark": lambda: cudnn.benchmark,
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled,
    }
    found: dict[str, Any] = {}
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except Exception:  # not in this version, or read through the other of torch's two TF32 interfaces
            found[name] = None
    return found


def uses_tf32(manifest: dict[str, Any]) -> bool:
    """Whether float32 products of a recording may have been TF32."""
    setting = manifest["setting"]
    if not str(setting["device"]).startswith("cuda"):
        return False
    on = setting["switches"]
    matmul = on.get("cuda.matmul.allow_tf32") or on.get("float32_matmul_precision") in ("high", "medium")
    convolutions = any("Conv" in call["kind"] for call in manifest["calls"])
    return bool(matmul or (convolutions and on.get("cudnn.allow_tf32") is not False))


def described(device: str) -> dict[str, Any]:
    """Device, versions, switches, revision and time, for the manifest."""
    import torch

    return {
        "device": device,
        "device_name": _device_name(device),
        "platform": {"cuda": torch.version.cuda, "hip": torch.version.hip, "system": platform.platform()},
        "versions": {"torch": torch.__version__, "python": platform.python_version(), "rewarp": __version__},
        "switches": switches(),
        "revision": git.head(Path.cwd()),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _device_name(device: str) -> str | None:
    import torch

    kind = device.partition(":")[0]
    if kind == "cpu":
        return platform.processor() or platform.machine()
    try:
        return str(getattr(torch, kind).get_device_name(torch.device(device)))
    except Exception:  # not every back end can tell
        return None
