"""PKG-010: projects whose wheels on PyPI are CUDA builds."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import (
    PACKAGE_KINDS,
    PYTHON_ANCHORS,
    REQUIREMENTS_FOR_AMD,
    install_of,
    is_asked_of_amd,
    offered_for,
    packages,
)
from rewarp.targets import Context

_CUDA_WHEELS = re.compile(
    r"vllm|xformers|sgl-kernel|flashinfer(-python|-cubin|-jit-cache)?|deep-gemm|nixl(-cu\d+)?|tensorrt([-_]llm|-cu\d+.*)?"
    r"|torch-tensorrt|autoawq-kernels|faiss-gpu(-cu\d+)?|paddlepaddle-gpu|tensorflow-gpu|tf-nightly-gpu|(?!numba-|dask-|onnxruntime-)[a-z][\w-]*-cuda"
    r"|(?!nvidia-|onnxruntime-|jax-)[a-z][\w-]*-cu1[0-3]\d?"
)

_UNPUBLISHED = re.compile(r"=\s*0\.0\.0\s*(;|$)")
"""The version that setuptools gives where a setup.py names none: such a package was built here, from a folder."""
_NVIDIA_ONLY = re.compile(r"flashinfer-python|deep-gemm|tensorrt.*|torch-tensorrt|.*-cu1[0-3]\d?|faiss-gpu.*")
_TENSORFLOW = frozenset({"tensorflow-gpu", "tf-nightly-gpu"})
"""Runs on the CPU where it finds no CUDA; AMD's build is tensorflow-rocm."""
_IDLE = frozenset({"flashinfer-python", "flashinfer-cubin", "flashinfer-jit-cache"})
"""Plain Python, and kernels that nothing loads on another GPU: they install anywhere. What imports them is told there."""


def _cuda_wheel(item: Requirement) -> str | None:
    if _UNPUBLISHED.search(item.text):
        return None
    if _CUDA_WHEELS.fullmatch(item.name) and item.group != "conda":
        return f"the wheels of {item.name} on PyPI are built for CUDA"
    return None


@rule(
    id="PKG-010",
    title="A project with CUDA wheels only is asked for",
    kinds=PACKAGE_KINDS,
    anchors=[
        *(
            "vllm",
            "xformers",
            "sgl*",
            "flashinfer*",
            "nixl*",
            "tensorrt*",
            "torch_tensorrt",
            "faiss*",
            "paddlepaddle*",
            "tensorflow gpu",
            "tensorflow_gpu",
            "tf nightly",
            "autoawq*",
        ),
        *("deep_gemm", "deep gemm", "*_cuda", "~-cuda", "~-cu1", "~_cu1"),
    ],
    python_anchors=PYTHON_ANCHORS,
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="pip installs the CUDA build, whose extensions do not load on an AMD machine. Some of these projects have "
        "ROCm wheels or images elsewhere, others have none.",
        fix="Take it from the project's ROCm wheels or image where there is one, and make it optional otherwise.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="pip installs the CUDA build. For vLLM there is the plugin vllm-gaudi; the others have no Gaudi build.",
        fix="Use vllm-gaudi in place of vllm and make the rest optional.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="flashinfer-python==0.2.5",
    source="https://github.com/vllm-project/vllm-gaudi",
    fix=REQUIREMENTS_FOR_AMD,
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for packages whose published wheels are CUDA builds: vllm, xformers, sgl-kernel, flashinfer, deep-gemm, nixl,
    tensorrt, autoawq-kernels, faiss-gpu, paddlepaddle-gpu, tensorflow-gpu, and what is called *-cuda or *-cu12."""
    offered = offered_for(document, context.target.name)
    if offered and not context.ported:
        return

    def wanted(item: Requirement) -> str | None:
        # Where an index for the target is named, only what no index has for AMD is left.
        if _from_torch(document, item) or (
            offered and not (_NVIDIA_ONLY.fullmatch(item.name) and _is_amds(document, item))
        ):
            return None
        return _cuda_wheel(item)

    # Before a port, a list for AMD may be one that another index is given with.
    for hit in packages(document, context, wanted, real=context.ported):
        mild = Severity.INFO if hit.symbol in _IDLE else Severity.ON_CPU if hit.symbol in _TENSORFLOW else None
        yield hit if hit.severity else replace(hit, severity=mild)


def _is_amds(document: Document, item: Requirement) -> bool:
    return is_asked_of_amd(document, item.group)


def _from_torch(document: Document, item: Requirement) -> bool:
    """Whether a package is taken from PyTorch's index by name: which one is another rule's subject."""
    command = install_of(document, item) if item.name == "xformers" else None
    return command is not None and any("download.pytorch.org/whl/" in text for text in command.texts)
