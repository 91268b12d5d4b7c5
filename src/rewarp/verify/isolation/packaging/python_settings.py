"""Build scripts in Python: where one gives a macro to the compiler, unless only a ROCm build gets there."""

from __future__ import annotations

import ast
import re

from rewarp.errors import UnreadableSource
from rewarp.lang import python
from rewarp.project.gates import NVIDIA, UNKNOWN, Evaluator, strict
from rewarp.source import SourceFile
from rewarp.verify.isolation.python.gates.facts import EXTENSION_VALUES, TORCH_VALUES

_WORDS = frozenset(word for path in (*TORCH_VALUES, *EXTENSION_VALUES) for word in path.split("."))
_ON_NVIDIA = strict(NVIDIA, (*TORCH_VALUES, *EXTENSION_VALUES))
"""Whether NVIDIA's build can come to a line is a question for project/gates, on the facts that the certificate names as its
assumptions and nothing else. (What a condition does when it is evaluated, which changed code is proved by, is another question:
that one `isolation/python/gates` answers, and it must not believe that a call or an import does nothing.)"""


def lines_set(name: str, path: str, data: bytes) -> list[int]:
    """Lines at which a string that gives a macro stands, where an NVIDIA build may reach them."""
    word = re.escape(name)
    given = re.compile(
        rf"(?:^|[\s;,])[-/]D\s*{word}(?!\w)|^{word}(?:=.*)?$|#\s*define\s+{word}\b|^[A-Z0-9_\s;,=-]*(?<![\w-]){word}(?![\w-])[A-Z0-9_\s;,=-]*$"
    )
    try:
        document = python.parse(SourceFile(path, data))
    except UnreadableSource:
        return [1]
    found: list[int] = []
    changed = any(_sets_version(node) for node in document.nodes(ast.Attribute))
    _visit(document.tree, given, None if changed else Evaluator(document, _ON_NVIDIA), found)
    return found


def _sets_version(node: ast.Attribute) -> bool:
    """`torch.version.hip = …`: from here on it says nothing of the platform."""
    return not isinstance(node.ctx, ast.Load) and node.attr in _WORDS


def _visit(node: ast.AST, given: re.Pattern[str], gates: Evaluator | None, found: list[int]) -> None:
    if isinstance(node, (ast.If, ast.IfExp)):
        there = gates.value(node.test) if gates else UNKNOWN
        held = there.truth if there.of_platform else None
        _visit(node.test, given, gates, found)
        parts: list[list[ast.AST]] = [
            list(part) if isinstance(part, list) else [part] for part in (node.body, node.orelse)
        ]
        for part, dead in zip(parts, (held is False, held is True)):
            for inner in part if not dead else []:
                _visit(inner, given, gates, found)
        return
    if _asks_environment(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and given.search(node.value):
        found.append(node.lineno)
    if isinstance(node, ast.keyword) and node.arg and given.search(node.arg):
        found.append(node.value.lineno)
    for child in ast.iter_child_nodes(node):
        _visit(child, given, gates, found)


def _asks_environment(node: ast.AST) -> bool:
    """`os.getenv("USE_ROCM")` reads a variable; it does not give a macro."""
    if not isinstance(node, (ast.Call, ast.Subscript)):
        return False
    asked = ast.unparse(node.func if isinstance(node, ast.Call) else node.value)
    return asked in ("os.getenv", "os.environ.get", "os.environ", "getenv", "environ.get", "environ")
