"""Python packages for NVIDIA, and what an AMD machine installs in their stead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewarp.lang.document import Requirement
from rewarp.lang.requirements import requirement

TORCH = frozenset({"torch", "torchvision", "torchaudio"})
_WITH_TORCH = frozenset({"triton", "pytorch-triton", "pytorch-triton-rocm", "triton-rocm"})
_NVIDIA = re.compile(
    r"nvidia-.+|cuda-python|cuda-bindings|cuda-core|nvtx|pynvml|tensorrt(-.+)?|torch-tensorrt|nvidia-dali.*|cudf.*|cuml.*"
)
_CUPY = re.compile(r"cupy(-cuda\w+)?")
_CUDA_EXTRA = re.compile(r"cuda\d*.*")
_WHEELS_OF_CUDA = frozenset(
    "sgl-kernel flashinfer-python deep-gemm tensorrt-llm autoawq-kernels faiss-gpu faiss-gpu-cu12 paddlepaddle-gpu "
    "transformer-engine vllm".split()
)
_NONE_FOR_AMD = re.compile(
    r"cugraph.*|pylibcugraph.*|pylibraft.*|raft-dask.*|rmm(-cu\d+)?|cuspatial.*|cuxfilter.*|cuvs.*|dask-(cuda|cudf).*|cubinlinker.*"
    r"|ptxcompiler.*|strings-udf|uff|graphsurgeon|onnx-graphsurgeon|polygraphy|pytorch-quantization|nvfuser.*|nvidia-modelopt.*"
    r"|pycuda|triton-model-analyzer|tensorflow-gpu|mxnet-cu\w+|cuquantum.*|cutensor.*"
)
"""RAPIDS, TensorRT's tools and others that are built on CUDA alone."""
FROM_INDEX = "it comes first, from PyTorch's index for ROCm"
BESIDE_TORCH = "its wheels for ROCm are on PyTorch's index, beside those of torch"
_URL = re.compile(r"[+/_.-]cu\d{2,3}(?!\d)")


@dataclass(frozen=True)
class ForRocm:
    text: str | None
    """The requirement to install; None for none."""
    why: str = ""
    """Why it is not the one asked for."""


def for_rocm(item: Requirement) -> ForRocm:
    """What takes the place of a requirement on an AMD machine."""
    name = item.name
    if name in TORCH:
        return ForRocm(None, FROM_INDEX)
    if name == "xformers":
        return ForRocm(None, BESIDE_TORCH)
    if name in _WITH_TORCH:
        return ForRocm(None, "torch for ROCm brings its own")
    if _CUPY.fullmatch(name):
        return ForRocm("cupy-rocm-7-0", "CuPy for CUDA")
    if name == "onnxruntime-gpu":
        return ForRocm("onnxruntime-migraphx", "ONNX Runtime for CUDA")
    if name == "jax" and any(_CUDA_EXTRA.fullmatch(extra) for extra in item.extras):
        return ForRocm("jax[rocm7-local]", "JAX's plugin for CUDA")
    if name in ("nvidia-ml-py", "pynvml"):
        return ForRocm(None, "it talks to NVIDIA's driver; ROCm has amdsmi")
    if _NVIDIA.fullmatch(name):
        return ForRocm(None, "it is NVIDIA's")
    if name in _WHEELS_OF_CUDA:
        return ForRocm(None, "its wheels are for CUDA; build it for ROCm, or take its ROCm image")
    if _URL.search(item.text):
        return ForRocm(None, "this wheel is for CUDA")
    return ForRocm(item.text)


def for_rocm_text(text: str) -> ForRocm:
    """The same for a word such as ``torch==2.4.0``; words that are no requirement stay."""
    item = requirement(text, None)
    if item is None:
        return ForRocm(None, "this wheel is for CUDA") if _URL.search(text) and "://" in text else ForRocm(text)
    return for_rocm(item)


def cannot_be_had(item: Requirement) -> str | None:
    """Why an AMD machine cannot install what is asked for: a file of the machine that the list was made on, or a package that is
    built on CUDA alone and has no other that takes its place."""
    if re.search(r"@\s*file:", item.text):
        return "it is a file of the machine that the list was made on"
    if _NONE_FOR_AMD.fullmatch(item.name):
        return "it is built on CUDA alone"
    return None


def is_cuda_index(url: str) -> bool:
    return bool(re.search(r"/cu\d{2,3}\b|pypi\.nvidia\.com|pypi\.ngc\.nvidia", url))
