"""LIB-022: functions and modules that torch once had."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.tables import rows
from rewarp.targets import Context

_INSTEAD = {row["name"]: row["instead"] for row in rows("torch_gone.csv")}
_WHY = (
    "A torch that has a build for this hardware is much newer than the last one that had this name: the import fails, or the call "
    "does. A new torch for CUDA refuses it as well."
)
_FIX = "Take the name that torch has had for years; it works on every device."


@rule(
    id="LIB-022",
    title="Something is used that torch no longer has",
    kinds=PYTHON_KINDS,
    anchors=sorted({f"torch {name.rpartition('.')[2]}" for name in _INSTEAD} | {"torch fft"}),
    phase=Phase.LIBRARIES,
    rocm=Impact(Severity.CRASH, why=_WHY, fix=_FIX, safety=Safety.DISPLAY_ONLY, effort=Effort.MINUTES),
    gaudi=Impact(Severity.CRASH, why=_WHY, fix=_FIX, safety=Safety.DISPLAY_ONLY, effort=Effort.MINUTES),
    example="values, vectors = torch.symeig(a, eigenvectors=True)",
    source="https://github.com/pytorch/pytorch/releases/tag/v2.0.0",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for names that torch dropped before 2.1, the oldest one for MI300X, and for `torch.fft(...)`, a module since 1.8. What
    stands in a `try`, or under a test of a version or of `hasattr`, informs."""
    told: set[int] = set()
    for item in document.imports:
        gone = _gone(item.full) or _gone(item.module)
        if gone and id(item.node) not in told:
            told.add(id(item.node))
            asked = item.optional or _is_asked(document, item.node)
            yield _hit(item.node, gone, Severity.INFO if asked else None)
    for path, node in document.refs(*_INSTEAD):
        # A name is told where it is imported.
        if isinstance(node, ast.Attribute):
            yield _hit(node, path, Severity.INFO if _is_asked(document, node) else None)
    for _, node in document.refs("torch.fft"):
        call = document.parent(node)
        if isinstance(node, ast.Attribute) and isinstance(call, ast.Call) and call.func is node:
            severity = Severity.INFO if _is_asked(document, node) else None
            yield Hit(node, "torch.fft is a module: torch.fft.fft is the function", "torch.fft", severity)


def _gone(path: str) -> str | None:
    return next((name for name in _INSTEAD if path == name or path.startswith(f"{name}.")), None)


def _hit(node: ast.AST, name: str, severity: Severity | None) -> Hit:
    return Hit(node, f"torch no longer has {name}; in its place: {_INSTEAD[name]}", name, severity)


def _is_asked(document: PythonFile, node: ast.AST) -> bool:
    """Whether the code finds out first what torch has."""
    child = node
    for ancestor in document.ancestors(node):
        if (
            isinstance(ancestor, (ast.If, ast.IfExp))
            and child is not ancestor.test
            and _is_about_versions(ancestor.test)
        ):
            return True
        if isinstance(ancestor, ast.Try) and ancestor.handlers:
            return True
        child = ancestor
    return False


def _is_about_versions(test: ast.expr) -> bool:
    for part in ast.walk(test):
        name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
        if (
            name == "hasattr"
            or "version" in name.lower()
            or name.lower().startswith(("torch_1", "is_torch", "pt_", "torch_ge", "torch_lt"))
        ):
            return True
    return False
