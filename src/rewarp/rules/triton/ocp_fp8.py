"""TRI-011: the FP8 format that is emulated on MI300."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import in_kernel, milder, triton_name
from rewarp.targets import Context


@rule(
    id="TRI-011",
    title="A Triton kernel uses float8e4nv",
    kinds=PYTHON_KINDS,
    anchors=["float8e4nv"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.PERF,
        why="float8e4nv is native on gfx950 and RDNA4; on gfx942, whose own format is float8e4b8, and on older GPUs Triton "
        "emulates it in software.",
        fix="Take the type as a constexpr argument and choose it by architecture, with tensors quantised to match: the two "
        "formats differ by a factor of 2.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="q = (x / scale).to(tl.float8e4nv)",
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tl.float8e4nv in functions that do not also know tl.float8e4b8. Only where a kernel turns
    values into it is it worked out in software; a name in a table, a comparison or a constant costs nothing."""
    if not context.versions.may_be("gfx90", "gfx94", "gfx10", "gfx11"):
        return
    aware: set[ast.FunctionDef | None] = set()
    found: list[tuple[ast.AST, ast.FunctionDef | None]] = []
    for node in document.nodes(ast.Attribute, ast.Name):
        resolved = triton_name(document, node)
        if resolved in ("tl.float8e4nv", "tl.float8e4b8"):
            function = document.enclosing(node, ast.FunctionDef)
            if resolved == "tl.float8e4b8":
                aware.add(function)
            else:
                found.append((node, function))
    for node, function in found:
        if function not in aware:
            message = "float8e4nv is emulated on gfx942 and older"
            costs = _is_cast(document, node) and in_kernel(document, node)
            yield Hit(node, message, "tl.float8e4nv", severity=milder(document) if costs else Severity.INFO)


def _is_cast(document: PythonFile, node: ast.AST) -> bool:
    """``x.to(tl.float8e4nv)``, ``tl.cast(x, tl.float8e4nv)``."""
    call = document.parent(node)
    if isinstance(call, ast.keyword):
        call = document.parent(call)
    if not isinstance(call, ast.Call) or call.func is node:
        return False
    return triton_name(document, call.func) == "tl.cast" or getattr(call.func, "attr", "") == "to"
