"""FP8: the matrix cores of gfx94x compute in the fnuz formats, all other GPUs in OCP's.

A type is chosen where code runs, by the GPU it runs on. What produces, scales, stores and compares such numbers must agree,
so a file is changed as a whole or not at all.
"""

from __future__ import annotations

import ast

from rewarp.edits import Edit
from rewarp.fixes.place import Place, torch_name
from rewarp.fixes.splices import picked
from rewarp.lang.python_tree import FunctionNode

FNUZ = {"float8_e4m3fn": "float8_e4m3fnuz", "float8_e5m2": "float8_e5m2fnuz"}
_PATHS = tuple(f"torch.{name}" for name in FNUZ)
_CHOSEN = '{rocm} and {torch}.cuda.get_device_properties({torch}.cuda.current_device()).gcnArchName.startswith("gfx94")'


def chosen(place: Place, node: ast.expr, amd: str) -> tuple[Edit, ...]:
    return picked(place.asked(_CHOSEN.format(rocm=place.gate.rocm, torch=torch_name(place.view) or "torch")), node, amd)


def apart(place: Place) -> str | None:
    """Why not all of the file can change together."""
    for path, node in place.document.refs(*_PATHS):
        if not in_function(place, node):
            return f"{path} is fixed when the module is imported, before the GPU is known (line {node.lineno})"
        parent = place.document.parent(node)
        if isinstance(parent, (ast.Compare, ast.Dict, ast.Tuple, ast.List, ast.Set)):
            return f"tensors are also told apart by {path} (line {node.lineno}); both sides must change together"
    return None


def in_function(place: Place, node: ast.AST) -> bool:
    return isinstance(place.document.scope(node), FunctionNode)
