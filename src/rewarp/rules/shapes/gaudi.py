"""Shapes that the Gaudi rules share, and the rules of other families where they speak of Gaudi."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit
from rewarp.targets import Context

DEVICE_STRING = re.compile(r"cuda(:(\d+|\{\}))?")
DEVICE_NAME = re.compile(r"(?i)(?!device_types$)\w*(device|map_location)\w*|dev")
OTHER_DEVICE = re.compile(
    r"(?i)(auto|cpu|gpu|cuda|rocm|hip|xpu|mps|npu|tpu|mlu|musa|xla|meta|vulkan|metal|None)(:\d+)?"
)
AUTOCAST = frozenset(
    {"torch.autocast", "torch.amp.autocast", "torch.amp.GradScaler", "torch.amp.autocast_mode.autocast"}
    | {"torch.get_autocast_dtype", "torch.is_autocast_enabled", "torch.amp.custom_fwd", "torch.amp.custom_bwd"}
)
HANDLES = {
    "cuda_stream": "the raw stream handle",
    "cuda_event": "the raw event handle",
    "cudaHostRegister": "cudaHostRegister",
    "cudaHostUnregister": "cudaHostUnregister",
    "cudaIpcGetMemHandle": "an IPC memory handle",
    "cudaIpcOpenMemHandle": "an IPC memory handle",
    "_share_cuda_": "an IPC memory handle",
    "_new_shared_cuda": "an IPC memory handle",
    "ipc_handle": "an IPC event handle",
}
"""Attributes that hold what only CUDA's own interface can use."""
MIGRATION = "habana_frameworks.torch.gpu_migration"
_Match = Callable[[PythonFile, Context], Iterable[Hit]]
# The back end of another device in a program that has several: what it says is no obstacle on Gaudi.
_OTHER_FOLDERS = frozenset({"cuda", "nvidia", "rocm", "amd", "hip", "xpu", "npu", "mps"})
_OTHER_FILE = re.compile(
    r"(?i)_*(cuda|nvidia|rocm|amd|hip|xpu|npu|mps)(_*(accelerator|platform|backend|device|ops|communicator|worker))*\.py|(\w*_)?rocm(_\w*)?\.py"
)
_OTHER_CLASS = re.compile(
    r"(?i)_*(nvml|non_?nvml|cuda|nvidia|rocm|amd|hip|xpu|npu|mps)\w*(platform|accelerator|backend|device|spec)(base|impl)?"
)


def migrated(document: PythonFile) -> bool:
    """Whether the file switches on the toolkit that maps torch.cuda to Gaudi at run time."""
    return MIGRATION.encode() in document.source.view and any(True for _ in document.imports_of(MIGRATION))


def judged_for_gaudi(match: _Match) -> _Match:
    """Wraps the match function of a rule about CUDA in Python: on Gaudi, places that a test for CUDA or the
    migration toolkit keeps from running are no findings, and those in another device's back end only inform."""

    @wraps(match)
    def judged(document: PythonFile, context: Context) -> Iterator[Hit]:
        if context.target.name != "gaudi":
            yield from match(document, context)
        elif isinstance(document, PythonFile) and not migrated(document):
            for hit in match(document, context):
                node = getattr(hit.where, "where", hit.where)
                if not isinstance(node, ast.AST):
                    yield hit
                elif not behind_cuda_test(document, node) and not _called_for_cuda(document, node, context):
                    mild = for_other_device(document, node) and hit.severity is not Severity.WORKS
                    yield replace(hit, severity=Severity.INFO) if mild else hit

    return judged


def _called_for_cuda(document: PythonFile, node: ast.AST, context: Context) -> bool:
    """Whether a node stands in a function that this file calls, and only where a test found a CUDA device."""
    function = document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef)
    name = getattr(function, "name", None)
    if (
        function is None
        or name is None
        or document.enclosing(function, ast.FunctionDef, ast.AsyncFunctionDef) is not None
    ):
        return False
    method = isinstance(document.parent(function), ast.ClassDef)
    calls = [call for call in document.nodes(ast.Call) if _names(call.func, name, method)]
    named = sum(_names(other, name, method) for other in document.nodes(ast.Attribute if method else ast.Name))
    return (
        bool(calls)
        and named == len(calls)  # it is not handed to anyone else
        and all(
            behind_cuda_test(document, call) or document.unreachable(call, context.target)
            for call in calls
            if document.enclosing(call, ast.FunctionDef, ast.AsyncFunctionDef) is not function
        )
    )


def _names(node: ast.AST, name: str, method: bool) -> bool:
    if method:
        return (
            isinstance(node, ast.Attribute) and node.attr == name and getattr(node.value, "id", "") in ("self", "cls")
        )
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def for_other_device(document: PythonFile, node: ast.AST) -> bool:
    """Whether the file, its folder or the class around a node says by its name that it is CUDA's or ROCm's."""
    *folders, name = document.source.path.split("/")
    if not _OTHER_FOLDERS.isdisjoint(folders) or _OTHER_FILE.fullmatch(name):
        return True
    return any(isinstance(a, ast.ClassDef) and _OTHER_CLASS.fullmatch(a.name) for a in document.ancestors(node))


_LEAVES = frozenset("exit _exit quit abort fail skip".split())


def when_raised(document: PythonFile, node: ast.AST) -> Severity | None:
    """What comes of a call that raises: where a ``try`` catches it and the program goes on, it does without what it asked for.
    None: the rule's own severity."""
    child = node
    for parent in document.ancestors(node):
        if isinstance(parent, ast.Try) and child in parent.body:
            if any(_goes_on(document, handler) for handler in parent.handlers):
                return Severity.ON_CPU
        elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return None
        child = parent
    return None


def _goes_on(document: PythonFile, handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes what torch raises for a device that it was not built for, and neither raises nor leaves."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    wanted = ("Exception", "BaseException", "AssertionError", "RuntimeError")
    if not any(kind is None or document.raw(kind).rpartition(".")[2] in wanted for kind in kinds):
        return False
    calls = (node.func for line in handler.body for node in ast.walk(line) if isinstance(node, ast.Call))
    leaves = any(document.raw(call).rpartition(".")[2] in _LEAVES for call in calls)
    return not leaves and not any(isinstance(node, ast.Raise) for line in handler.body for node in ast.walk(line))


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
        elif isinstance(parent, ast.For):
            if child is not parent.iter and _counts_devices(document, parent.iter):
                return True
        elif isinstance(parent, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            if not isinstance(child, ast.comprehension) and _counts_devices(document, parent.generators[0].iter):
                return True
        if isinstance(body, list) and child in body and not isinstance(parent, (ast.Module, ast.ClassDef)):
            if any(_leaves_without_cuda(statement) for statement in body[: body.index(child)]):
                return True
        child = parent
    return False


def _leaves_without_cuda(statement: ast.AST) -> bool:
    """``if x.device.type != "cuda": return``: what follows is for CUDA."""
    if not isinstance(statement, ast.If) or not isinstance(statement.body[-1], (ast.Return, ast.Continue)):
        return False
    tests = statement.test.values if isinstance(statement.test, ast.BoolOp) else [statement.test]
    if isinstance(statement.test, ast.BoolOp) and not isinstance(statement.test.op, ast.Or):
        return False
    return any(_refuses_others(test) for test in tests)


def _refuses_others(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks_for_cuda(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.NotEq, ast.NotIn)):
        return any(_is_cuda(side) for side in (test.left, test.comparators[0]))
    return False


def _counts_devices(document: PythonFile, loop: ast.expr) -> bool:
    """``range(torch.cuda.device_count())`` is empty on Gaudi."""
    if not isinstance(loop, ast.Call) or document.raw(loop.func) != "range" or not loop.args:
        return False
    return document.path(loop.args[-1]) == "torch.cuda.device_count()"


def _asks_for_cuda(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(_asks_for_cuda(value) for value in test.values)
    if isinstance(test, (ast.Attribute, ast.Name)):
        return (test.attr if isinstance(test, ast.Attribute) else test.id) == "is_cuda"
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr == "startswith":
        return bool(test.args) and _is_cuda(test.args[0])
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.In)):
        return any(_is_cuda(side) for side in (test.left, test.comparators[0]))
    return False


def _is_cuda(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == "cuda"
