"""PKG-006: ONNX Runtime for CUDA."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import EXTRA_FOR_AMD, PACKAGE_KINDS, REQUIREMENTS_FOR_AMD, packages
from rewarp.targets import Context


def _onnxruntime(item: Requirement) -> str | None:
    if item.name in ("onnxruntime-gpu", "ort-nightly-gpu", "onnxruntime-genai-cuda"):
        return f"{item.name} has the CUDA and TensorRT providers only"
    return None


@rule(
    id="PKG-006",
    title="ONNX Runtime for CUDA is asked for",
    kinds=PACKAGE_KINDS,
    anchors=["onnxruntime gpu", "onnxruntime_gpu", "ort nightly", "onnxruntime genai"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.ON_CPU,
        why="onnxruntime-gpu is built for CUDA, and its sessions run on the CPU without it. AMD's build is onnxruntime-migraphx, from AMD's package index.",
        fix="Ask for onnxruntime-migraphx on ROCm, in an extra or a list of packages of its own, and keep this one for NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="onnxruntime-gpu is built for CUDA, and its sessions run on the CPU without it; there is no provider for Gaudi.",
        fix="Use the plain onnxruntime package there, which runs on the CPU.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="onnxruntime-gpu>=1.19",
    source="https://rocm.docs.amd.com/projects/ai-ecosystem/en/latest/inference/onnxruntime.html",
    fix=(REQUIREMENTS_FOR_AMD, EXTRA_FOR_AMD),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for onnxruntime-gpu among the packages a file asks for."""
    yield from packages(document, context, _onnxruntime)
