"""BLD-001: ``CUDA_HOME`` of torch's extension module."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import Items, ScriptFix
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = f"{EXTENSION}.CUDA_HOME"
_WHY = "torch sets CUDA_HOME only in a CUDA build; elsewhere it is None, so a path made from it raises TypeError"
_USERS = {"join", "Path", "PurePath", "listdir", "isdir", "exists", "glob"}


@rule(
    id="BLD-001",
    title="The build leans on torch's CUDA_HOME",
    kinds=Kind.PYTHON,
    anchors=["CUDA_HOME"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why=f"{_WHY}, and a check for it stops the build.",
        fix="Take ROCM_HOME from the same module when torch.version.hip is set.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why=f"{_WHY}, and a check for it stops the build.",
        fix="Leave the CUDA part of the build out when CUDA_HOME is None.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='include_dirs = [os.path.join(CUDA_HOME, "include")]',
    source="https://github.com/deepspeedai/DeepSpeed/pull/6488",
    fix=ScriptFix(Items.PATHS),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for paths made from torch.utils.cpp_extension.CUDA_HOME, for checks that stop when it is None,
    and for names that get a value only where it is set."""
    for _, node in document.refs(_PATH):
        yield from _uses(document, node, context.target.title)
        yield from _unbound(document, node)


def _uses(document: PythonFile, node: ast.expr, where: str) -> Iterator[Hit]:
    parent = document.parent(node)
    if isinstance(parent, ast.BinOp):
        yield Hit(parent, f"CUDA_HOME is None on {where} and cannot be joined to a path", _PATH)
    elif isinstance(parent, ast.Call) and node in parent.args:
        if document.raw(parent.func).rpartition(".")[2] in _USERS:
            yield Hit(parent, f"CUDA_HOME is None on {where} and is used as a path", _PATH)
        elif _becomes_a_path(document, parent, parent.args.index(node)):
            yield Hit(
                parent, f"CUDA_HOME is None on {where}, and {document.raw(parent.func)}() makes a path of it", _PATH
            )
    elif isinstance(parent, ast.FormattedValue):
        text = document.parent(parent)
        after = text.values[text.values.index(parent) + 1 :] if isinstance(text, ast.JoinedStr) else []
        if after and (document.string(after[0]) or "").startswith("/"):
            yield Hit(text, f'CUDA_HOME is None on {where}, so this path starts with "None"', _PATH)
    elif _must_be_set(document, node):
        yield Hit(node, f"the build stops here because CUDA_HOME is None on {where}", _PATH)


def _unbound(document: PythonFile, node: ast.expr) -> Iterator[Hit]:
    """Where a name is used that only ``if CUDA_HOME is not None:`` gives a value."""
    switch = document.statement(node)
    if not (isinstance(switch, ast.If) and not switch.orelse and _is_set(document, switch.test, node)):
        return
    inside = {inner for statement in switch.body for inner in ast.walk(statement)}
    bound = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    scope = document.scope(switch)
    for name in document.nodes(ast.Name):
        if name.id in bound and isinstance(name.ctx, ast.Load) and name not in inside and document.scope(name) is scope:
            if all(binding.value in inside for binding in document.bindings(name)):
                yield Hit(name, f"{name.id} has no value on ROCm: it gets one only where CUDA_HOME is set", _PATH)
                bound.discard(name.id)


def _is_set(document: PythonFile, test: ast.expr, node: ast.expr) -> bool:
    """Whether a test asks, alone or with others that must hold too, that CUDA_HOME be set."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(_is_set(document, value, node) for value in test.values)
    if isinstance(test, ast.Compare):
        return test.left is node and isinstance(test.ops[0], (ast.IsNot, ast.NotEq))
    return test is node


def _becomes_a_path(document: PythonFile, call: ast.Call, position: int) -> bool:
    """Whether a function of this file joins its argument to a path and never asks whether it is None."""
    if not isinstance(call.func, ast.Name):
        return False
    name = call.func.id
    functions = [function for function in document.nodes(ast.FunctionDef) if function.name == name]
    if len(functions) != 1 or position >= len(functions[0].args.args):
        return False
    parameter = functions[0].args.args[position].arg
    uses = [n for n in ast.walk(functions[0]) if isinstance(n, ast.Name) and n.id == parameter]
    parents = [document.parent(use) for use in uses]
    if any(isinstance(parent, (ast.Compare, ast.BoolOp, ast.If, ast.IfExp, ast.UnaryOp)) for parent in parents):
        return False
    return any(
        isinstance(parent, ast.BinOp)
        or (isinstance(parent, ast.Call) and document.raw(parent.func).rpartition(".")[2] in _USERS)
        for parent in parents
    )


def _must_be_set(document: PythonFile, node: ast.expr) -> bool:
    """Whether the node is the test of an assertion, or of an ``is None`` check that raises."""
    test: ast.AST = node
    parent = document.parent(node)
    while isinstance(parent, (ast.Compare, ast.UnaryOp, ast.BoolOp)):
        test, parent = parent, document.parent(parent)
    if isinstance(parent, ast.Assert):
        return parent.test is test
    if not (isinstance(parent, ast.If) and parent.test is test and isinstance(parent.body[-1], ast.Raise)):
        return False
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.Eq))
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
