"""The NVIDIA GPU and toolkit that AMD's come closest to: half, bfloat16 and fp8 arithmetic, but neither tensor memory nor
thread-block clusters."""

from __future__ import annotations

from functools import lru_cache

from rewarp.lang.cpp.conditions import Macro

ARCH = 899
CUDA = 12080


@lru_cache(maxsize=256)
def macros(arch: Macro = ARCH, version: int = CUDA) -> dict[str, Macro]:
    """What a GPU and a toolkit define."""
    return {
        "__CUDA_ARCH__": arch,
        "CUDART_VERSION": version,
        "CUDA_VERSION": version,
        "__CUDACC_VER_MAJOR__": version // 1000,
        "__CUDACC_VER_MINOR__": version % 1000 // 10,
        "__CUDACC_VER_BUILD__": 0,
    }
