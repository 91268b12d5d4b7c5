"""PKG-010: projects whose wheels on PyPI are CUDA builds."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.packaging._shapes import (
    PACKAGE_KINDS,
    PYTHON_ANCHORS,
    REQUIREMENTS_FOR_AMD,
    install_of,
    offered_for,
    packages,
)
from rewarp.targets import Context

_CUDA_WHEELS = re.compile(
    r"vllm|xformers|sgl-kernel|flashinfer(-python|-cubin|-jit-cache)?|deep-gemm|nixl(-cu\d+)?|tensorrt([-_]llm|-cu\d+.*)?"
    r"|torch-tensorrt|autoawq-kernels|faiss-gpu(-cu\d+)?|paddlepaddle-gpu|(?!numba-|dask-|onnxruntime-)[a-z][\w-]*-cuda"
    r"|(?!nvidia-|onnxruntime-|jax-)[a-z][\w-]*-cu1[0-3]\d?"
)


def _cuda_wheel(item: Requirement) -> str | None:
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
    tensorrt, autoawq-kernels, faiss-gpu, paddlepaddle-gpu, and what is called *-cuda or *-cu12."""
    if not offered_for(document, context.target.name):
        yield from packages(
            document, lambda item: None if _from_torch(document, item) else _cuda_wheel(item), real=False
        )


def _from_torch(document: Document, item: Requirement) -> bool:
    """Whether a package is taken from PyTorch's index by name: which one is another rule's subject."""
    command = install_of(document, item) if item.name == "xformers" else None
    return command is not None and any("download.pytorch.org/whl/" in text for text in command.texts)
