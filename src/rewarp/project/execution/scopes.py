"""Names of a script: where they are bound, and what functions, classes and modules are."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any

from rewarp.errors import GaveUp
from rewarp.project.execution.values import Guarded, Guards, Unknown, choose, compatible, denied, further

_LONG = 60


class Raised(GaveUp):
    """The script raises an exception, or exits."""

    def __init__(self, name: str, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.name, self.message, self.file, self.line = name, message, file, line


class Scope:
    """Names of a module, a function, a class or a comprehension."""

    def __init__(self, file: str, parent: Scope | None, base: Guards) -> None:
        """``base``: the guards under which it was entered."""
        self.file, self.parent, self.base = file, parent, base
        self.names: dict[str, Any] = {}
        self.declared: set[str] = set()
        """Names that are said to be the module's."""
        self.hidden = False
        """A class: its names are not seen from the functions in it."""
        self.returned: list[Guarded] = []
        self.yielded: list[Any] = []

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def holder(self, name: str) -> Scope | None:
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.names and (first or not scope.hidden) and name not in scope.declared:
                return scope
            scope, first = scope.parent, False
        return None

    def assign(self, name: str, value: Any, path: Guards) -> None:
        scope = self.module if name in self.declared else self
        if isinstance(value, Unknown) and len(value.text) > _LONG and not value.denies:
            value = replace(value, text=name)  # a condition is read by people
        guards = further(path, scope.base)
        if guards and name in scope.names:
            value = replaced(scope.names[name], value, guards)
        scope.names[name] = value


def replaced(before: Any, value: Any, guards: Guards) -> Any:
    """What something holds that is set to a value if some guards hold."""
    if not guards:
        return value
    return choose([Guarded(value, guards), Guarded(before, denied(guards))])


@dataclass(eq=False)
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    name: str
    defaults: dict[str, Any] = field(default_factory=dict)
    owner: Class | None = None
    bound: Any = None
    """The object of a method."""
    kind: str = ""
    """property, staticmethod, classmethod"""
    called: bool = False


@dataclass(eq=False)
class Class:
    name: str
    bases: tuple[Any, ...]
    names: dict[str, Any]
    file: str

    def find(self, name: str) -> tuple[Class, Any] | None:
        if name in self.names:
            return self, self.names[name]
        for base in self.bases:
            found = base.find(name) if isinstance(base, Class) else None
            if found is not None:
                return found
        return None

    def foreign(self) -> Any:
        """The first base that is not the project's."""
        for base in self.bases:
            found = base.foreign() if isinstance(base, Class) else base
            if found is not None:
                return found
        return None


@dataclass(eq=False)
class Module:
    file: str
    scope: Scope


def held(names: dict[str, Any], name: str, path: Guards) -> Any:
    found = names[name]
    options = getattr(found, "options", None)
    return choose([one for one in options if compatible(one.guards, path)], path) if options else found
