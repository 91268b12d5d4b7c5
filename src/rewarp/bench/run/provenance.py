"""Where and how a measurement was made: versions, driver, clocks, revision, and which back ends ran."""

from __future__ import annotations

import datetime
import os
import platform
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rewarp import __version__, git
from rewarp.bench.result import Sourced, unknown
from rewarp.bench.run.device import Device
from rewarp.bench.run.power import Meter
from rewarp.verify.numbers.setting import switches
from rewarp.verify.run.backends import attention_backends, backends_of_kernels

_TELLING = (
    "HSA_",
    "HIP_",
    "ROCR_",
    "CUDA_",
    "NCCL_",
    "RCCL_",
    "PYTORCH_",
    "TORCH_",
    "MIOPEN_",
    "HIPBLASLT_",
    "TENSILE_",
    "DISABLE_ADDMM_HIP_LT",
    "TRITON_",
    "OPENBLAS_",
    "KMP_",
    "GOMP_",
    "ROCBLAS_",
    "CUBLAS",
    "NVIDIA_TF32",
    "PT_HPU_",
    "OMP_NUM_THREADS",
    "MKL_",
    "GPU_",
)
"""Beginnings of environment variables that change what is measured."""


def software(device: Device, meter: Meter | None) -> dict[str, Sourced]:
    import torch

    found = {"torch": Sourced(str(torch.__version__), "torch"), "python": Sourced(platform.python_version(), "python")}
    for name in ("cuda", "hip", "xpu"):
        version = getattr(torch.version, name, None)
        if version:
            found[name] = Sourced(str(version), f"torch.version.{name}")
    if device.platform in ("cuda", "rocm"):
        convolutions, collectives = ("cudnn", "nccl") if device.platform == "cuda" else ("miopen", "rccl")
        found[convolutions] = _asked(lambda: torch.backends.cudnn.version(), "torch.backends.cudnn")
        found[collectives] = _asked(lambda: ".".join(map(str, torch.cuda.nccl.version())), "torch.cuda.nccl")
    found |= _blas(device)
    driver = meter.driver() if meter else None
    found["driver"] = Sourced(driver, meter.source) if meter and driver else unknown("no library tells the driver")
    found["system"] = Sourced(f"{platform.system()} {platform.machine()}", "uname")
    if device.platform == "cpu":
        found["threads"] = Sourced(torch.get_num_threads(), "torch")
    return found


def _blas(device: Device) -> dict[str, Sourced]:
    """The library of matrix products, and whether torch tunes it."""
    import torch

    if device.platform not in ("cuda", "rocm"):
        built = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        found = Sourced(built[1], "torch.__config__") if built else unknown("torch does not tell")
        return {"blas": found} if device.platform == "cpu" else {}
    return {
        "blas": _asked(
            lambda: str(torch.backends.cuda.preferred_blas_library()).rpartition(".")[2], "torch.backends.cuda"
        ),
        "tunable_op": _asked(lambda: torch.cuda.tunable.is_enabled(), "torch.cuda.tunable"),
    }


def _asked(ask: Callable[[], Any], source: str) -> Sourced:
    try:
        value = ask()
    except Exception:  # not in this build
        value = None
    return Sourced(value, source) if value is not None else unknown(f"{source} does not tell")


def when_and_what(tool: str, command: str) -> dict[str, Any]:
    """Time, command, revision, and the variables that change what is measured. Needs no torch."""
    return {
        "tool": tool,
        "rewarp": __version__,
        "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": command,
        "git_revision": git.head(Path.cwd()),
        "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(_TELLING)},
    }


def provenance(command: str) -> dict[str, Any]:
    return {**when_and_what("rewarp bench run", command), "switches": switches()}


def backends(step: Callable[[], Any], device: Device) -> dict[str, Sourced]:
    """Which libraries and which attention run in a step: one more step, watched by torch's profiler."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    own = getattr(ProfilerActivity, device.kind.upper(), None) if device.kind != "cpu" else None
    activities += [own] if own is not None else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with profile(activities=activities) as profiler:
                step()
                device.end_step()
                device.synchronize()
            events = profiler.key_averages()
    except KeyboardInterrupt:
        return {"back ends": unknown("interrupted")}
    except Exception as error:  # a profiler that does not work must not lose the measurement
        return {"back ends": unknown(f"torch's profiler failed: {str(error)[:100]}")}
    source = "one step after the measurement, by torch's profiler"
    counts = {event.key: event.count for event in events}
    operators = {
        name: count for name, count in counts.items() if "_scaled_dot_product_" in name and "backward" not in name
    }
    kernels = [event.key for event in events if event.device_type != torch.autograd.DeviceType.CPU]
    found = {}
    if operators:
        ran = attention_backends(operators)
        found["attention"] = Sourced(", ".join(sorted(ran)), source)
    named = sorted(backends_of_kernels(kernels))
    if named:
        found["back ends"] = Sourced(", ".join(named), source)
    elif device.kind != "cpu":
        found["back ends"] = unknown("the profiler saw no kernel of a library that is known")
    return found
