"""PY-CAP-005: ``torch.cuda.get_gencode_flags()``."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.cuda.get_gencode_flags"


def _none(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    return None if call is None else Mend(picked(place, call, '""'), "get_gencode_flags() raises on ROCm.")


@rule(
    id="PY-CAP-005",
    title="torch.cuda.get_gencode_flags() is called",
    kinds=PYTHON_KINDS,
    anchors=["get_gencode_flags"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.CRASH,
        why="It splits every architecture into two parts at the underscore; gfx942 has one, so it raises ValueError.",
        fix='Use "" on ROCm: `"" if torch.version.hip else torch.cuda.get_gencode_flags()`.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="flags = torch.cuda.get_gencode_flags().split()",
    versions="torch up to 2.13 at least",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py",
    fix=PythonFix(_none),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of torch.cuda.get_gencode_flags()."""
    for _, call in document.calls(_PATH):
        yield Hit(call, f"{_PATH}() raises ValueError on ROCm", _PATH)
