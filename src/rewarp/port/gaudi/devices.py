"""Device strings and moves to the device: "hpu" without a number, since each process has one Gaudi card."""

from __future__ import annotations

import ast

from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import around, picked

_STRING_WHY = 'On Gaudi the device is called "hpu".'
_MATCHED = 'the function matches it with "cuda" only: let that match accept "hpu" first'


def string(place: Place) -> Outcome | None:
    """``"cuda"``, ``"cuda:0"``, ``f"cuda:{i}"``."""
    node = next((n for n in place.nodes if isinstance(n, (ast.Constant, ast.JoinedStr))), None)
    if node is None:
        return None
    if _is_matched(place, node):
        return Refused(_MATCHED)
    quote = "'" if place.view.text(node).lstrip("fFrRuU").startswith("'") else '"'
    return Mend(picked(place, node, f"{quote}hpu{quote}"), _STRING_WHY)


def _is_matched(place: Place, node: ast.expr) -> bool:
    """Whether it is the default of a parameter that its function matches with ``case "cuda"``."""
    arguments = place.document.parent(node)
    function = place.document.parent(arguments) if isinstance(arguments, ast.arguments) else None
    if not isinstance(arguments, ast.arguments) or function is None:
        return False
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(reversed(positional), reversed(arguments.defaults)),
        *zip(arguments.kwonlyargs, arguments.kw_defaults),
    ]
    names = {argument.arg for argument, default in pairs if default is node}
    return any(
        isinstance(match.subject, ast.Name) and match.subject.id in names and _knows_cuda_only(match)
        for match in ast.walk(function)
        if isinstance(match, ast.Match)
    )


def _knows_cuda_only(match: ast.Match) -> bool:
    texts = {n.value for case in match.cases for n in ast.walk(case.pattern) if isinstance(n, ast.Constant)}
    return "cuda" in texts and "hpu" not in texts


def moved(place: Place) -> Outcome | None:
    """``x.cuda()``: with a number of the card, or not to wait for the copy."""
    call = place.node(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if any(isinstance(argument, ast.Starred) for argument in call.args) or None in keywords:
        return Refused("its arguments are not spelled out")
    waits = call.args[1] if len(call.args) > 1 else keywords.get("non_blocking")
    given = ['"hpu"']
    if waits is not None:
        given.append(f"non_blocking={place.view.text(waits)}")
    if "memory_format" in keywords:
        given.append(f"memory_format={place.view.text(keywords['memory_format'])}")
    text = f"{place.view.text(call.func.value)}.to({', '.join(given)})"
    why = "On Gaudi tensors and modules move with .to()."
    if "\n" in text or "\n" in place.view.text(call):
        return Mend(around(place, call, f"({text} if {place.gate.rocm} else ", ")"), why)
    return Mend(picked(place, call, text), why)


MENDERS: dict[str, Mender] = {"HPU-002": moved, "HPU-003": string}
