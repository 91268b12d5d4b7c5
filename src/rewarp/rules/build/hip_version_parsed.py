"""BLD-013: the HIP version read as a plain version."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.fixes.script import Replacement, ScriptPlace
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.version.hip"
_PARSERS = {"Version", "parse", "parse_version", "StrictVersion", "float", "int"}


def _without_build(place: ScriptPlace) -> list[Replacement]:
    """What stands before the dash is a plain version."""
    for _, hip in place.document.refs("torch.version.hip"):
        span = place.document.span(hip)
        if place.where.start <= span.start and span.end <= place.where.end:
            return [(span.end, span.end, '.split("-")[0]')]
    return []


@rule(
    id="BLD-013",
    title="torch.version.hip is parsed whole",
    kinds=PYTHON_KINDS,
    anchors=["hip"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The value carries a commit, as in 7.2.53211-e1a6bc5663: packaging raises InvalidVersion and int() "
        "ValueError on it.",
        fix='Parse torch.version.hip.split("-")[0], or only the first two numbers.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="hip = packaging.version.parse(torch.version.hip)",
    source="https://github.com/state-spaces/mamba/pull/416",
    fix=ScriptFix(value=_without_build),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.version.hip given to a version parser as it is, or every dotted part of it read as a number."""
    for _, node in document.refs(_PATH):
        parent = document.parent(node)
        if isinstance(parent, ast.Call) and node in parent.args:
            name = document.raw(parent.func).rpartition(".")[2]
            if name in _PARSERS:
                yield Hit(parent, f"{name}() gets torch.version.hip with the commit still on it", _PATH)
    for _, call in document.calls(f"{_PATH}.split"):
        if document.string(document.argument(call, 0, "sep")) != "." or len(call.args) > 1:
            continue
        if _every_part_is_a_number(document, call):
            yield Hit(call, "every dotted part of torch.version.hip is read as a number; the last one is none", _PATH)


def _every_part_is_a_number(document: PythonFile, parts: ast.Call) -> bool:
    parent = document.parent(parts)
    if isinstance(parent, ast.Call) and document.raw(parent.func) == "map" and parent.args[1:2] == [parts]:
        return document.raw(parent.args[0]) in ("int", "float")
    if isinstance(parent, ast.comprehension) and parent.iter is parts:
        whole = document.parent(parent)
        element = getattr(whole, "elt", None)
        return isinstance(element, ast.Call) and document.raw(element.func) in ("int", "float") and not parent.ifs
    return False
