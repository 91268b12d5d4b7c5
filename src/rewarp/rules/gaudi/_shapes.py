"""Shapes that the Gaudi rules share."""

from __future__ import annotations

import ast
import re

from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile

KINDS = (Kind.PYTHON, Kind.NOTEBOOK)
DEVICE_STRING = re.compile(r"cuda(:(\d+|\{\}))?")
DEVICE_NAME = re.compile(r"(?i)(?!device_types$)\w*(device|map_location)\w*|dev")
AUTOCAST = frozenset(
    {"torch.autocast", "torch.amp.autocast", "torch.amp.GradScaler", "torch.amp.autocast_mode.autocast"}
    | {"torch.get_autocast_dtype", "torch.is_autocast_enabled", "torch.amp.custom_fwd", "torch.amp.custom_bwd"}
)
MIGRATION = "habana_frameworks.torch.gpu_migration"


def migrated(document: PythonFile) -> bool:
    """Whether the file switches on the toolkit that maps torch.cuda to Gaudi at run time."""
    return any(True for _ in document.imports_of(MIGRATION))


def in_annotation(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node is part of a type annotation: naming a class there calls nothing."""
    child = node
    for parent in document.ancestors(node):
        if isinstance(parent, ast.arg) or (isinstance(parent, ast.AnnAssign) and child is parent.annotation):
            return True
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return child is parent.returns
        if isinstance(parent, ast.stmt):
            return False
        child = parent
    return False


def names_hpu(document: PythonFile, node: ast.AST) -> bool:
    """Whether the code around a node (its function, or the module outside of any) also speaks of hpu."""
    scope = document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef) or document.statement(node)
    if scope is None:
        return False
    first, last = getattr(scope, "lineno", 1), getattr(scope, "end_lineno", 1)
    start, end = document.offset(first, 0), document.source.line_span(last).end
    return re.search(rb"(?i)hpu|habana|gaudi", document.source.view[start:end]) is not None


def behind_cuda_test(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node runs only where a test found a CUDA device: on Gaudi the test fails (HPU-004 tells)."""
    child = node
    for parent in document.ancestors(node):
        body = getattr(parent, "body", None)
        if isinstance(parent, (ast.If, ast.IfExp)) and (child is body or (isinstance(body, list) and child in body)):
            if _asks_for_cuda(parent.test):
                return True
        elif isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And):
            before = parent.values[: parent.values.index(child)] if child in parent.values else []
            if any(_asks_for_cuda(value) for value in before):
                return True
        child = parent
    return False


def _asks_for_cuda(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(_asks_for_cuda(value) for value in test.values)
    if isinstance(test, ast.Attribute):
        return test.attr == "is_cuda"
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "startswith":
        return bool(test.args) and isinstance(test.args[0], ast.Constant) and test.args[0].value == "cuda"
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.In)):
        return any(isinstance(side, ast.Constant) and side.value == "cuda" for side in (test.left, test.comparators[0]))
    return False
