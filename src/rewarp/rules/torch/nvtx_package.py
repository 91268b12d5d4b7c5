"""PY-RT-006: the nvtx package from PyPI."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.libraries._shapes import imports_of
from rewarp.targets import Context

_FIX = (
    "Import nvtx only where torch.version.cuda is set and put a decorator that does nothing in its place otherwise, "
    "or use torch.profiler.record_function."
)


@rule(
    id="PY-RT-006",
    title="The nvtx package is imported",
    kinds=PYTHON_KINDS,
    anchors=["nvtx"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.PERF,
        why="The nvtx package from PyPI speaks to NVIDIA's tools alone: its marks cost time and no AMD profiler shows "
        "them. There may be no wheel for the machine.",
        fix=_FIX,
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.PERF,
        why="The nvtx package from PyPI speaks to NVIDIA's tools alone.",
        fix=_FIX,
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="import nvtx",
    source="https://pypi.org/project/nvtx/",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of the package nvtx (torch.cuda.nvtx is another one)."""
    yield from imports_of(document, "nvtx")
