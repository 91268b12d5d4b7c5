"""LIB-011: TensorRT."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._fixes import NVIDIA_ONLY
from rewarp.rules.libraries._shapes import imports_of
from rewarp.targets import Context

_PACKAGES = ("tensorrt", "torch2trt", "torch_tensorrt", "polygraphy", "tensorrt_llm")


@rule(
    id="LIB-011",
    title="TensorRT is imported",
    kinds=PYTHON_KINDS,
    anchors=_PACKAGES,
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="TensorRT exists for NVIDIA GPUs only. AMD's graph compiler is MIGraphX, with torch_migraphx for "
        "PyTorch models.",
        fix="Keep TensorRT behind `torch.version.hip is None` and run the model through torch, MIGraphX or "
        "torch_migraphx on ROCm.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="import tensorrt as trt",
    source="https://rocm.docs.amd.com/projects/ai-ecosystem/en/latest/inference/migraphx.html",
    fix=NVIDIA_ONLY,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of tensorrt, tensorrt_llm, torch_tensorrt, torch2trt and polygraphy."""
    yield from imports_of(document, *_PACKAGES, folders=True)
