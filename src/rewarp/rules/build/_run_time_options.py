"""Options of nvcc for extensions that are compiled when the program runs: ``load`` and ``load_inline``."""

from __future__ import annotations

import ast

from rewarp.edits import Edit
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import guarded, picked
from rewarp.source import Span
from rewarp.tables.nvcc import Flag, flags

_TAKES_VALUE = frozenset(
    "-gencode --generate-code -arch --gpu-architecture -code --gpu-code -Xptxas --ptxas-options -Xcudafe -Xfatbin "
    "-Xnvlink -ccbin --compiler-bindir -maxrregcount --maxrregcount -t --threads -diag-suppress --diag-suppress "
    "--default-stream -default-stream --split-compile".split()
)
_WHY = "nvcc's own options stay with nvcc."


def nvcc_option(place: Place) -> Outcome | None:
    text = next((node for node in place.nodes if isinstance(node, (ast.Constant, ast.JoinedStr))), None)
    if text is None:
        return None
    found = [flag for flag in flags(place.document.string(text) or "") if flag.option == place.finding.symbol]
    parent = place.document.parent(text)
    if not found:
        return None
    if _is_alone(place, text, found[0]) and _twin(found[0]):
        return Mend(picked(place, text, f'"{found[0].twin}"'), _WHY)
    if isinstance(parent, (ast.List, ast.Tuple)):
        return _left_out(place, text, parent, found[0])
    statement = place.document.statement(text)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        statement is not None
        and isinstance(call, ast.Call)
        and call.args == [text]
        and getattr(call.func, "attr", "") == "append"
    ):
        if found[0].option in _TAKES_VALUE and _is_alone(place, text, found[0]):
            return Refused("the option and its value are added one by one")
        edits = guarded(place, statement, [])
        return Mend(edits, _WHY) if edits else Refused("it shares its line with other code")
    return None


def _is_alone(place: Place, text: ast.expr, flag: Flag) -> bool:
    return place.document.string(text) == flag.text


def _twin(flag: Flag) -> bool:
    return flag.twin.startswith("-") and flag.option not in _TAKES_VALUE and "fast_math" not in flag.option


def _left_out(place: Place, text: ast.expr, items: ast.List | ast.Tuple, flag: Flag) -> Outcome:
    """``*([] if IS_ROCM else ["-option", "value"])`` in place of the items."""
    words = (place.document.string(text) or "").split()
    last = text
    if flag.option in _TAKES_VALUE and words == [flag.option]:
        at = items.elts.index(text) + 1
        if at >= len(items.elts) or isinstance(items.elts[at], ast.Starred):
            return Refused("the value of the option is not beside it")
        last = items.elts[at]
    elif sum(1 for word in words if word.startswith("-")) > 1:
        return Refused("one text holds several options")
    if items.elts[0] is text and items.elts[-1] is last and isinstance(items, ast.List):
        return Mend(picked(place, items, "[]"), _WHY)
    view = place.view
    start, end = view.span(text).start, view.span(last).end
    encode = view.encode
    opened = Edit(Span(start, start), encode(f"*([] if {place.gate.rocm} else ["))
    return Mend((opened, Edit(Span(end, end), encode("])"))), _WHY)
