"""BLD-013: the HIP version read as a plain version."""

import ast
from collections.abc import Callable, Iterator

from packaging.version import Version

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import ScriptFix
from rewarp.fixes.script import Replacement, ScriptPlace
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_operators import TEXT_METHODS
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.version.hip"
_PARSERS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("Version", "parse", "parse_version", "StrictVersion"), Version),
    "float": float,
    "int": int,
}
_VERSIONS = ("7.2.53211-e1a6bc5663", "6.2.41133-dd7f95766", "5.7.31921-", "5.7.31921-d1770ee1b")
"""What torch.version.hip has been; a build without a commit ends in the dash."""


def _without_build(place: ScriptPlace) -> list[Replacement]:
    """What stands before the dash is a plain version."""
    for hip in _versions_in(place.document):
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
    """Looks for torch.version.hip, or a part of it, given to a parser that refuses the text it has on some ROCm: string
    methods are followed on versions that there have been."""
    for node in _versions_in(document):
        value, call = _through_methods(document, node)
        if call is None:
            continue
        name = document.raw(call.func).rpartition(".")[2]
        refused = next((text for text in _VERSIONS if _is_refused(name, _value(value, node, text))), None)
        if refused is not None:
            message = f"{name}() does not read what is left of {refused!r} here, a version that ROCm has had"
            yield Hit(call, message, _PATH, severity=Severity.INFO if refused.endswith("-") else None)
    for _, call in document.calls(f"{_PATH}.split"):
        if document.string(document.argument(call, 0, "sep")) != "." or len(call.args) > 1:
            continue
        if _every_part_is_a_number(document, call):
            yield Hit(call, "every dotted part of torch.version.hip is read as a number; the last one is none", _PATH)


def _versions_in(document: PythonFile) -> list[ast.expr]:
    """Where torch.version.hip is read, by itself or for a method of the text."""
    found: dict[ast.expr, None] = {}
    for _, node in document.refs(_PATH, f"{_PATH}.*"):
        inner = node
        while isinstance(inner, (ast.Attribute, ast.Call, ast.Subscript)) and document.path(inner) != _PATH:
            inner = inner.func if isinstance(inner, ast.Call) else inner.value
        found[inner] = None
    return list(found)


def _through_methods(document: PythonFile, node: ast.expr) -> tuple[ast.expr, ast.Call | None]:
    """What string methods and subscripts make of a value, and the parser that gets it."""
    while True:
        parent = document.parent(node)
        if isinstance(parent, ast.Attribute) and parent.attr in TEXT_METHODS:
            call = document.parent(parent)
            if not (isinstance(call, ast.Call) and call.func is parent):
                return node, None
            node = call
        elif isinstance(parent, ast.Subscript) and parent.value is node:
            node = parent
        elif isinstance(parent, ast.Call) and parent.args[:1] == [node]:
            return node, parent if document.raw(parent.func).rpartition(".")[2] in _PARSERS else None
        else:
            return node, None


def _value(node: ast.expr, version: ast.expr, text: str) -> object:
    """What an expression over ``version`` comes to where that is this text; None where it cannot be told. To project/execution
    the version is a text that is not known."""
    if node is version:
        return text
    if isinstance(node, ast.Subscript):
        whole = _value(node.value, version, text)
        place = _constant(node.slice)
        try:
            return whole[place] if isinstance(whole, (str, list, tuple)) and isinstance(place, (int, slice)) else None
        except IndexError:
            return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        whole = _value(node.func.value, version, text)
        given = [_constant(argument) for argument in node.args]
        if isinstance(whole, str) and node.func.attr in TEXT_METHODS and None not in given:
            try:
                result: object = getattr(whole, node.func.attr)(*given)
            except (TypeError, ValueError):
                return None
            return result
    return None


def _constant(node: ast.expr) -> object:
    if isinstance(node, ast.Slice):
        parts = [part and _constant(part) for part in (node.lower, node.upper, node.step)]
        return slice(*parts) if all(part is None or isinstance(part, int) for part in parts) else None
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if isinstance(value, (str, int)) else None


def _is_refused(parser: str, value: object) -> bool:
    """Whether a parser raises on a text."""
    if not isinstance(value, str):
        return False
    try:
        _PARSERS[parser](value)
    except ValueError:
        return True
    return False


def _every_part_is_a_number(document: PythonFile, parts: ast.Call) -> bool:
    parent = document.parent(parts)
    if isinstance(parent, ast.Call) and document.raw(parent.func) == "map" and parent.args[1:2] == [parts]:
        return document.raw(parent.args[0]) in ("int", "float")
    if isinstance(parent, ast.comprehension) and parent.iter is parts:
        whole = document.parent(parent)
        element = getattr(whole, "elt", None)
        return isinstance(element, ast.Call) and document.raw(element.func) in ("int", "float") and not parent.ifs
    return False
