"""PY-RT-006: the nvtx package from PyPI."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import bound_names
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import Import, gated
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_FIX = (
    "Import nvtx only where torch.version.cuda is set and put a decorator that does nothing in its place otherwise, "
    "or use torch.profiler.record_function."
)


_NVTX_CALLS = frozenset({"push_range", "pop_range", "start_range", "end_range", "mark"})


def _no_annotations(place: Place, statement: Import) -> list[str] | Refused:
    """Ranges for NVIDIA's tools, which nobody records on ROCm."""
    unit = place.view.unit
    imported = isinstance(statement, ast.ImportFrom) and [alias.name for alias in statement.names] == ["annotate"]
    attributes = {
        node.attr
        for node in place.document.nodes(ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id in bound_names(statement)
    }
    if imported:
        name = bound_names(statement)[0]
        return [
            "import contextlib",
            "",
            f"class {name}(contextlib.ContextDecorator):",
            f'{unit}"""Stands for the range of NVIDIA\'s tools: it does nothing."""',
            "",
            f"{unit}def __init__(self, *args, **kwargs):",
            f"{unit}{unit}pass",
            "",
            f"{unit}def __enter__(self):",
            f"{unit}{unit}return self",
            "",
            f"{unit}def __exit__(self, *error):",
            f"{unit}{unit}return False",
        ]
    if isinstance(statement, ast.Import) and attributes and attributes <= _NVTX_CALLS:
        name = bound_names(statement)[0]
        listed = ", ".join(f"{call}=lambda *args, **kwargs: None" for call in sorted(attributes))
        return ["import types", "", f"{name} = types.SimpleNamespace({listed})"]
    return Refused("what the package offers beyond plain ranges has no stand-in")


_WHY = "NVTX ranges are for NVIDIA's tools; on {} they do nothing."


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
    fix=PythonFix(gated(_no_annotations, _WHY.format("ROCm"))),
    gaudi_fix=PythonFix(gated(_no_annotations, _WHY.format("Gaudi"))),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of the package nvtx (torch.cuda.nvtx is another one)."""
    yield from imports_of(document, "nvtx")
