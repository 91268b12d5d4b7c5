"""BLD-012: a package version or wheel name made from the CUDA version."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.build._shapes import is_build_file, stays_off
from rewarp.targets import Context

_TAG = re.compile(r"(^|[+_/-])cu(\{[^}]*\}|%[sd])")
_TAG_END = re.compile(r"(^|.*[+_/-])cu", re.S)


@rule(
    id="BLD-012",
    title="A version suffix or wheel name is made from the CUDA version",
    kinds=Kind.PYTHON,
    anchors=["cu"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="There is no CUDA version on AMD: the expression fails, or it names a wheel for NVIDIA.",
        fix="On AMD make the suffix from torch.version.hip (+rocm7.0) or leave it out.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='version = f"{base}+cu{cuda_version}"',
    source="https://github.com/casper-hansen/AutoAWQ/pull/315",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for text of the form +cu{version} put together in a build script."""
    if not is_build_file(document):
        return
    texts: list[ast.expr] = [*document.nodes(ast.JoinedStr), *document.nodes(ast.BinOp), *document.strings]
    for node in texts:
        if _ends_in_cuda_version(document, node) and not stays_off(document, node, context.target):
            message = "this text is made from the CUDA version, which AMD does not have"
            yield Hit(node, message, "+cu", Severity.INFO if _has_substitute(document, node) else None)


def _has_substitute(document: PythonFile, node: ast.expr) -> bool:
    """Whether something stands in for a missing version: ``torch.version.cuda or "none"``."""
    for part in ast.walk(node):
        values = [part] if isinstance(part, ast.BoolOp) else []
        if isinstance(part, ast.Name):
            values = [b.value for b in document.bindings(part) if b.value is not None]  # type: ignore[misc]
        for value in values:
            for inner in ast.walk(value):
                if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or):
                    if document.path(inner.values[0]) == "torch.version.cuda":
                        return True
    return False


def _ends_in_cuda_version(document: PythonFile, node: ast.expr) -> bool:
    parent = document.parent(node)
    if isinstance(node, ast.BinOp):  # "+cu" + version
        if not isinstance(node.op, ast.Add) or isinstance(node.right, ast.Constant):
            return False
        return bool(_TAG_END.fullmatch(document.string(node.left) or ""))
    if isinstance(node, ast.Constant):  # "+cu%s" % version, "+cu{}".format(version)
        template = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)
        if not template and not (isinstance(parent, ast.Attribute) and parent.attr == "format"):
            return False
    return bool(_TAG.search(document.string(node) or ""))
