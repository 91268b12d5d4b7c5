"""PY-CAP-004: ``torch.cuda.get_arch_list()`` parsed for sm numbers."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import Context

_PATH = "torch.cuda.get_arch_list"
_METHODS = ("split", "startswith", "replace", "removeprefix", "lstrip", "strip", "partition", "find", "index")


class _ArchList(Flow):
    """Labels: ``list``, and ``name`` for one of its entries."""

    def source(self, node: ast.expr) -> str | None:
        return "list" if isinstance(node, ast.Call) and self.document.path(node.func) == _PATH else None

    def item(self, label: str, index: int | None) -> str | None:
        return "name"

    def element(self, label: str) -> str | None:
        return "name" if label == "list" else None

    def method(self, label: str, name: str) -> str | None:
        return None

    def passed(self, function: str, label: str) -> str | None:
        return label if function in ("list", "set", "sorted", "tuple", "reversed") else "name"


@rule(
    id="PY-CAP-004",
    title="torch.cuda.get_arch_list() is parsed for sm_ names",
    kinds=PYTHON_KINDS,
    anchors=["get_arch_list"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="On ROCm the list holds gfx names: a split at the underscore has no second part, and a filter for sm_ leaves "
        "nothing to take the maximum of.",
        fix="Skip it when torch.version.cuda is None.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='newest = max(int(a.split("_")[1]) for a in torch.cuda.get_arch_list())',
    source="https://github.com/turboderp-org/exllamav2/commit/7662b61",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for entries of torch.cuda.get_arch_list() that are split, sliced or tested for sm_."""
    flow = _ArchList(document)
    seen: set[ast.stmt | None] = set()
    for node, message, severity in _uses(document, flow):
        statement = document.statement(node)
        if statement not in seen:
            seen.add(statement)
            yield Hit(node, message, _PATH, severity=severity)


def _uses(document: PythonFile, flow: Flow) -> Iterator[tuple[ast.expr, str, Severity | None]]:
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and flow.label(call.func.value) == "name" and call.args:
            text = document.string(call.args[0])
            if call.func.attr in _METHODS and text in ("_", "sm_", "sm", "compute_"):
                yield call, f"An entry of {_PATH}() is taken for an sm_ name", None
        elif (
            len(call.args) >= 2 and flow.label(call.args[1]) == "name" and "sm" in (document.string(call.args[0]) or "")
        ):
            yield call, f"An entry of {_PATH}() is matched as an sm_ name", None
    for part in document.nodes(ast.Subscript):
        if isinstance(part.slice, ast.Slice) and isinstance(part.value, ast.Name) and flow.label(part.value) == "name":
            yield part, f"The number is cut out of an entry of {_PATH}()", None
    for compare in document.nodes(ast.Compare):
        if isinstance(compare.ops[0], (ast.In, ast.NotIn)) and "sm" in (document.string(compare.left) or "")[:3]:
            label = flow.label(compare.comparators[0])
            if label == "name":
                yield compare, f"The entries of {_PATH}() are filtered for sm_, which leaves none on ROCm", None
            elif label == "list":
                yield compare, f"An sm_ name is never in {_PATH}() on ROCm", Severity.WRONG
