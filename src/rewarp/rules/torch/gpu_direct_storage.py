"""PY-MEM-007: GPUDirect Storage."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context


@rule(
    id="PY-MEM-007",
    title="GPUDirect Storage (cuFile) is used",
    kinds=PYTHON_KINDS,
    anchors=["gds", "cufile", "kvikio"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="cuFile belongs to NVIDIA's driver: on a ROCm build torch.cuda.gds raises that it is not supported on this "
        "platform. AMD's counterpart is hipFile.",
        fix="Use it only when torch.version.hip is None, and read through host memory (or hipFile) otherwise.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="torch.cuda.gds.GdsFile(path, os.O_RDONLY)",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/gds.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls below torch.cuda.gds and for imports of cufile and kvikio."""
    for path, call in document.calls("torch.cuda.gds.*"):
        if "()" not in path:
            yield Hit(call, f"{path} needs cuFile", path)
    yield from imports_of(document, "cufile", "kvikio", folders=True)
