"""Gates that are methods: what `self.is_rocm()` gives, whichever class of the project the object is of.

A method counts only where every class of the project that defines it comes to the same on NVIDIA, and nothing sets it otherwise.
Two shapes are followed: a body that comes to a value of the platform (with a value kept in an attribute of the class), and a
comparison of an attribute with a member of an enum that only a class of AMD's has, which no code that NVIDIA runs names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rewarp.verify.isolation.python.gates.facts import Fact
from rewarp.verify.isolation.python.reading.scopes import Function, FunctionNode

if TYPE_CHECKING:
    from rewarp.verify.isolation.python.gates.gates import Gates
    from rewarp.verify.isolation.python.reading.modules import Modules

_PLAIN = frozenset({"staticmethod", "classmethod", "functools.lru_cache", "functools.cache"})
_MOST = 12
"""A method that more classes define is no gate."""


class Methods:
    """The methods of one side of a project, by their names."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self._project = gates.module.project
        self._known: dict[str, Fact | None] = {}
        self.open: set[str] = set()
        """Methods that are being followed: what is folded meanwhile takes them for unknown."""

    def returned(self, name: str) -> Fact | None:
        """What a method of this name returns on NVIDIA, of whatever object of the project."""
        if name in self.open:
            return None
        if name not in self._known:
            self.open.add(name)
            try:
                self._known[name] = self._find(name)
            finally:
                self.open.discard(name)
                self._gates.module.modules.keep()
        return self._known[name]

    def _find(self, name: str) -> Fact | None:
        owners = list(self._definitions(name))
        if not owners or len(owners) > _MOST or self._is_set(name):
            return None
        found: list[Fact] = []
        for gates, owner, method in owners:
            fact = self._of_method(gates, owner, method) if isinstance(method, Function) else None
            if fact is None:
                return None
            found.append(fact)
        return found[0] if all(one.truth is found[0].truth for one in found) else None

    def _definitions(self, name: str) -> Iterator[tuple[Gates, ast.ClassDef, ast.stmt]]:
        """Every class that has something of this name, with what it has."""
        for path, data in self._project.files_with_word(name, tests=False):
            if not re.search(rb"\bdef\s+" + name.encode() + rb"\b|^\s+" + name.encode() + rb"\s*[:=]", data, re.M):
                continue
            gates = self._gates.others.get(path) or self._gates.of_file(path)
            for owner in ast.walk(gates.module.tree) if gates else ():
                if isinstance(owner, ast.ClassDef):
                    own = (one for one in owner.body if name in _bound(one))
                    yield from ((gates, owner, one) for one in own if gates)

    def _is_set(self, name: str) -> bool:
        """Whether something sets it on an object or a class from outside of the class's body."""
        for path in self._project.setters_of(name):
            if name in self._project.names_set(path):
                return True
            tree = self._project.tree_of(path)
            for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
                if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
                    return True
        return False

    def _of_method(self, gates: Gates, owner: ast.ClassDef, method: FunctionNode) -> Fact | None:
        decorators = [ast.unparse(one.func if isinstance(one, ast.Call) else one) for one in method.decorator_list]
        static = "staticmethod" in decorators
        every = [*method.args.posonlyargs, *method.args.args]
        plain = len(every) == (0 if static else 1) and not (
            method.args.vararg or method.args.kwarg or method.args.kwonlyargs
        )
        if not plain or not all(one in _PLAIN or one.partition(".")[2] in _PLAIN for one in decorators):
            return None
        if isinstance(method, ast.AsyncFunctionDef) or gates.scopes.made_by[method].generator:
            return None
        body = [one for one in method.body if not _is_text(one)]
        if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
            return self._of_enum(gates, body[0].value) or gates.platform_fact(body[0].value)
        return self._kept(gates, owner, method)

    # --- a value that is kept ---------------------------------------------------------

    def _kept(self, gates: Gates, owner: ast.ClassDef, method: FunctionNode) -> Fact | None:
        """A body that finds out once and keeps what it found in an attribute of the class: no value that it returns is true."""
        kept = {
            node.attr
            for node in ast.walk(method)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner.name
        }
        if len(kept) > 1 or not all(self._only_set_by(one, gates, owner, method) for one in kept):
            return None

        def is_false(value: ast.expr | None) -> bool:
            if value is None or (isinstance(value, ast.Attribute) and value.attr in kept):
                return True
            fact = gates.fact(value)
            return fact is not None and fact.truth is False

        returns = [one.value for one in ast.walk(method) if isinstance(one, ast.Return) and not gates.dead(one)]
        sets = [one for one in ast.walk(method) if isinstance(one, ast.Assign) and not gates.dead(one)]
        first = [one.value for one in owner.body if isinstance(one, ast.Assign) and kept & set(_bound(one))]
        values = [*returns, *first, *(one.value for one in sets if any(_attribute(t) in kept for t in one.targets))]
        if not returns or not all(map(is_false, values)):
            return None
        harmless = all(self._does_nothing(one, gates, kept) for one in method.body)
        return Fact(False, platform=True) if harmless else None

    def _only_set_by(self, name: str, gates: Gates, owner: ast.ClassDef, method: FunctionNode) -> bool:
        """Whether an attribute is set in the class's own body and in this method alone."""
        for path, _ in self._project.files_with_word(name, tests=False):
            tree = self._project.tree_of(path)
            inside = set(map(id, ast.walk(method))) if path == gates.module.path else set()
            for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
                if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
                    if id(node) not in inside:
                        return False
                if isinstance(node, ast.Constant) and node.value == name:
                    return False
                if (
                    isinstance(node, ast.ClassDef)
                    and node is not owner
                    and any(name in _bound(one) for one in node.body)
                ):
                    return False
        return True

    def _does_nothing(self, node: ast.stmt, gates: Gates, kept: set[str]) -> bool:
        """Whether a statement does nothing that anybody could notice, but for what it keeps."""

        def block(statements: list[ast.stmt]) -> bool:
            return all(self._does_nothing(one, gates, kept) for one in statements)

        if isinstance(node, ast.If):
            fact = gates.fact(node.test)
            if fact is not None and fact.truth is not None:
                return block(node.body if fact.truth else node.orelse)
            return _only_compares(node.test) and block(node.body) and block(node.orelse)
        if isinstance(node, ast.Try):
            return not node.finalbody and block(
                [*node.body, *node.orelse, *(one for h in node.handlers for one in h.body)]
            )
        if isinstance(node, ast.Assign):
            plain = all(isinstance(one, ast.Name) or _attribute(one) in kept for one in node.targets)
            return plain and (isinstance(node.value, (ast.Name, ast.Constant)) or gates.fact(node.value) is not None)
        if isinstance(node, ast.Return):
            return True
        return isinstance(node, ast.Pass) or _is_text(node) or gates.imports_torch(node)

    # --- a member of an enum -------------------------------------------------------------

    def _of_enum(self, gates: Gates, value: ast.expr) -> Fact | None:
        """`self._enum == PlatformEnum.ROCM`, where only classes that no code for NVIDIA names have that member."""
        if not isinstance(value, ast.Compare) or len(value.ops) != 1 or not isinstance(value.ops[0], (ast.Eq, ast.Is)):
            return None
        left, right = value.left, value.comparators[0]
        of_object = (
            isinstance(left, ast.Attribute) and isinstance(left.value, ast.Name) and left.value.id in ("self", "cls")
        )
        member = isinstance(right, ast.Attribute) and isinstance(right.value, ast.Name)
        if not of_object or not member:
            return None
        assert isinstance(left, ast.Attribute)
        assert isinstance(right, ast.Attribute)
        if self._is_set(left.attr):
            return None
        owners = list(self._with_member(left.attr, right))
        named = all(not _is_named(owner, path, self._gates.left_for_nvidia, self._project) for path, owner in owners)
        return Fact.of(False, platform=True) if owners and named else None

    def _with_member(self, name: str, member: ast.Attribute) -> Iterator[tuple[str, str]]:
        """Classes whose attribute is that member, and those derived from them."""
        wanted = ast.unparse(member)
        trees = [
            (path, tree)
            for path, _ in self._project.files_with_word(name, tests=False)
            if isinstance(tree := self._project.tree_of(path), ast.Module)
        ]
        for path, tree in trees:
            for owner in ast.walk(tree):
                if not isinstance(owner, ast.ClassDef):
                    continue
                for one in owner.body:
                    value = getattr(one, "value", None)
                    if name in _bound(one) and value is not None:
                        simple = isinstance(value, ast.Attribute)
                        if not simple or ast.unparse(value).rpartition(".")[2] == wanted.rpartition(".")[2]:
                            yield path, owner.name


_all: WeakKeyDictionary[Modules, Methods] = WeakKeyDictionary()


def methods_of(gates: Gates) -> Methods:
    modules = gates.module.modules
    if modules not in _all:
        _all[modules] = Methods(gates)
    return _all[modules]


Left = Callable[[str], "list[ast.stmt] | None"]


def _is_named(owner: str, path: str, left: Left, project: object) -> bool:
    """Whether what NVIDIA runs of any other file speaks of a class, or a text there does."""
    word = re.compile(rf"(?:^|[.:])\s*{re.escape(owner)}$")
    for other, _ in project.files_with_word(owner, tests=False):  # type: ignore[attr-defined]
        rest = left(other)
        if rest is None:
            return True
        for statement in rest:
            if other == path and isinstance(statement, ast.ClassDef) and statement.name == owner:
                continue
            for node in ast.walk(statement):
                text = node.value if isinstance(node, ast.Constant) else None
                if (isinstance(node, ast.Name) and node.id == owner) or (
                    isinstance(node, ast.Attribute) and node.attr == owner
                ):
                    return True
                if isinstance(node, ast.alias) and node.name == owner:
                    return True
                if isinstance(text, str) and word.search(text):
                    return True
    return False


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (*Function, ast.ClassDef)):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _attribute(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _only_compares(test: ast.expr) -> bool:
    """Numbers and kept values compared: nothing is called."""
    return not any(isinstance(node, (ast.Call, ast.Await, ast.Subscript, ast.NamedExpr)) for node in ast.walk(test))
