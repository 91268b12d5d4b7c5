"""The ops of the C++ extension; it is built on first use when it was not installed."""

import functools
import os
from pathlib import Path

import torch
from torch.utils import cpp_extension

CSRC = Path(__file__).parent.parent / "csrc"


@functools.lru_cache(maxsize=1)
def extension():
    try:
        from warpnorm import _C
    except ImportError:
        return _build()
    return _C


def _build():
    major, minor = torch.cuda.get_device_capability()
    cuda_flags = [
        "-O3",
        "--use_fast_math",
        "--expt-relaxed-constexpr",
        f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}",
    ]
    ld_flags = []
    if os.path.exists(os.path.join(cpp_extension.CUDA_HOME, "include", "cublas_v2.h")):
        cuda_flags.append("-DWARPNORM_WITH_CUBLAS")
        ld_flags.append("-lcublas")
    return cpp_extension.load(
        name="warpnorm_C",
        sources=[str(path) for path in sorted(CSRC.iterdir()) if path.suffix in (".cpp", ".cu")],
        extra_cflags=["-O3"],
        extra_cuda_cflags=cuda_flags,
        extra_ldflags=ld_flags,
        extra_include_paths=[str(CSRC)],
    )


def layer_norm(x, weight, bias, eps=1e-5):
    return extension().layer_norm(x, weight, bias, eps)


def softmax(x):
    return extension().softmax(x)


def histogram(x, low, high):
    """Counts in 256 bins over [low, high), and how many values were finite."""
    return extension().histogram(x, low, high)


def gelu(x):
    return extension().gelu_table(x)


def matmul(a, b):
    return extension().matmul(a, b)
