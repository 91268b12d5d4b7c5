"""Shapes that the rules on back ends, torch.compile and graphs share."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rewarp.findings import Severity
from rewarp.lang.document import Document
from rewarp.lang.python import PythonFile
from rewarp.project.gates import Evaluator, platform_for
from rewarp.registry import When
from rewarp.targets import TARGETS, Context

INDUCTOR_CONFIG = "torch._inductor.config"
HIP_GRAPHS_YOUNG = When(torch="<2.11", rocm="<7.2", any_of=True, otherwise=Severity.INFO)
"""The versions with reports against Inductor's use of HIP graphs."""

_OPTION_KEYWORDS = ("options", "inductor_configs", "config_patches")
_MODE_KEYWORDS = ("mode", "compile_mode", "torch_compile_mode")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Setting(NamedTuple):
    """A setting that gets a value. ``where`` is what to mark: the assignment, or one arm of a conditional value."""

    path: str
    value: ast.expr
    where: ast.AST


def leaves(value: ast.expr) -> Iterator[ast.expr]:
    """The values an expression can take: both arms of ``a if test else b``, else the expression itself."""
    if isinstance(value, ast.IfExp):
        yield from leaves(value.body)
        yield from leaves(value.orelse)
    else:
        yield value


def _spread(path: str, value: ast.expr, where: ast.AST) -> Iterator[Setting]:
    for leaf in leaves(value):
        yield Setting(path, leaf, where if leaf is value else leaf)


def settings(document: PythonFile, *paths: str) -> Iterator[Setting]:
    """Assignments to these attributes: ``a.b = v``, ``setattr(a, "b", v)``, also a monkeypatch's setattr,
    and the keywords of ``torch.backends.cudnn.flags``. ``.*`` as in ``refs``."""
    for path, node in document.refs(*paths):
        statement = document.parent(node)
        if isinstance(statement, ast.Assign) and node in statement.targets:
            yield from _spread(path, statement.value, statement)
    for call in document.nodes(ast.Call):
        if document.raw(call.func).rpartition(".")[2] == "setattr" and len(call.args) == 3:
            name = document.string(call.args[1])
            path = f"{document.path(call.args[0])}.{name}"
            if name and _wanted(path, paths):
                yield from _spread(path, call.args[2], call)
    for _, call in document.calls("torch.backends.cudnn.flags"):
        for keyword in call.keywords:
            path = f"torch.backends.cudnn.{keyword.arg}"
            if _wanted(path, paths):
                yield from _spread(path, keyword.value, keyword)


def _wanted(path: str, paths: Iterable[str]) -> bool:
    return any(path.startswith(p[:-1]) if p.endswith(".*") else path == p for p in paths)


def inductor_settings(document: Document, *names: str) -> Iterator[Setting]:
    """Inductor settings with these names (``triton.cudagraphs``, ``cuda.*``), however they are given: assigned,
    patched, or passed as options of torch.compile. The setting's path is the name."""
    if not isinstance(document, PythonFile):
        return
    prefix = INDUCTOR_CONFIG + "."
    for item in settings(document, *(prefix + name for name in names)):
        yield item._replace(path=item.path.removeprefix(prefix))
    for path, call in document.calls(INDUCTOR_CONFIG + ".patch", "torch.compile", "torch._inductor.*"):
        for item in _options(document, path, call):
            if _wanted(item.path, names):
                yield item


def _options(document: PythonFile, path: str, call: ast.Call) -> Iterator[Setting]:
    patch = path == INDUCTOR_CONFIG + ".patch"
    if patch and len(call.args) == 2:
        name = document.string(call.args[0])
        if name:
            yield from _spread(name, call.args[1], call)
    tables = [*call.args[:1]] if patch else []
    for keyword in call.keywords:
        if patch and keyword.arg:
            yield from _spread(keyword.arg, keyword.value, keyword)
        elif keyword.arg in _OPTION_KEYWORDS or (patch and keyword.arg is None):
            tables.append(keyword.value)
    for table in tables:
        yield from table_items(document, table)


def table_items(document: PythonFile, node: ast.expr) -> Iterator[Setting]:
    """The entries of a dict display or ``dict(...)`` call, given directly or through a name bound to one."""
    node = document.value_of(node)
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            name = document.string(key)
            if name and key is not None:
                yield from _spread(name, value, key)
    elif isinstance(node, ast.Call) and document.raw(node.func) == "dict":
        for keyword in node.keywords:
            if keyword.arg:
                yield from _spread(keyword.arg, keyword.value, keyword)


def is_true(document: PythonFile, value: ast.expr) -> bool:
    value = document.value_of(value)
    return isinstance(value, ast.Constant) and value.value is True


def is_false(document: PythonFile, value: ast.expr) -> bool:
    value = document.value_of(value)
    return isinstance(value, ast.Constant) and value.value is False


def compile_settings(document: PythonFile, name: str) -> Iterator[tuple[ast.Call, Setting]]:
    """Calls that compile, with each value they give this keyword of torch.compile: calls and decorators of it,
    ``module.compile``, ``partial(torch.compile, ...)``; the keyword may come through ``**options``."""
    for call in document.nodes(ast.Call):
        if not _compiles(document, call):
            continue
        for keyword in call.keywords:
            if keyword.arg == name:
                yield from ((call, item) for item in _spread(name, keyword.value, keyword))
            elif keyword.arg is None:
                yield from ((call, item) for item in table_items(document, keyword.value) if item.path == name)


def _compiles(document: PythonFile, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
        return True  # torch.compile, module.compile; what is passed tells it from re.compile and the like
    path = document.path(call.func)
    if path == "torch.compile":
        return True
    return path == "functools.partial" and bool(call.args) and document.path(call.args[0]) == "torch.compile"


def compile_modes(document: PythonFile) -> Iterator[tuple[str, ast.AST]]:
    """Every mode of torch.compile that is chosen, with the place: by a keyword of any call (the wrappers of other
    libraries pass it on) or in a table of keyword arguments. Mere mentions, as in a comparison, do not count."""
    found: list[Setting] = []
    for keyword in document.nodes(ast.keyword):
        if keyword.arg in _MODE_KEYWORDS and not _expected(document, keyword):
            found += _spread(keyword.arg, keyword.value, keyword)
    for table in document.nodes(ast.Dict):
        if not _expected(document, table):
            found += (item for item in table_items(document, table) if item.path in _MODE_KEYWORDS)
    for item in found:
        text = document.string(item.value)
        if text and text.startswith(("reduce-overhead", "max-autotune")):
            yield text, item.where


def _expected(document: PythonFile, node: ast.AST) -> bool:
    """What a test expects to find: ``assert kwargs == {...}``, ``mock.assert_called_with(mode=...)``."""
    parent = document.parent(node)
    if isinstance(parent, ast.Call):
        return (document.raw(parent.func).rpartition(".")[2] or getattr(parent.func, "attr", "")).startswith("assert")
    return isinstance(parent, ast.Compare)


def written_for_target(document: Document, where: ast.AST, context: Context) -> bool:
    """Whether a place stands in a branch taken on this target and not on the others: its author knew what it does."""
    if not isinstance(document, PythonFile):
        return False
    here = Evaluator(document, platform_for(context.target))
    elsewhere = [
        Evaluator(document, platform_for(target)) for target in TARGETS.values() if target.name != context.target.name
    ]
    child = where
    for ancestor in document.ancestors(where):
        if isinstance(ancestor, ast.If) and child is not ancestor.test:
            taken = child in ancestor.body
            if here.truth(ancestor.test) is taken and all(f.truth(ancestor.test) is (not taken) for f in elsewhere):
                return True
        child = ancestor
    return False


def captures(document: PythonFile) -> Iterator[ast.Call]:
    """Calls that begin a stream capture: ``torch.cuda.graph(...)`` and ``graph.capture_begin(...)``."""
    for _, call in document.calls("torch.cuda.graph", "torch.cuda.graphs.graph"):
        yield call
    for _, call in document.calls(
        "torch.cuda.CUDAGraph().capture_begin", "torch.cuda.graphs.CUDAGraph().capture_begin"
    ):
        yield call


def in_capture(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node stands in the body of ``with torch.cuda.graph(...)``, and not in a function defined there."""
    begun = set(captures(document))
    child = node
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, (*_FUNCTIONS, ast.Lambda)):
            return False
        if isinstance(ancestor, (ast.With, ast.AsyncWith)) and child in ancestor.body:
            if any(item.context_expr in begun for item in ancestor.items):
                return True
        child = ancestor
    return False
