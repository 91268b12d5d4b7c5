"""Builds the extension ahead of time: pip install --no-build-isolation ."""

import os
import re
import subprocess

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

if CUDA_HOME is None:
    raise RuntimeError("warpnorm needs the CUDA toolkit: set CUDA_HOME to the folder that holds bin/nvcc")

nvcc = subprocess.check_output([os.path.join(CUDA_HOME, "bin", "nvcc"), "--version"], text=True)
release = re.search(r"release (\d+)\.(\d+)", nvcc)
if release[1] != torch.version.cuda.split(".")[0]:
    raise RuntimeError(f"nvcc is CUDA {release[1]}.{release[2]}, torch was built with {torch.version.cuda}")

NVCC_FLAGS = [
    "-O3",
    "-std=c++17",
    "--use_fast_math",
    "--expt-relaxed-constexpr",
    "-lineinfo",
    "-Xptxas=-v",
    "--threads=2",
]
for arch in os.environ.get("WARPNORM_ARCHS", "80;90").split(";"):
    NVCC_FLAGS += ["-gencode", f"arch=compute_{arch},code=sm_{arch}"]

libraries, macros = ["cudart"], []
if os.path.exists(os.path.join(CUDA_HOME, "include", "cublas_v2.h")):
    libraries.append("cublas")
    macros.append(("WARPNORM_WITH_CUBLAS", None))

SOURCES = ["bindings.cpp", "layernorm.cu", "softmax.cu", "histogram.cu", "gelu_table.cu", "matmul.cu"]

setup(
    name="warpnorm",
    version="0.3.0+cu" + torch.version.cuda.replace(".", ""),
    packages=["warpnorm"],
    ext_modules=[
        CUDAExtension(
            "warpnorm._C",
            [os.path.join("csrc", source) for source in SOURCES],
            include_dirs=[os.path.abspath("csrc")],
            libraries=libraries,
            define_macros=macros,
            extra_compile_args={"cxx": ["-O3", "-std=c++17"], "nvcc": NVCC_FLAGS},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
