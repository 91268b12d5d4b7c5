"""HPU-010: a module that is built from CUDA sources is imported."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.build import CUDA_EXTENSIONS
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.targets import Context


@rule(
    id="HPU-010",
    title="A module that is built from CUDA sources is imported",
    kinds=Kind.PYTHON,
    anchors=["import"],  # the names of a project's own extensions are any
    phase=Phase.LIBRARIES,
    gaudi=Impact(
        Severity.CRASH,
        why="The module is built from CUDA sources, which nothing compiles for Gaudi: it is not there, and its import fails.",
        fix="Import it only where the device is CUDA, and express what it does in PyTorch on Gaudi.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="import selective_scan_cuda",
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_CustomOp_API/page_index.html",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of what the project's own scripts build from CUDA sources and of well-known extensions of that kind, without
    a way out where they are not there; the first in a file."""
    named = [name for name in _extensions(context) if _last(name).encode() in document.source.view]
    if not named or is_test(document):
        return
    seen: set[str] = set()
    for item in document.imports:
        name = next((name for name in named if _is_of(item.full, name)), None)
        if name is None or item.optional or name in seen:
            continue
        seen.add(name)
        when = "when this function runs" if item.deferred else "as soon as this module is"
        yield Hit(
            item.node, f"{name} is imported {when}: it is built from CUDA sources, and is not there on Gaudi", name
        )


def _extensions(context: Context) -> list[str]:
    return sorted(context.project.device_extensions | set(CUDA_EXTENSIONS))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_of(imported: str, extension: str) -> bool:
    """Whether an import is of an extension, or of something in it; a relative one is told by the last part of the name."""
    if imported.startswith("."):
        return _last(extension) in re.split(r"\.+", imported)
    return f"{imported}.".startswith(f"{extension}.")
