"""PY-RT-005: NVTX ranges through torch."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.targets import Context


@rule(
    id="PY-RT-005",
    title="torch.cuda.nvtx marks ranges",
    kinds=PYTHON_KINDS,
    anchors=["nvtx"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.WORKS,
        why="A ROCm build maps torch.cuda.nvtx to roctx: the ranges show in AMD's profilers.",
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A build without CUDA has a stub in place of torch.cuda.nvtx, and each of its functions raises.",
        fix="Mark ranges only where torch.cuda.is_available(), or use torch.profiler.record_function.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='torch.cuda.nvtx.range_push("forward")',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/hipify/cuda_to_hip_mappings.py",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls below torch.cuda.nvtx."""
    outcome = "becomes a roctx call" if context.target.name == "rocm" else "is a stub that raises"
    for path, call in document.calls("torch.cuda.nvtx.*"):
        if "()" not in path:
            yield Hit(call, f"{path} {outcome} on {context.target.title}", path)
