"""Shapes that the Rust rules share."""

from __future__ import annotations

from collections.abc import Iterator

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
CRATES: dict[str, str] = {
    "cudarc": "the HIP runtime, rocBLAS, MIOpen and rocRAND (rocm-rs)",
    **dict.fromkeys(
        (
            "cust",
            "cust_core",
            "cust_raw",
            "rustacuda",
            "rustacuda_core",
            "cuda-sys",
            "cuda-driver-sys",
            "cuda-runtime-sys",
        ),
        "the HIP runtime (rocm-rs hip)",
    ),
    **dict.fromkeys(("cuda-core", "cuda-bindings"), "the HIP runtime (rocm-rs hip)"),
    **dict.fromkeys(("cutile", "cuda_std"), ""),
    **dict.fromkeys(("nvml-wrapper", "nvml-wrapper-sys"), "amd-smi"),
    **dict.fromkeys(("burn-cuda", "cubecl-cuda"), "burn-rocm and cubecl-hip"),
}
"""Crates that bind CUDA or hold kernels for it, and what stands for each on ROCm; empty where nothing does."""
_DEPENDENCIES = ("dependencies", "build-dependencies", "dev-dependencies")


def dependencies(document: TomlFile, *names: str) -> Iterator[TomlKey]:
    """The keys that declare these dependencies, in whatever table and spelling; the first for each table."""
    return (key for key, crate, _ in declared(document) if crate in names)


def declared(document: TomlFile) -> Iterator[tuple[TomlKey, str, object]]:
    """Every dependency: its first key, the crate it names (which ``package`` may tell), and its value."""
    seen: set[tuple[str, ...]] = set()
    for key in document.keys:
        for at, part in enumerate(key.path[:-1]):
            path = key.path[: at + 2]
            if part in _DEPENDENCIES and path not in seen:
                seen.add(path)
                value = dependency(document, path)
                package = value.get("package") if isinstance(value, dict) else None
                yield key, package if isinstance(package, str) else path[-1], value


def dependency(document: TomlFile, path: tuple[str, ...]) -> object:
    """What a dependency's key holds."""
    value: object = document.data
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value
