"""LIB-011: TensorRT."""

from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_PACKAGES = ("tensorrt", "torch2trt", "torch_tensorrt", "tensorrt_llm")
_PLAIN = "polygraphy"


@rule(
    id="LIB-011",
    title="TensorRT is imported",
    kinds=PYTHON_KINDS,
    anchors=(*_PACKAGES, _PLAIN),
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
    gaudi=Impact(
        Severity.CRASH,
        why="TensorRT exists for NVIDIA GPUs only.",
        fix="Run the model through torch on Gaudi; keep TensorRT for NVIDIA in modules that nothing else imports.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="import tensorrt as trt",
    source="https://rocm.docs.amd.com/projects/ai-ecosystem/en/latest/inference/migraphx.html",
    fix=NVIDIA_ONLY,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of tensorrt, tensorrt_llm, torch_tensorrt and torch2trt; of polygraphy, which is plain Python and asks
    for TensorRT when it runs it, it only informs."""
    # A function for TensorRT is one of several ways to run a model; on Gaudi it is not taken.
    deferred = Severity.INFO if context.target.name == "gaudi" else None
    yield from imports_of(document, *_PACKAGES, deferred=deferred, folders=True)
    yield from (replace(hit, severity=Severity.INFO) for hit in imports_of(document, _PLAIN, folders=True))
