"""Values that a target needs otherwise, a mode or a number: ``other if IS_ROCM else value``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from rewarp.fixes.place import Mend, Mender, Outcome, Place, Refused
from rewarp.fixes.splices import picked

Twin = Callable[[object], object | None]
"""From a literal to the one for ROCm; None where it stays."""


def literal(twin: Twin, why: str) -> Mender:
    """A mender for the one literal of a place that has a twin."""

    def mend(place: Place) -> Outcome | None:
        found = [(node, other) for node, other in twins(place, twin)]
        if len(found) != 1:
            return None
        node, other = found[0]
        return Mend(picked(place, node, written(other)), why)

    return mend


def twins(place: Place, twin: Twin) -> list[tuple[ast.Constant, object]]:
    outermost = place.nodes[:1]
    constants = [node for top in outermost for node in ast.walk(top) if isinstance(node, ast.Constant)]
    in_text = {
        part for top in outermost for text in ast.walk(top) if isinstance(text, ast.JoinedStr) for part in text.values
    }
    return [(node, other) for node in constants if node not in in_text and (other := twin(node.value)) is not None]


def written(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def at_most(limit: int) -> Twin:
    def twin(value: object) -> object | None:
        return limit if isinstance(value, int) and not isinstance(value, bool) and value > limit else None

    return twin


def instead(values: dict[object, object]) -> Twin:
    def twin(value: object) -> object | None:
        found = [other for known, other in values.items() if known == value and type(known) is type(value)]
        return found[0] if found else None

    return twin


def without_keyword(why: str) -> Mender:
    """The call without a keyword that ROCm's side does not know."""

    def mend(place: Place) -> Outcome | None:
        name = place.finding.symbol.rpartition(".")[2]
        node = next((node for node in place.nodes if isinstance(node, (ast.keyword, ast.expr))), None)
        keyword = node if isinstance(node, ast.keyword) else place.document.parent(node) if node else None
        call = place.document.parent(keyword) if isinstance(keyword, ast.keyword) else None
        if not isinstance(keyword, ast.keyword) or not isinstance(call, ast.Call) or name in ("", None):
            return None
        view = place.view
        start, end = view.span(call)
        data = view.source.data
        cut, stop = view.span(keyword)
        rest = data[stop:end].lstrip()
        if rest[:1] == b",":
            stop = data.index(b",", stop) + 1
            while data[stop : stop + 1] == b" ":
                stop += 1
        else:
            cut = data.rindex(b",", start, cut) if b"," in data[start:cut] else cut
        text = (data[start:cut] + data[stop:end]).decode(view.codec)
        if b"\n" in data[start:end]:
            return Refused("the call runs over several lines; write it without this option on ROCm")
        return Mend(picked(place, call, text), why)

    return mend
