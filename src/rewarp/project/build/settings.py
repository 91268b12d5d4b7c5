"""What CMake finds on a machine for each platform: Linux on x86_64 with GNU's compilers and that platform's toolkit alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rewarp.lang.cmake.setting import Setting
from rewarp.project.gates import NVIDIA, ROCM, Platform

ROOT = "/project"
"""What the root of the tree is called while CMake files are run."""
BUILD = "/project.build"
HIPCC = "/opt/rocm/bin/hipcc"
_OF_CUDA = tuple("CUDA CUDAToolkit CUDNN cuDNN CUDNN_FRONTEND NCCL TensorRT CUB Thrust CCCL NVTX nvtx3".split())
_OF_ROCM = tuple(
    "hip HIP hip-lang HIPRTC hiprtc ROCM ROCm ROCmCMakeBuildTools ROCmVersion AMDDeviceLibs amd_comgr hsa-runtime64 hsakmt "
    "rocblas hipblas hipblaslt hipblas-common hipsparse hipsparselt rocsparse rocsolver hipsolver hipfft rocfft hipcub "
    "rocprim rocthrust rocrand hiprand hiptensor rccl RCCL miopen MIOpen migraphx composable_kernel roctracer "
    "rocprofiler-sdk roctx rocprofiler-sdk-roctx rocwmma rocalution rocm_smi rocm-core".split()
)
_SURE_OF_CUDA = ("CUDA", "CUDAToolkit")
"""Part of the toolkit; the others are installed apart."""
_SURE_OF_ROCM = ("hip", "HIP", "hip-lang", "ROCM")
_TORCH = ("Torch", "Caffe2")
_ARCHITECTURES = "75 80 86 89 90a 100a 120a".split()
"""For which PyTorch has extensions built: a GPU of each generation that its own wheels serve."""
_ALL_ARCHITECTURES = {
    "CMAKE_CUDA_ARCHITECTURES_ALL": "75;80;86;87;88;89;90;100;103;110;120;121",
    "CMAKE_CUDA_ARCHITECTURES_ALL_MAJOR": "75;80;90;100;110;120",
}
"""Of CUDA 13.0, as CMake has them."""
CMAKE_VERSION, CUDA_VERSION, ROCM_VERSION = "3.31.6", "13.0.48", "7.0.0"
_MACHINE = {
    "CMAKE_VERSION": CMAKE_VERSION,
    **dict(zip(("CMAKE_MAJOR_VERSION", "CMAKE_MINOR_VERSION", "CMAKE_PATCH_VERSION"), CMAKE_VERSION.split("."))),
    "CMAKE_SYSTEM_PROCESSOR": "x86_64",
    "CMAKE_HOST_SYSTEM_PROCESSOR": "x86_64",
    "CMAKE_SIZEOF_VOID_P": "8",
    **{f"CMAKE_{language}_COMPILER_ID": "GNU" for language in ("C", "CXX")},
    **{f"CMAKE_{language}_PLATFORM_ID": "Linux" for language in ("C", "CXX", "CUDA", "HIP")},
    **{f"CMAKE_{language}_COMPILER": f"/usr/bin/{name}" for language, name in (("C", "cc"), ("CXX", "c++"))},
}


def _torch(*, cuda: bool, hip: bool) -> Mapping[str, Mapping[str, str]]:
    """PyTorch's CMake files look for the toolkit that it was built with, and for no other."""
    found = {True: "TRUE", False: "FALSE"}
    values = {
        "Torch_FOUND": "TRUE",
        "TORCH_FOUND": "TRUE",
        "CUDA_FOUND": found[cuda],
        "HIP_FOUND": found[hip],
        "PYTORCH_FOUND_HIP": found[hip],
        "CAFFE2_USE_CUDA": "ON" if cuda else "OFF",
    }
    if cuda:
        values["CMAKE_CUDA_FLAGS"] = " ".join(f"-gencode arch=compute_{a},code=sm_{a}" for a in _ARCHITECTURES)
    return dict.fromkeys(_TORCH, values)


def _packages(*, cuda: bool, hip: bool) -> dict[str, bool]:
    absent = dict.fromkeys((*(() if cuda else _OF_CUDA), *(() if hip else _OF_ROCM)), False)
    there = dict.fromkeys((*(_SURE_OF_CUDA if cuda else ()), *(_SURE_OF_ROCM if hip else ())), True)
    return {**absent, **there}


def _versions(name: str, version: str) -> dict[str, str]:
    major, minor, _ = version.split(".")
    return {f"{name}_VERSION_MAJOR": major, f"{name}_VERSION_MINOR": minor, f"{name}_VERSION": version}


_CUDA_VARIABLES = {
    **_versions("CUDA", CUDA_VERSION),
    "CUDA_VERSION": CUDA_VERSION.rpartition(".")[0],
    "CUDA_VERSION_STRING": CUDA_VERSION.rpartition(".")[0],
}
_HIP_VARIABLES = {**_versions("HIP", ROCM_VERSION), **_versions("hip", ROCM_VERSION), "ROCM_VERSION": ROCM_VERSION}
_HIP_VARIABLES |= {"HIP_COMPILER": "clang", "HIP_PLATFORM": "amd", "HIP_RUNTIME": "rocclr"}
_CUDA = Setting(
    packages=_packages(cuda=True, hip=False),
    brought={
        **_torch(cuda=True, hip=False),
        "CUDA": _CUDA_VARIABLES,
        "CUDAToolkit": _versions("CUDAToolkit", CUDA_VERSION),
    },
    enabled_by=dict.fromkeys(_TORCH, "CUDA"),
    compilers={"C": True, "CXX": True, "CUDA": True, "HIP": False},
    programs={"nvcc": "/usr/local/cuda/bin/nvcc", "hipcc": "", "hipconfig": "", "rocminfo": "", "amdclang++": ""},
    variables={
        **_MACHINE,
        "CMAKE_CUDA_COMPILER_ID": "NVIDIA",
        "CMAKE_CUDA_COMPILER_VERSION": CUDA_VERSION,
        **_ALL_ARCHITECTURES,
    },
    root=ROOT,
    build=BUILD,
)
_HIP = Setting(
    packages=_packages(cuda=False, hip=True),
    brought={**_torch(cuda=False, hip=True), **dict.fromkeys(_SURE_OF_ROCM, _HIP_VARIABLES)},
    compilers={"C": True, "CXX": True, "CUDA": False, "HIP": True},
    programs={"nvcc": "", "hipcc": HIPCC, "hipconfig": "/opt/rocm/bin/hipconfig"},
    variables={**_MACHINE, "CMAKE_HIP_COMPILER_ID": "Clang", "CMAKE_HIP_PLATFORM": "amd"},
    root=ROOT,
    build=BUILD,
)
_NEITHER = Setting(
    packages=_packages(cuda=False, hip=False),
    brought=_torch(cuda=False, hip=False),
    compilers={"C": True, "CXX": True, "CUDA": False, "HIP": False},
    programs={"nvcc": "", "hipcc": "", "hipconfig": ""},
    variables=_MACHINE,
    root=ROOT,
    build=BUILD,
)


def setting_of(platform: Platform) -> Setting:
    return {NVIDIA.name: _CUDA, ROCM.name: _HIP}.get(platform.name, _NEITHER)


def with_hipcc(setting: Setting) -> Setting:
    """For projects whose C++ compiler is to be hipcc itself."""
    compiler = {"CMAKE_CXX_COMPILER": HIPCC, "CMAKE_CXX_COMPILER_ID": "Clang"}
    return replace(setting, variables={**setting.variables, **compiler})
