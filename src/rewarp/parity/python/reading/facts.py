"""What one Python file tells of back ends: its classes, its registries, its branches on the platform."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from rewarp.errors import BinarySource
from rewarp.lang import parsers
from rewarp.lang.python_names import PythonNames
from rewarp.parity.names.backends import backend_of, words
from rewarp.parity.python.reading.bodies import Body, body_of
from rewarp.parity.python.reading.operation_choices import Choices, Table, choices_of, tables_of
from rewarp.parity.python.reading.platforms import Branching, Platforms, branching_of
from rewarp.parity.units import Status
from rewarp.source import SourceFile

_ASKS = re.compile(
    rb"\b_*(?:is|on)_(?:"
    + "|".join((*words(), "cuda_alike", "cuda_like")).encode()
    + rb")_*\b|\bversion\.(?:hip|cuda|xpu)\b"
    rb"|\b[A-Z_]+ (?:[!=]=|(?:not )?in) [\[({]?[\"'](?:" + "|".join(words()).encode() + rb")[\"']",
    re.I,
)
"""Text that may ask which platform this is: functions without any need not be looked through."""
_CPU = re.compile(rb"\bcpu\b")
_PARTS = re.compile(r"[./:]+")
_MANY_TARGETS = 12
_REGISTERS = re.compile(r"regist|impl|(^|[._])reg$", re.I)


_NO_CHOICES = Choices()


@dataclass(frozen=True)
class Method:
    name: str
    line: int
    body: Body
    abstract: bool = False
    choices: Choices = _NO_CHOICES
    """The operations that it tells apart."""


@dataclass(frozen=True)
class ClassFacts:
    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    """As the code names them, dots kept."""
    methods: tuple[Method, ...] = ()
    tables: tuple[Table, ...] = ()

    def method(self, name: str) -> Method | None:
        return next((method for method in self.methods if method.name == name), None)


@dataclass(frozen=True)
class Registry:
    """A dictionary with back ends for keys."""

    name: str
    line: int
    entries: tuple[tuple[str, int, Status, str], ...]
    """Back end, line, whether anything is registered, and what."""
    by_device: bool
    """The keys are torch's device types, where ROCm answers to `cuda`."""


@dataclass(frozen=True)
class Registered:
    """A function or class that a decorator registers for a back end."""

    decorator: str
    backend: str
    """Empty where it is registered on every platform."""
    name: str
    line: int
    body: Body | None = None
    """Of a function."""
    by_device: bool = False
    """The back end is told by a string, which may be one of torch's device types."""


@dataclass
class ModuleFacts:
    """What one file tells; small."""

    path: str
    classes: list[ClassFacts] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    """For each imported name, the module it comes from and its name there."""
    registries: list[Registry] = field(default_factory=list)
    registered: list[Registered] = field(default_factory=list)
    branches: list[Branching] = field(default_factory=list)
    mentions: dict[str, int] = field(default_factory=dict)
    """Classes that the file names, in code or in a dotted string, with the first line."""
    functions: dict[str, Body] = field(default_factory=dict)
    """Those of the module itself."""
    lines: dict[str, int] = field(default_factory=dict)
    """Where they stand."""
    libraries: set[str] = field(default_factory=set)
    """The packages that it imports."""
    bound: dict[str, dict[str, int]] = field(default_factory=dict)
    """Names that are bound to several imported things (`module:name`), each with the line."""
    names: set[str] = field(default_factory=set)
    """What it defines or imports; a star for a module that may define anything."""
    error: tuple[int, str] | None = None
    """Where the file does not parse, and why."""


def read_file(path: str, data: bytes) -> ModuleFacts:
    """Never raises for a broken file: `error` says so."""
    facts = ModuleFacts(path)
    try:
        if b"\0" in data[:8192] and not SourceFile(path, data).bom:
            raise BinarySource("binary file: it holds NUL bytes")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parsers.python(data)
    except BinarySource as error:
        facts.error = (1, error.reason)
        return facts
    except (SyntaxError, ValueError) as error:
        facts.error = (getattr(error, "lineno", None) or 1, str(getattr(error, "msg", None) or error))
        return facts
    _Reader(facts, data, tree).module(tree)
    return facts


class _Reader:
    def __init__(self, facts: ModuleFacts, data: bytes, tree: ast.Module) -> None:
        self.facts = facts
        self._data, self._tree = data, tree
        self.asks = _lines(_ASKS, data)
        """The lines that may ask for the platform."""
        self.cpu = _lines(_CPU, data)

    @cached_property
    def platforms(self) -> Platforms:
        """What conditions are on each back end; made only for files that ask."""
        return Platforms(PythonNames(SourceFile(self.facts.path, self._data), self._tree))

    def module(self, tree: ast.Module) -> None:
        for node in _statements(tree):
            if isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                self.facts.imports.update(
                    {alias.asname or alias.name: f"{module}:{alias.name}" for alias in node.names}
                )
            elif isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                self._registry(node)
        if owner_of(self.facts.path, "") is not None:
            self._mentions(tree)
        self._names(tree)
        self._bound(tree)
        self._functions(tree, "", None)

    def _mentions(self, tree: ast.Module) -> None:
        """Who uses another back end's class is a back end's own file."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id[:1].isupper():
                self.facts.mentions.setdefault(node.id, node.lineno)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value[:200]:
                last = node.value.rpartition(".")[2]
                if last.isidentifier() and last[:1].isupper():
                    self.facts.mentions.setdefault(last, node.lineno)

    def _bound(self, tree: ast.Module) -> None:
        """`from . import cuda_ops as ops` or `self.ops = cuda_ops`, and elsewhere another: what one name may be."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for node in _statements(tree):
            for name, target in _imported(node):
                found[name].setdefault(target, node.lineno)
                self.facts.libraries.add(target.partition(":")[0].partition(".")[0] or target.partition(":")[2])
        for node in _statements(tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in found:
                for one in node.targets:
                    name = dotted(one).rpartition(".")[2]
                    for target in list(found[node.value.id]) if name and name != node.value.id else ():
                        found[name].setdefault(target, node.lineno)
        self.facts.bound = {name: targets for name, targets in found.items() if 1 < len(targets) <= _MANY_TARGETS}

    def _names(self, tree: ast.Module) -> None:
        for node in _statements(tree, inside_functions=False):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.facts.names.add("*" if node.name == "__getattr__" else node.name)
                if not isinstance(node, ast.ClassDef):
                    self.facts.functions[node.name] = self._body(node)
                    self.facts.lines[node.name] = node.lineno
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.facts.names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                self.facts.names |= {
                    inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)
                }
            elif isinstance(node, (ast.For, ast.Expr, ast.Delete)) and not _is_docstring(node):
                if "globals" in ast.unparse(node):
                    self.facts.names.add("*")

    def _class(self, node: ast.ClassDef) -> None:
        bases = tuple(name for base in node.bases if (name := dotted(base)))
        methods: dict[str, Method] = {}
        for item in _members(node):
            abstract = any("abstract" in dotted(decorator) for decorator in item.decorator_list)
            if dotted_overload(item):
                continue
            body = self._body(item)
            methods[item.name] = Method(item.name, item.lineno, body, abstract, choices_of(item))
        tables = tuple(tables_of(node))
        self.facts.classes.append(
            ClassFacts(node.name, self.facts.path, node.lineno, bases, tuple(methods.values()), tables)
        )

    def _functions(self, node: ast.AST, prefix: str, on: frozenset[str] | None) -> None:
        """Functions that ask which platform this is, and decorators that register for one, or under an `if` for one."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._decorators(child, on)
                name = f"{prefix}{child.name}"
                if not isinstance(child, ast.ClassDef) and self._asked_in(child):
                    found = branching_of(name, child, self.platforms, self._asked_in)
                    if found:
                        self.facts.branches.append(found)
                self._functions(child, f"{name}.", on)
            elif isinstance(child, ast.If) and not prefix and self._asked_in(child):
                for truth, block in ((True, child.body), (False, child.orelse)):
                    inside = _platforms(self.platforms, child.test, truth)
                    both = inside if on is None else on if inside is None else on & inside
                    self._functions(ast.Module(body=block, type_ignores=[]), prefix, both)
            elif isinstance(child, (ast.If, ast.Try, ast.With)):
                self._functions(child, prefix, on)

    def _asked_in(self, node: ast.stmt | ast.expr) -> bool:
        return _has_line(self.asks, node)

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body:
        return body_of(node, names_cpu=_has_line(self.cpu, node))

    def _decorators(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, on: frozenset[str] | None
    ) -> None:
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            name = dotted(decorator.func)
            if not name or name.startswith(("pytest", "unittest")):
                continue
            values = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
            backends = {backend for value in values if (backend := backend_key(value))}
            body = None if isinstance(node, ast.ClassDef) else self._body(node)
            if not backends and _REGISTERS.search(name) and (prefixed := _prefixed(values)):
                self.facts.registered.append(Registered(name, *prefixed, node.lineno, body))
            elif len(backends) == 1:
                key = next(_texts(decorator.args), node.name)
                by_device = not any(isinstance(value, ast.Attribute) and backend_key(value) for value in values)
                found = Registered(name, backends.pop(), key, node.lineno, body, by_device)
                self.facts.registered.append(found)
            elif not backends and _REGISTERS.search(name):
                key = next(_texts(values), node.name)
                for backend in sorted(on) if on is not None else [""]:
                    self.facts.registered.append(Registered(name, backend, key, node.lineno, body))

    def _registry(self, node: ast.Assign | ast.AnnAssign) -> None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(node.value, ast.Dict) or not isinstance(target, (ast.Name, ast.Attribute)):
            return
        pairs = [(backend_key(key), key, value) for key, value in zip(node.value.keys, node.value.values) if key]
        named = [(backend, key, value) for backend, key, value in pairs if backend]
        if len({backend for backend, _, _ in named}) < 2 or len(named) * 2 < len(pairs):
            return
        entries = tuple(
            (backend, key.lineno, Status.MISSING if _is_empty(value) else Status.IMPLEMENTED, ast.unparse(value)[:80])
            for backend, key, value in named
        )
        by_device = all(isinstance(key, ast.Constant) for _, key, _ in named)
        self.facts.registries.append(Registry(dotted(target), node.lineno, entries, by_device))


def _imported(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the module it comes from and its name there."""
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, "." * node.level + f"{node.module or ''}:{alias.name}"
    elif isinstance(node, ast.Import):
        for alias in node.names:
            above, _, last = alias.name.rpartition(".")
            yield alias.asname or alias.name.partition(".")[0], f"{above}:{last}"


def _prefixed(values: list[ast.expr]) -> tuple[str, str] | None:
    """`"cuda.gemm.gen_function"`: the back end in a text of several parts, and the rest of it."""
    for text in _texts(values):
        parts = [part for part in _PARTS.split(text) if part]
        owners = {owner for part in parts if (owner := words().get(part.lower()))}
        if len(parts) > 1 and len(owners) == 1:
            return owners.pop(), ".".join(part for part in parts if part.lower() not in words())
    return None


def _texts(values: list[ast.expr]) -> Iterator[str]:
    """Strings that name no back end."""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and not backend_key(value):
            yield value.value


def _lines(wanted: re.Pattern[bytes], data: bytes) -> list[int]:
    """The lines on which something stands."""
    found: list[int] = []
    line, at = 1, 0
    for match in wanted.finditer(data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        found.append(line)
    return found


def _has_line(lines: list[int], node: ast.stmt | ast.expr) -> bool:
    first = bisect_left(lines, node.lineno)
    return first < len(lines) and lines[first] <= (node.end_lineno or node.lineno)


def _statements(tree: ast.AST, inside_functions: bool = True) -> Iterator[ast.stmt]:
    """Statements at every depth; expressions are not looked into."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            yield node
            if not inside_functions and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
        for name in ("finalbody", "handlers", "cases", "orelse", "body"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                todo += reversed(inner)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _platforms(platforms: Platforms, test: ast.expr, truth: bool) -> frozenset[str] | None:
    """The back ends on which a condition is so; None where it does not ask, or where nothing is sure."""
    truths = {backend: platforms.truth(backend, test) for backend in set(words().values())}
    if None in truths.values():
        return None
    return frozenset(backend for backend, value in truths.items() if value is truth)


def _members(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The methods of a class, also those that an `if` of its body defines."""
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    todo: list[ast.stmt] = list(node.body)
    while todo:
        item = todo.pop(0)
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(item)
        elif isinstance(item, ast.If):
            todo = [*item.body, *item.orelse, *todo]
    return found


def dotted_overload(item: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """`@overload` and `@x.setter` do not define the method anew."""
    names = [dotted(decorator).rpartition(".")[2] for decorator in item.decorator_list]
    return any(name in ("overload", "setter", "deleter") for name in names)


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text; a subscript or a call counts as what it is made of; else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else node.attr
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    if isinstance(node, ast.Call):
        return dotted(node.func)
    return ""


def backend_key(node: ast.expr) -> str | None:
    """The back end that a key names and nothing else: `"rocm"`, `PlatformEnum.ROCM`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return words().get(node.value.lower())
    if isinstance(node, ast.Attribute) and node.attr.isupper():
        return words().get(node.attr.lower())
    return None


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)) and not (
        node.keys if isinstance(node, ast.Dict) else node.elts
    )


def owner_of(path: str, name: str) -> str | None:
    """The back end that a class is of: by its name, else by its file and folders."""
    found = backend_of(name)
    if found:
        return found
    parts = path.removesuffix(".py").split("/")
    return next((owner for part in reversed(parts) if (owner := backend_of(part))), None)
