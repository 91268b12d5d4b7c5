"""LIB-006: NVIDIA apex."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI
from rewarp.rules.shapes.libraries import imports_of, noted
from rewarp.targets import Context

_PACKAGES = ("apex", "amp_C", "apex_C")


@rule(
    id="LIB-006",
    title="NVIDIA apex is imported",
    kinds=PYTHON_KINDS,
    anchors=_PACKAGES,
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="NVIDIA's apex does not build for AMD. ROCm keeps a fork (ROCm/apex), and most of what apex did "
        "is in torch today.",
        fix="Use torch.amp, torch.optim and torch.nn, or import apex only where it is installed and build "
        "ROCm/apex for AMD.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="apex is not built for Gaudi; the GPU migration toolkit maps a part of it.",
        fix="Use torch.amp and torch.optim, or import apex only on NVIDIA.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="from apex import amp",
    source="https://github.com/ROCm/apex",
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of apex and of its compiled modules amp_C and apex_C."""
    yield from noted(imports_of(document, *_PACKAGES), context, "ROCm/apex builds it for AMD")
