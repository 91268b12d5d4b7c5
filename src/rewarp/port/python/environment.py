"""Variables of the environment: which devices are seen, and what other programs are told."""

from __future__ import annotations

import ast

from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import followed_by, or_on_rocm, picked

_SEEN = "HIP_VISIBLE_DEVICES"
_READ = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_WHY = "ROCm goes by {name}."


def devices_read(place: Place) -> Outcome | None:
    """``os.environ.get("CUDA_VISIBLE_DEVICES", d)``: HIP's variable first, then ROCR's, then CUDA's as before."""
    node = place.node(ast.expr)
    why = "On ROCm HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES come before CUDA_VISIBLE_DEVICES."
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
        container = place.view.text(node.comparators[0])
        return Mend(or_on_rocm(place, node, f'"{_SEEN}" in {container}'), why)
    getter = _getter(place, node)
    if node is None or getter is None:
        return None
    around = place.document.parent(node)
    if isinstance(around, ast.IfExp) and node is around.body and _asks_whether_set(place, around.test):
        node = around
    text = place.view.text(node)
    for name in reversed(_READ):
        text = f'{getter}("{name}", {text})'
    return Mend(picked(place, node, text), why)


def _asks_whether_set(place: Place, test: ast.expr) -> bool:
    return any(
        place.document.string(node) == place.finding.symbol for node in ast.walk(test) if isinstance(node, ast.Constant)
    )


def _getter(place: Place, node: ast.expr | None) -> str | None:
    """How a variable of the same environment is asked for with a default."""
    if isinstance(node, ast.Subscript):
        return f"{place.view.text(node.value)}.get"
    if isinstance(node, ast.Call) and (place.document.path(node.func) or "").endswith((".getenv", ".get")):
        return place.view.text(node.func)
    return None


def also_set(*names: str) -> Mender:
    """The same value under ROCm's names, in a statement of its own."""

    def mend(place: Place) -> Outcome | None:
        statement = next((s for node in place.nodes if (s := place.document.statement(node)) is not None), None)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return Refused("the variable is set among others; set ROCm's beside it")
        target = statement.targets[0]
        if not isinstance(target, ast.Subscript):
            return None
        if not _repeatable(statement.value):
            return Refused("the value is worked out by a call; set ROCm's variable to the same one")
        environment, given = place.view.text(target.value), place.view.text(statement.value)
        edits = followed_by(place, statement, [f'{environment}["{name}"] = {given}' for name in names])
        return Mend(edits, _WHY.format(name=" and ".join(names))) if edits else Refused("it shares its line")

    return mend


def _repeatable(value: ast.expr) -> bool:
    """Whether an expression can be evaluated once more and gives the same."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            text = isinstance(node.func, ast.Name) and node.func.id in ("str", "int", "repr", "len", "map")
            if not text and not (isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "format")):
                return False
        elif isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
            return False
    return True


MENDERS: dict[str, Mender] = {
    "ENV-001": devices_read,
    "ENV-003": also_set(_SEEN),
    "ENV-012": also_set("RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES", "RAY_EXPERIMENTAL_NOSET_ROCR_VISIBLE_DEVICES"),
}
