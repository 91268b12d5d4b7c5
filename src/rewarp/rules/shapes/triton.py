"""Shapes that many Triton rules share: launches, configs and what their options can be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import parameters
from rewarp.targets import Context

_LANGUAGE = re.compile(r"(?:[\w.]*\.)?(?:triton\.language|tl)\.(.+)")
_TRITON = re.compile(r"(?:[\w.]*\.)?triton\.(.+)")
_PLATFORM = re.compile(r"(?i)(?:^|[^a-z])(hip|rocm|amd|amdgpu|cdna|rdna|gfx|aiter|cuda|nvidia|xpu)(?:[^a-z]|$)|mi\d{3}")
_AMD = re.compile(r"(?i)(?:^|[^a-z])(hip|rocm|amd|amdgpu|cdna|rdna|gfx|aiter)(?:[^a-z]|$)|mi\d{3}")
_OTHER_FOLDER = re.compile(r"(?i)nvidia|cuda|xpu|npu|hopper|blackwell|sm_?\d{2,3}a?")
_CONFIG_POSITIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
_DEPTH = 5


class Option(NamedTuple):
    """An option of a launch or of a ``triton.Config``, with one value it can take."""

    name: str
    value: ast.expr
    owner: ast.Call
    launch: bool
    where: ast.AST
    """The value, or the call when a platform gate keeps the call off the target."""
    given: ast.expr
    """What stands in the call itself: the value, or the name it comes through."""


def triton_name(document: PythonFile, node: ast.AST) -> str:
    """The name of something of Triton's: ``tl.dot``, ``triton.Config``; '' for anything else.

    Projects re-export the modules (``from .triton_utils import tl``), so the last part decides.
    """
    path = document.path(node) or document.raw(node)
    if found := _LANGUAGE.fullmatch(path):
        return f"tl.{found[1]}"
    found = _TRITON.fullmatch(path)
    return f"triton.{found[1]}" if found else ""


def uses_triton(document: PythonFile) -> bool:
    return any("triton" in item.full for item in document.imports)


def milder(document: PythonFile) -> Severity | None:
    """INFO in a folder that is named for another vendor's hardware: what counts is who imports the file."""
    other = any(_OTHER_FOLDER.fullmatch(part) for part in document.source.path.split("/")[:-1])
    return Severity.INFO if other else None


def has_dot(document: PythonFile) -> bool:
    """Whether kernels of the file multiply matrices, or none of them is in the file."""
    kernels = False
    for node in document.nodes(ast.Call, ast.FunctionDef):
        if isinstance(node, ast.Call):
            if triton_name(document, node.func) in ("tl.dot", "tl.dot_scaled"):
                return True
        else:
            kernels = kernels or in_kernel(document, node)
    return not kernels


def in_kernel(document: PythonFile, node: ast.AST) -> bool:
    """Whether a node stands in a function that Triton compiles."""
    return document.decorated_with(node, "triton.jit", "gluon.jit")


def configs(document: PythonFile) -> Iterator[ast.Call]:
    """Calls of ``triton.Config``."""
    for call in document.nodes(ast.Call):
        if triton_name(document, call.func) == "triton.Config":
            yield call


def launches(document: PythonFile) -> Iterator[ast.Call]:
    """Calls of the form ``kernel[grid](...)``."""
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Subscript):
            yield call


def kernel_parameters(document: PythonFile, launch: ast.Call) -> set[str]:
    """The parameters of the kernel a call launches, when it is defined in the same file."""
    name = launch.func.value if isinstance(launch.func, ast.Subscript) else None
    if not isinstance(name, ast.Name):
        return set()
    names: set[str] = set()
    for function in document.nodes(ast.FunctionDef):
        if function.name == name.id:
            names |= {parameter.arg for parameter in parameters(function.args)}
    return names


def dict_items(document: PythonFile, node: ast.AST | None, depth: int = 0) -> Iterator[tuple[str, ast.expr]]:
    """Keys and values of a dict literal, a ``dict(...)`` call, or a name bound to such."""
    if depth > _DEPTH:
        return
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                yield from dict_items(document, value, depth + 1)
            elif name := document.string(key):
                yield name, value
    elif isinstance(node, ast.Call) and document.raw(node.func) == "dict":
        yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
    elif isinstance(node, ast.IfExp):
        yield from dict_items(document, node.body, depth + 1)
        yield from dict_items(document, node.orelse, depth + 1)
    elif isinstance(node, ast.Name):
        for value in document.given(node):
            yield from dict_items(document, value, depth + 1)


def values(document: PythonFile, node: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """The expressions a value can come from: branches of a conditional, assignments of a name, loop items. Every one of
    them counts, so that a name may be bound more than once, as it may not for ``PythonValues.value_of``."""
    if depth > _DEPTH:
        return
    if isinstance(node, ast.IfExp):
        yield from values(document, node.body, depth + 1)
        yield from values(document, node.orelse, depth + 1)
    elif isinstance(node, ast.Call) and triton_name(document, node.func) == "tl.constexpr" and node.args:
        yield from values(document, node.args[0], depth + 1)
    elif returned := _returned(document, node):
        for value in returned:
            yield from values(document, value, depth + 1)
    elif isinstance(node, ast.Name):
        sources = list(_loop_items(document, node, depth))
        for binding in document.bindings(node) if not sources else ():
            if binding.value is not None:
                sources += _unpacked(document, node.id, binding.value) if binding.suffix else [binding.value]
        found = [value for source in sources for value in values(document, source, depth + 1)]
        yield from found or [node]
    else:
        yield node


def _returned(document: PythonFile, node: ast.expr) -> list[ast.expr]:
    """What a function of this file gives back."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return []
    functions = [function for function in document.nodes(ast.FunctionDef) if function.name == node.func.id]
    if len(functions) != 1 or in_kernel(document, functions[0]):
        return []
    return [
        part.value
        for part in ast.walk(functions[0])
        if isinstance(part, ast.Return) and part.value is not None and document.scope(part) is functions[0]
    ]


def _unpacked(document: PythonFile, name: str, value: ast.expr) -> list[ast.expr]:
    """The part of a tuple that a name gets: ``block, warps = settings(n)``."""
    assign = document.parent(value)
    target = assign.targets[0] if isinstance(assign, ast.Assign) else None
    names = [getattr(part, "id", "") for part in target.elts] if isinstance(target, ast.Tuple) else []
    place = names.index(name) if name in names else -1
    tuples = [given for given in (_returned(document, value) or [value]) if isinstance(given, ast.Tuple)]
    return [given.elts[place] for given in tuples if 0 <= place < len(given.elts)]


def _loop_items(document: PythonFile, name: ast.Name, depth: int) -> Iterator[ast.expr]:
    """The items a loop variable runs over, where they are written down and nothing filters them."""
    child: ast.AST = name
    for ancestor in document.ancestors(name):
        outside = isinstance(ancestor, ast.For) and child is ancestor.iter  # `for x in x:`: not the loop's x yet
        child = ancestor
        if outside:
            continue
        if isinstance(ancestor, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            if any(generator.ifs for generator in ancestor.generators):
                continue
            for generator in ancestor.generators:
                yield from _items_for(document, name.id, generator.target, generator.iter, depth)
        elif isinstance(ancestor, ast.For):
            yield from _items_for(document, name.id, ancestor.target, ancestor.iter, depth)


def _items_for(document: PythonFile, name: str, target: ast.expr, source: ast.expr, depth: int) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name):
        if target.id == name:
            yield from _sequence(document, source, depth)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, part in enumerate(target.elts):
            if not (isinstance(part, ast.Name) and part.id == name):
                continue
            if isinstance(source, ast.Call) and document.raw(source.func).rpartition(".")[2] in ("product", "zip"):
                if index < len(source.args):
                    yield from _sequence(document, source.args[index], depth)
            else:
                for item in _sequence(document, source, depth):
                    if isinstance(item, (ast.Tuple, ast.List)) and index < len(item.elts):
                        yield item.elts[index]


def _sequence(document: PythonFile, node: ast.expr, depth: int) -> Iterator[ast.expr]:
    for source in values(document, node, depth + 1):
        if isinstance(source, (ast.List, ast.Tuple, ast.Set)):
            yield from source.elts


def options(document: PythonFile, context: Context, *names: str) -> Iterator[Option]:
    """These options of launches and configs, one for each value they can take."""
    for call in configs(document):
        given = [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        given += list(zip(_CONFIG_POSITIONS, call.args[1:]))
        given += list(dict_items(document, document.argument(call, 0, "kwargs")))
        yield from _options(document, context, call, given, names, launch=False)
    for call in launches(document):
        given = [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        for keyword in call.keywords:
            if keyword.arg is None:
                given += list(dict_items(document, keyword.value))
        yield from _options(document, context, call, given, names, launch=True)


def _options(
    document: PythonFile,
    context: Context,
    call: ast.Call,
    given: list[tuple[str, ast.expr]],
    names: tuple[str, ...],
    launch: bool,
) -> Iterator[Option]:
    for name, value in given:
        if name in names:
            gated = document.unreachable(call, context.target)
            for leaf in values(document, value):
                yield Option(name, leaf, call, launch, call if gated else leaf, value)


def config_group(document: PythonFile, config: ast.Call) -> ast.AST:
    """What a config is one choice of: the list around it, the function that appends it to one, or itself."""
    for ancestor in document.ancestors(config):
        if isinstance(ancestor, (ast.List, ast.ListComp, ast.Tuple)):
            return ancestor
        if (
            isinstance(ancestor, ast.Call)
            and isinstance(ancestor.func, ast.Attribute)
            and ancestor.func.attr == "append"
        ):
            return document.scope(ancestor)
        if isinstance(ancestor, ast.stmt):
            break
    return config


def names_a_platform(document: PythonFile, node: ast.AST) -> bool:
    """Whether a condition, function or file around a node, or an early exit before it, names a GPU platform."""
    if any(_AMD.search(part) for part in document.source.path.split("/")):
        return True
    child = node
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if _AMD.search(_spaced(ancestor.name)) or _exits_before(ancestor, node):
                return True
        elif isinstance(ancestor, (ast.If, ast.IfExp, ast.While)) and child is not ancestor.test:
            if mentions_platform(ancestor.test):
                return True
        elif isinstance(ancestor, (ast.ListComp, ast.GeneratorExp)):
            if any(mentions_platform(test) for generator in ancestor.generators for test in generator.ifs):
                return True
        child = ancestor
    return False


def _exits_before(function: ast.AST, node: ast.AST) -> bool:
    line = getattr(node, "lineno", 0)
    for statement in getattr(function, "body", []):
        if statement.lineno >= line:
            return False
        if isinstance(statement, ast.Assert) and mentions_platform(statement.test):
            return True
        if isinstance(statement, ast.If) and isinstance(statement.body[-1], (ast.Return, ast.Raise)):
            if mentions_platform(statement.test):
                return True
    return False


def mentions_platform(test: ast.expr) -> bool:
    """Whether a condition asks which GPU platform this is, by the words in it."""
    for part in ast.walk(test):
        word = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            word = part.value
        if word and _PLATFORM.search(_spaced(word)):
            return True
    return False


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
