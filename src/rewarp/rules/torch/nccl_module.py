"""PY-RT-012: torch.cuda.comm and torch.cuda.nccl."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.targets import Context


@rule(
    id="PY-RT-012",
    title="torch.cuda.comm or torch.cuda.nccl is used",
    kinds=PYTHON_KINDS,
    anchors=["nccl", "comm"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="RCCL stands behind both modules on ROCm; nccl.version() gives RCCL's version as the same tuple.",
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi communicates through HCCL, which is reached by torch.distributed alone.",
        fix='Use torch.distributed with the back end "hccl".',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="torch.cuda.nccl.version()",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/nccl.py",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls below torch.cuda.comm and torch.cuda.nccl."""
    behind = "is RCCL" if context.target.name == "rocm" else "has nothing behind it"
    for path, call in document.calls("torch.cuda.comm.*", "torch.cuda.nccl.*"):
        if "()" not in path:
            yield Hit(call, f"{path} {behind} on {context.target.title}", path)
