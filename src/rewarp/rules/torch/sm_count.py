"""PY-CAP-006: the number of multiprocessors compared, or used as a grid."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.torch import ROCM_WORD
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import Context

_ATTRIBUTE = "multi_processor_count"


class _SmCount(Flow):
    """Labels: ``count``, and ``derived`` for what is computed from it."""

    def source(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Attribute) and node.attr == _ATTRIBUTE:
            return "count"
        if isinstance(node, ast.Call) and self.document.raw(node.func) == "getattr" and len(node.args) >= 2:
            return "count" if self.document.string(node.args[1]) == _ATTRIBUTE else None
        return None

    def arithmetic(self, node: ast.BinOp, labels: list[str | None]) -> str | None:
        return "derived"

    def passed(self, function: str, label: str) -> str | None:
        return label if function == "int" else "derived"


@rule(
    id="PY-CAP-006",
    title="multi_processor_count is taken for a number of SMs",
    kinds=PYTHON_KINDS,
    anchors=[_ATTRIBUTE],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.PERF,
        why="On AMD it counts compute units, 304 on MI300X, which are smaller than SMs: thresholds for a big GPU and the size "
        "of persistent grids mean something else.",
        fix="Give AMD its own threshold, or tune the number of programs per compute unit.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="The device properties of Gaudi have no multi_processor_count.",
        fix="Keep this to NVIDIA and AMD.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="is_big_gpu = torch.cuda.get_device_properties(0).multi_processor_count >= 68",
    source="https://github.com/pytorch/pytorch/blob/main/torch/_inductor/utils.py",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for multi_processor_count compared with a number of SMs or launched as the grid of a kernel; on Gaudi,
    for every read of it from the properties of a CUDA device."""
    if context.target.name == "gaudi":
        for node in document.nodes(ast.Attribute):
            if node.attr == _ATTRIBUTE and (document.path(node) or "").startswith("torch.cuda."):
                yield Hit(node, f"{_ATTRIBUTE} is read; Gaudi has no such property", _ATTRIBUTE)
        return
    flow = _SmCount(document)
    for compare in document.nodes(ast.Compare):
        sides = [compare.left, *compare.comparators]
        numbers = [n for side in sides if (n := document.number(side)) is not None and n >= 16]
        if numbers and any(flow.label(side) == "count" for side in sides):
            yield Hit(compare, f"The number of compute units is compared with {numbers[0]:g} SMs", _ATTRIBUTE)
    if ROCM_WORD.search(document.source.path):
        return
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Subscript) and _grid(document, flow, call.func.slice):
            message = "The grid has one program (or a few) for each SM; on AMD that is for each compute unit"
            yield Hit(call.func, message, _ATTRIBUTE, severity=Severity.INFO)


def _grid(document: PythonFile, flow: Flow, node: ast.expr) -> bool:
    value = document.value_of(node)
    node = value if isinstance(value, (ast.Tuple, ast.Lambda)) else node
    if isinstance(node, ast.Lambda):
        node = node.body
    return flow.label(node) is not None
