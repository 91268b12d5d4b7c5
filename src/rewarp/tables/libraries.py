"""CUDA libraries as a linker knows them, and their ROCm twins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Library(NamedTuple):
    """The twin's linker name and CMake target; both empty where ROCm has none."""

    link: str
    target: str


_RUNTIME = Library("amdhip64", "hip::host")
TWINS: dict[str, Library] = {
    "cuda": _RUNTIME,
    "cudart": _RUNTIME,
    "cudart_static": _RUNTIME,
    "cudadevrt": _RUNTIME,
    "cuda_driver": _RUNTIME,
    "toolkit": _RUNTIME,
    "nvrtc": Library("hiprtc", "hiprtc::hiprtc"),
    "cublas": Library("hipblas", "roc::hipblas"),
    "cublasLt": Library("hipblaslt", "roc::hipblaslt"),
    "cufft": Library("hipfft", "hip::hipfft"),
    "curand": Library("hiprand", "hip::hiprand"),
    "cusparse": Library("hipsparse", "roc::hipsparse"),
    "cusparseLt": Library("hipsparselt", "roc::hipsparselt"),
    "cusolver": Library("hipsolver", "roc::hipsolver"),
    "cudnn": Library("MIOpen", "MIOpen"),
    "nccl": Library("rccl", "rccl"),
    "cutensor": Library("hiptensor", "hiptensor::hiptensor"),
    "nvToolsExt": Library("roctx64", "roctx64"),
    "nvtx3": Library("roctx64", "roctx64"),
    "nvidia-ml": Library("amd_smi", "amd_smi"),
    "nvml": Library("amd_smi", "amd_smi"),
    "cupti": Library("rocprofiler-sdk", "rocprofiler-sdk::rocprofiler-sdk"),
    "nvJitLink": Library("", ""),
    "nvjpeg": Library("rocjpeg", "rocjpeg"),
    "cufile": Library("", ""),
    "nvshmem": Library("rocshmem", "roc::rocshmem"),
    "nvinfer": Library("", ""),
    "nvgraph": Library("", ""),
}
LINK_NAMES = tuple(name for name in TWINS if re.fullmatch(r"\w+", name))
_LINKED = re.compile(r"(?<![\w-])-l([A-Za-z][\w-]*)")
_STATIC = re.compile(r"_static(_nocallback)?$")


def twin(name: str) -> Library | None:
    """The twin of a CUDA library; None when the name is no CUDA library."""
    return TWINS.get(name) or TWINS.get(_STATIC.sub("", name))


def linked(text: str) -> Iterator[tuple[str, Library]]:
    """The CUDA libraries a text of linker options names with ``-l``."""
    for match in _LINKED.finditer(text):
        library = twin(match[1])
        if library is not None:
            yield match[1], library


def advice(library: Library, cmake: bool = False) -> str:
    name = library.target if cmake else library.link
    return f"its twin is {name}" if name else "ROCm has no twin of it"
