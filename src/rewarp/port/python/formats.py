"""FP8: the matrix cores of gfx94x compute in the fnuz formats, all other GPUs in OCP's.

A type is chosen where code runs, by the GPU it runs on. What produces, scales, stores and compares such numbers must agree,
so a file is changed as a whole or not at all.
"""

from __future__ import annotations

import ast

from rewarp.edits import Edit
from rewarp.lang.python_tree import FunctionNode
from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import picked

_TYPES = {"float8_e4m3fn": "float8_e4m3fnuz", "float8_e5m2": "float8_e5m2fnuz"}
_PATHS = tuple(f"torch.{name}" for name in _TYPES)
_CHOSEN = '{rocm} and torch.cuda.get_device_properties(torch.cuda.current_device()).gcnArchName.startswith("gfx94")'


def fp8_type(place: Place) -> Outcome | None:
    node = place.node(ast.Attribute)
    if node is None or node.attr not in _TYPES:
        return None
    why_not = _together(place)
    if why_not:
        return Refused(why_not)
    owner = place.view.text(node.value)
    return Mend(_chosen(place, node, f"{owner}.{_TYPES[node.attr]}"), "gfx94x computes in the fnuz formats of FP8.")


def fp8_maximum(place: Place) -> Outcome | None:
    numbers = [
        node
        for top in place.nodes[:1]
        for node in ast.walk(top)
        if isinstance(node, ast.Constant) and node.value == 448 and not isinstance(node.value, bool)
    ]
    why_not = _together(place) or next(
        ("it is set when the module is imported" for node in numbers if not _in_function(place, node)), None
    )
    if why_not:
        return Refused(why_not)
    edits = [e for node in numbers for e in _chosen(place, node, "240.0" if isinstance(node.value, float) else "240")]
    return Mend(tuple(edits), "The largest number of the fnuz format is 240.") if edits else None


def _chosen(place: Place, node: ast.expr, amd: str) -> tuple[Edit, ...]:
    return picked(place.asked(_CHOSEN.format(rocm=place.gate.rocm)), node, amd)


def _together(place: Place) -> str | None:
    """Why not all of the file can change together."""
    for path, node in place.document.refs(*_PATHS):
        if not _in_function(place, node):
            return f"{path} is fixed when the module is imported, before the GPU is known (line {node.lineno})"
        parent = place.document.parent(node)
        if isinstance(parent, (ast.Compare, ast.Dict, ast.Tuple, ast.List, ast.Set)):
            return f"tensors are also told apart by {path} (line {node.lineno}); both sides must change together"
    return None


def _in_function(place: Place, node: ast.AST) -> bool:
    return isinstance(place.document.scope(node), FunctionNode)


MENDERS: dict[str, Mender] = {"FP8-001": fp8_type, "FP8-003": fp8_maximum}
