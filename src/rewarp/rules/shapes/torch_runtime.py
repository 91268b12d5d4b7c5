"""Shapes that the rules on memory, run time and FP8 share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.targets import Target

# --- torch.cuda -------------------------------------------------------------------

_CUDA = "torch.cuda."
_CUDART = "cudart()."


class CudaUse(NamedTuple):
    """A name below ``torch.cuda.`` that is read: ``node`` is the place, an import statement included."""

    name: str
    node: ast.AST

    @property
    def in_import(self) -> bool:
        return isinstance(self.node, (ast.Import, ast.ImportFrom))


def cuda_uses(document: PythonFile) -> Iterator[CudaUse]:
    """Everything read below ``torch.cuda``: attributes, imported names and ``getattr`` with a literal."""
    for path, node in document.refs("torch.cuda.*"):
        name = path.removeprefix(_CUDA)
        if "(" in name.removeprefix(_CUDART) or "[" in name:
            continue  # what a call gave back; the call itself is listed too
        if isinstance(getattr(node, "ctx", None), ast.Load):
            yield CudaUse(name, node)
    for item in document.imports:
        if item.name and item.name != "*" and f"{item.module}.".startswith(_CUDA):
            yield CudaUse(item.full.removeprefix(_CUDA), item.node)
    for _, call in document.calls("getattr"):
        if len(call.args) == 2 and document.path(call.args[0]) == "torch.cuda":
            name = document.string(call.args[1]) or ""
            if name.isidentifier():
                yield CudaUse(name, call)


def is_private(name: str) -> bool:
    """Whether some part of a name below ``torch.cuda.`` starts with an underscore."""
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


_STEP = re.compile(
    r"(?i)(.*_)?(forward|backward|step|train_batch|process_batch|generate|predict|infer|inference|decode|prefill"
    r"|execute_model|handle_request|__call__)(_(step|batch|one|request|token|tokens|impl|loop))?"
)
_STEP_LOOP = re.compile(
    r"(?i)(.*_)?((data|train|test|val)?loader|(max|num|total|train|n)_(steps|iters|iterations)|requests|prompts)"
)


def runs_every_step(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node stands in code that runs once for each step, batch or request.

    Recovery after an exception does not, nor does code under a condition such as ``step % 100 == 0``.
    """
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.ExceptHandler):
            return False
        if isinstance(ancestor, ast.If) and any(map(_is_now_and_then, ast.walk(ancestor.test))):
            return False
        if isinstance(ancestor, (ast.For, ast.AsyncFor)):
            words = [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(ancestor.iter)]
            if any(_STEP_LOOP.fullmatch(word) for word in words):
                return True
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return bool(_STEP.fullmatch(ancestor.name))
    return False


_REQUEST = re.compile(r"(?i)prompts?|requests?|batch|job|task_input")


def ends_a_request(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node stands, under no condition, in a function that is given one prompt, request or batch to work on."""
    statement = document.statement(node)
    around = document.parent(statement) if statement is not None else None
    if not isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return any(_REQUEST.fullmatch(parameter.arg) for parameter in around.args.args)


def _is_now_and_then(node: ast.AST) -> bool:
    """``step % 100``, ``step == 0``."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        return any(isinstance(part, ast.Constant) and type(part.value) is int for part in node.comparators)
    return isinstance(node, ast.Mod)


def choices(document: PythonFile, node: ast.expr | None) -> Iterator[ast.expr]:
    """What a value may be: the branches of a conditional expression, given there or under a name; else itself. A name for
    one constant stays the name."""
    bound = [binding.value for binding in document.bindings(node)] if isinstance(node, ast.Name) else []
    if bound:
        plain = len(bound) == 1 and isinstance(bound[0], ast.Constant)
        if not plain and len(bound) <= 4 and all(isinstance(value, (ast.Constant, ast.IfExp)) for value in bound):
            for value in bound:
                yield from choices(document, value)
            return
    if isinstance(node, ast.IfExp):
        yield from choices(document, node.body)
        yield from choices(document, node.orelse)
    elif node is not None:
        yield node


def function_around(document: PythonFile, node: ast.AST) -> ast.AST:
    """The function a node stands in, or the whole file."""
    return document.enclosing(node, ast.FunctionDef, ast.AsyncFunctionDef) or document.tree


def survives(document: PythonFile, node: ast.AST, *errors: str) -> bool:
    """Whether a node stands in a ``try`` that catches one of these errors."""
    child = node
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.Try) and child in ancestor.body:
            for handler in ancestor.handlers:
                kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                if any(kind is None or document.raw(kind).rpartition(".")[2] in errors for kind in kinds):
                    return True
        elif isinstance(ancestor, ast.With) and child in ancestor.body:
            for item in ancestor.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and document.raw(call.func).endswith("suppress"):
                    if any(document.raw(kind).rpartition(".")[2] in errors for kind in call.args):
                        return True
        elif isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        child = ancestor
    return False


# --- the caching allocator ----------------------------------------------------------

ALLOCATOR_VARIABLES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
_ALLOCATOR_CALLS = ("torch.cuda.memory._set_allocator_settings", "torch._C._accelerator_setAllocatorSettings")
_OPTION = re.compile(r"\b(\w+)\s*:\s*([\w.]+)")


class AllocatorConf(NamedTuple):
    """Settings handed to the caching allocator, and the place that does it."""

    options: dict[str, str]
    where: object


def allocator_confs(document: Document) -> Iterator[AllocatorConf]:
    """Every place that configures the caching allocator with literal settings."""
    for item in document.env_sets:
        if item.name in ALLOCATOR_VARIABLES and item.value:
            yield AllocatorConf(dict(_OPTION.findall(item.value)), item)
    if isinstance(document, PythonFile):
        for _, call in document.calls(*_ALLOCATOR_CALLS):
            text = document.string(call.args[0]) if call.args else None
            if text:
                yield AllocatorConf(dict(_OPTION.findall(text)), call)


def expandable(conf: AllocatorConf) -> bool:
    return conf.options.get("expandable_segments", "").lower() == "true"


# --- texts of errors ------------------------------------------------------------------


_TEXT_FUNCTIONS = ("startswith", "find", "count", "index", "search", "match", "fullmatch", "findall")


class TextTest(NamedTuple):
    """A place that looks for a literal text in some other text."""

    text: str
    where: ast.AST


def text_tests(document: PythonFile) -> Iterator[TextTest]:
    """``"x" in s``, ``s.startswith("x")``, ``re.search("x", s)``, ``raises(match="x")``, ``any(t in s for t in ["x"])``."""
    for compare in document.nodes(ast.Compare):
        if len(compare.ops) != 1:
            continue
        if isinstance(compare.ops[0], (ast.In, ast.NotIn)):
            for text in _texts(document, compare.left):
                yield TextTest(text, compare)
        elif isinstance(compare.ops[0], (ast.Eq, ast.NotEq)):
            text_ = document.string(compare.comparators[0])
            if text_ and document.raw(compare.left) == "str()":
                yield TextTest(text_, compare)
    for call in document.nodes(ast.Call):
        name = document.raw(call.func).rpartition(".")[2] or getattr(call.func, "attr", "")
        if name in _TEXT_FUNCTIONS:
            wanted = call.args[:1]
        elif name in ("assertRaisesRegex", "assertIn", "assertRegex"):
            wanted = call.args[:2]
        elif name in ("raises", "warns"):
            wanted = [keyword.value for keyword in call.keywords if keyword.arg == "match"]
        else:
            continue
        for argument in wanted:
            for text in _texts(document, argument):
                yield TextTest(text, call)


def _texts(document: PythonFile, node: ast.expr) -> Iterator[str]:
    text = document.string(node)
    if text:
        yield text
    elif isinstance(node, ast.Tuple):
        for item in node.elts:
            yield from _texts(document, item)
    elif isinstance(node, ast.Name):
        for item in looped_over(document, node):
            text = document.string(item)
            if text:
                yield text


def looped_over(document: PythonFile, name: ast.Name) -> list[ast.expr]:
    """The literal items a loop variable runs over, in a ``for`` statement or a comprehension around it."""
    loop = document.loop(name)
    items = document.value_of(loop.iter) if loop is not None else None
    return items.elts if isinstance(items, (ast.List, ast.Tuple, ast.Set)) else []


def condition_around(document: PythonFile, node: ast.AST) -> ast.AST:
    """The whole condition a test is part of: the outermost and/or/not around it."""
    for ancestor in document.ancestors(node):
        if not isinstance(ancestor, (ast.BoolOp, ast.UnaryOp)):
            break
        node = ancestor
    return node


# --- libraries loaded by name -------------------------------------------------------

_LOADERS = ("CDLL", "PyDLL", "WinDLL", "LoadLibrary", "find_library", "dlopen", "load_library")


class LibraryLoad(NamedTuple):
    """A shared library opened by name; ``names`` are the names that are tried there."""

    names: list[str]
    call: ast.Call


def library_loads(document: PythonFile) -> Iterator[LibraryLoad]:
    """Calls of ctypes and cffi loaders with literal names, also from a loop over literal names."""
    for call in document.nodes(ast.Call):
        name = document.raw(call.func).rpartition(".")[2]
        if name not in _LOADERS or not call.args:
            continue
        if name == "load_library" and "torch" in (document.path(call.func) or ""):
            continue
        names = list(_texts(document, call.args[0]))
        if names:
            yield LibraryLoad(names, call)


# --- FP8 --------------------------------------------------------------------------

_FNUZ = re.compile(r"(?i)fnuz")
_MAYBE_FNUZ = re.compile(rb"fnuz|FNUZ|(?:fp8|FP8|float8)\w{0,100}_dtype")
_CHOOSER = re.compile(r"(?i)(\w*\.)*(get_|default_|platform_)*(fp8|float8)(_\w*)?_dtype")


def tells_fp8_apart(document: PythonFile, node: ast.AST) -> bool:
    """Whether the function around a place chooses the kind of FP8, or the format there is FP4 with its e4m3fn scales."""
    function = function_around(document, node)
    names = (getattr(function, "name", ""), document.source.path.rpartition("/")[2])
    return any("fp4" in name.lower() for name in names) or knows_fnuz(document, function)


_OCP_ONLY = re.compile(rb"(?i)float8_e8m0fnu|\bmxfp[468]\b|\bnvfp4\b")
_OCP_PATH = re.compile(r"(?i)(?:^|[/_.])(?:mx|mxfp[468]|nvfp4|mx_formats?)(?=[/_.])")


def of_ocp(document: PythonFile) -> bool:
    """Whether a file is about the block formats MX and NVFP4: their elements are OCP's on every GPU, or the format is not there."""
    return bool(_OCP_PATH.search(document.source.path) or _OCP_ONLY.search(document.source.data))


def knows_fnuz(document: PythonFile, scope: ast.AST) -> bool:
    """Whether some code names the fnuz formats, or asks a function for the type: then it tells the kinds of FP8 apart."""
    return scope in _around_fnuz(document)


@lru_cache(maxsize=2)  # asked about for each FP8 type of a file
def _around_fnuz(document: PythonFile) -> frozenset[ast.AST]:
    """Everything that a name of the fnuz formats, or a call that chooses between formats, stands in."""
    if not _MAYBE_FNUZ.search(document.source.data):
        return frozenset()
    found: list[ast.AST] = [node for node in document.nodes(ast.Attribute) if _FNUZ.search(node.attr)]
    found += [node for node in document.nodes(ast.Name) if _FNUZ.search(node.id)]
    found += [node for node in document.nodes(ast.keyword, ast.arg) if node.arg and _FNUZ.search(node.arg)]
    found += [
        node
        for node in document.nodes(ast.Import, ast.ImportFrom)
        if any(_FNUZ.search(alias.name) for alias in node.names)
    ]
    found += [
        call for call in document.nodes(ast.Call) if _CHOOSER.fullmatch(document.raw(call.func).replace("()", ""))
    ]
    return frozenset(around for node in found for around in (node, *document.ancestors(node)))


# --- processes ----------------------------------------------------------------------

_OTHER_SPAWN = ("xmp.", "torch_xla.", "xla_multiprocessing.")
_FORK_CALLS = ("set_start_method", "get_context", "start_processes", "spawn", "ProcessPoolExecutor")


def fork_calls(document: PythonFile, target: Target) -> Iterator[ast.Call]:
    """Calls that fork this process or choose "fork" for new ones on the target."""
    for call in document.nodes(ast.Call):
        name = document.raw(call.func).rpartition(".")[2]
        if name == "fork" and document.path(call.func) == "os.fork":
            yield call
        elif name in _FORK_CALLS and not document.raw(call.func).startswith(_OTHER_SPAWN):
            values = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("method", "start_method"))]
            chosen = [choice for value in values for choice in choices(document, value)]
            if any(document.string(choice) == "fork" and not document.unreachable(choice, target) for choice in chosen):
                yield call


class ProcessGroup(NamedTuple):
    """A process group: the function that makes it, the back ends it names, and the place: the call, or the back end
    where it is one of several."""

    name: str
    backends: frozenset[str]
    where: ast.expr


_GROUPS = {
    "torch.distributed.init_process_group": 0,
    "torch.distributed.distributed_c10d.init_process_group": 0,
    "torch.distributed.new_group": None,
    "deepspeed.init_distributed": 0,
    "deepspeed.comm.init_distributed": 0,
}


def process_groups(document: PythonFile) -> Iterator[ProcessGroup]:
    """Process groups with a literal back end: ``"nccl"``, or several as in ``"cpu:gloo,cuda:nccl"``."""
    for path, call in document.calls(*_GROUPS):
        keyword = "dist_backend" if "deepspeed" in path else "backend"
        given = list(choices(document, document.argument(call, _GROUPS[path], keyword)))
        for backend in given:
            text = document.string(backend)
            if text:
                parts = [part.rpartition(":")[2].strip().lower() for part in text.split(",")]
                where = backend if len(given) > 1 else call
                yield ProcessGroup(path.rpartition(".")[2], frozenset(parts), where)
