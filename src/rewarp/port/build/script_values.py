"""Values of a build script that are another on ROCm: versions, and torch's own lists of options."""

from __future__ import annotations

import ast
import re

from rewarp.findings import Finding
from rewarp.lang.python import PythonFile
from rewarp.port.build.script_gate import ScriptGate
from rewarp.port.build.text import indent_at, newline_of
from rewarp.source import Span

Replacement = tuple[int, int, str]
_HIP_VERSION = 'torch.version.hip.split("-")[0]'
_TAG = re.compile(r"\+?cu$")
_FORMATTED = re.compile(r"(f['\"])(.*\+)cu\{[^{}]*\}(['\"])")


def for_rocm(document: PythonFile, finding: Finding, node: ast.AST, gate: ScriptGate) -> list[Replacement]:
    """The edits that answer a finding; none where the shape is not known."""
    if finding.rule == "BLD-010":
        return _half_operators(document, node, gate)
    if finding.rule == "BLD-012" and isinstance(node, ast.expr):
        return _version_text(document, node, gate)
    where = document.source.viewed(Span(finding.start, finding.end))
    for _, hip in document.refs("torch.version.hip"):
        span = document.span(hip)
        if finding.rule == "BLD-013" and where.start <= span.start and span.end <= where.end:
            return [(span.end, span.end, '.split("-")[0]')]
    return []


def _half_operators(document: PythonFile, node: ast.AST, gate: ScriptGate) -> list[Replacement]:
    """The same for the list that a ROCm build reads."""
    statement = document.statement(node)
    attributes = [
        part for part in ast.walk(node) if isinstance(part, ast.Attribute) and part.attr == "COMMON_NVCC_FLAGS"
    ]
    if not isinstance(statement, ast.Expr) or not attributes:
        return []
    name = document.raw(attributes[0]).replace("COMMON_NVCC_FLAGS", "COMMON_HIPCC_FLAGS")
    start, end = document.span(statement)
    indent, newline = indent_at(document.source, start), newline_of(document.source)
    body = f'{name}[:] = [flag for flag in {name} if not flag.startswith("-D__HIP_NO_HALF_")]'
    return [(end, end, f"{newline}{indent}if {gate.rocm}:{newline}{indent}    {body}")]


def _version_text(document: PythonFile, node: ast.expr, gate: ScriptGate) -> list[Replacement]:
    """``"+cu" + version`` becomes ``"+rocm" + ...`` on ROCm."""
    imports = [part for part in document.tree.body if isinstance(part, ast.Import)]
    if "torch" not in {alias.asname or alias.name for part in imports for alias in part.names}:
        return []
    start, end = document.span(node)
    text = document.source.view[start:end].decode("utf-8", "replace")
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        label = _TAG.sub("+rocm" if node.left.value.endswith("+cu") else "rocm", node.left.value)
        new = f'"{label}" + {_HIP_VERSION}'
    elif isinstance(node, ast.JoinedStr) and (found := _FORMATTED.fullmatch(text)):
        new = f"{found[1]}{found[2]}rocm{found[3]} + {_HIP_VERSION}"
    else:
        return []
    if isinstance(document.parent(node), (ast.keyword, ast.Assign, ast.Return)):
        return [(start, start, f"{new} if {gate.rocm} else ")]
    return [(start, start, f"({new} if {gate.rocm} else "), (end, end, ")")]
