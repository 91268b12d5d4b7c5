"""Shapes that the Rust rules share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.cfamily import CodeFile
from rewarp.lang.toml import TomlFile, TomlKey

FAMILIES: dict[str, str] = {
    "driver": "the HIP runtime (rocm-rs hip)",
    "runtime": "the HIP runtime (rocm-rs hip)",
    "nvrtc": "hipRTC",
    "cublas": "hipBLAS or rocBLAS (rocm-rs rocblas)",
    "cublaslt": "hipBLASLt",
    "cudnn": "MIOpen (rocm-rs miopen)",
    "curand": "rocRAND (rocm-rs rocrand)",
    "nccl": "RCCL, which keeps NCCL's interface",
    "cusparse": "rocSPARSE (rocm-rs rocsparse)",
    "cusolver": "rocSOLVER (rocm-rs rocsolver)",
    "cufft": "rocFFT (rocm-rs rocfft)",
    "cutensor": "hipTensor",
    "cupti": "rocprofiler-sdk",
    "nvtx": "ROCTx",
    "cufile": "",
}
"""cudarc's modules and what stands for each of them on ROCm."""
AMD_FEATURE = re.compile(r"(?i)(rocm|hip|amd|amdgpu)([_-].*)?")
_AMD_NAME = re.compile(rb"(?i)\b(rocm|hip|amdgpu)(_\w*)?\b|::(Rocm|ROCm|Hip)\b")
_DEPENDENCIES = ("dependencies", "build-dependencies", "dev-dependencies")


def dependencies(document: TomlFile, *names: str) -> Iterator[TomlKey]:
    """The keys that declare these dependencies, in whatever table and spelling; the first for each table."""
    seen: set[tuple[str, ...]] = set()
    for key in document.keys:
        for at, part in enumerate(key.path[:-1]):
            path = key.path[: at + 2]
            if part in _DEPENDENCIES and path[-1] in names and path not in seen:
                seen.add(path)
                yield key


def dependency(document: TomlFile, path: tuple[str, ...]) -> object:
    """What a dependency's key holds."""
    value: object = document.data
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def has_amd_feature(document: TomlFile) -> bool:
    """Whether the crate already has a feature for AMD."""
    features = document.data.get("features")
    return isinstance(features, dict) and any(AMD_FEATURE.fullmatch(name) for name in features)


def speaks_of_amd(document: CodeFile) -> bool:
    """Whether code or strings of a Rust file name ROCm or HIP."""
    if _AMD_NAME.search(document.code):
        return True
    return any(AMD_FEATURE.fullmatch(literal.text) for literal in document.literals)
