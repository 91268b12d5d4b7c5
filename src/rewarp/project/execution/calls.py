"""Calls and attributes: functions and classes of the project, and third-party ones."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from rewarp.lang.python_parameters import positional
from rewarp.project.execution.functions import Arguments, Keywords
from rewarp.project.execution.library import Library
from rewarp.project.execution.scopes import Class, Function, Module, Raised, Scope, held
from rewarp.project.execution.values import (
    Choice,
    External,
    Guarded,
    Guards,
    Instance,
    Unknown,
    choose,
    denied,
    shortened,
    written,
)
from rewarp.project.gates.platforms import by_name

_DEPTH = 24
Left = list[tuple[str, Guards]]
Hook = Callable[[External, Arguments, Keywords, ast.Call], Any]
"""Asked first about each call of something that is not the project's; None: it has nothing to say."""


class Calls(Library):
    """Follows calls."""

    hook: Hook

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def block(self, statements: list[ast.stmt]) -> Left:
        raise NotImplementedError

    # --- attributes -------------------------------------------------------------------

    def attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, External):
            return self.external(f"{owner.path}.{name}")
        if isinstance(owner, Module) and name == "__dir__":
            return External(name, bound=owner)
        if isinstance(owner, Module):
            names = owner.scope.names
            return held(names, name, self.path) if name in names else Unknown(f"{owner.file}: {name}")
        if isinstance(owner, Instance):
            return self._of_instance(owner, name)
        if isinstance(owner, Class):
            found = owner.find(name)
            return self._bound(found[1], found[0], owner) if found else Unknown(f"{owner.name}.{name}")
        if isinstance(owner, PurePosixPath):
            known = self.path_attribute(owner, name)
            if not self.is_missing(known):
                return known
        if isinstance(owner, _Parent):
            return self._of_parent(owner, name)
        if owner is None:
            raise Raised("AttributeError", f"None has no {name}", self.scope.file, self._line)
        if isinstance(owner, Unknown):
            return self._believed(name, f"{owner.text}.{name}")
        return External(name, bound=owner)

    def external(self, path: str) -> Any:
        """Something by its dotted path: a fact of the platform, a constant, or just its path."""
        fact = self.platform.paths.get(path)
        if fact is not None:
            return fact.value if fact.known else Unknown(path, fact.truth, fact.is_text)
        constant = self.constant(path)
        if not self.is_missing(constant):
            return constant
        return External(path)

    def _believed(self, name: str, text: str) -> Unknown:
        """A name that cannot be followed, but says which platform it is about."""
        return Unknown(shortened(text), by_name(self.platform, name))

    def _of_instance(self, owner: Instance, name: str) -> Any:
        if name in owner.attributes:
            return held(owner.attributes, name, self.path)
        if isinstance(owner.kind, Class):
            found = owner.kind.find(name)
            if found is not None:
                return self._bound(found[1], found[0], owner)
            return self._believed(name, f"{owner.kind.name}.{name}")
        return self._believed(name, f"{written(owner.kind)}().{name}")

    def _bound(self, found: Any, owner: Class, bound: Any) -> Any:
        if not isinstance(found, Function) or found.kind == "staticmethod":
            return found
        method = Function(found.node, found.scope, found.name, found.defaults, owner, bound, found.kind)
        if found.kind == "classmethod" and isinstance(bound, Instance):
            method.bound = bound.kind
        if isinstance(bound, Class) and found.kind != "classmethod":
            method.bound = None
        found.called = True
        return self.call_function(method, [], {}) if found.kind == "property" else method

    # --- calls ------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Any:
        self._line = node.lineno
        function = self.value(node.func)
        if isinstance(function, External) and function.path == "super" and function.bound is None:
            return self._parent()
        if isinstance(node.func, ast.Name) and node.func.id == "globals" and not node.args:
            return self.scope.module.names
        arguments: Arguments = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                members = self.members(self.value(argument.value))
                arguments += [Unknown("arguments")] if members is None else [item for item, _ in members]
            else:
                arguments.append(self.value(argument))
        keywords: Keywords = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords |= {key: item for key, item in value.items() if isinstance(key, str)}
        self._line = node.lineno
        return self.lifted(lambda one: self._called(one, arguments, keywords, node), function)

    def call_value(self, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
        return self._called(function, arguments, keywords, ast.Call(ast.Name("_"), [], [], lineno=self._line))

    def attribute_call(self, owner: Any, name: str, arguments: list[Any]) -> Any:
        return self.method(owner, name, arguments, {})

    def _called(self, function: Any, arguments: Arguments, keywords: Keywords, node: ast.Call) -> Any:
        if isinstance(function, Function):
            return self.call_function(function, arguments, keywords)
        if isinstance(function, Class):
            return self._made(function, arguments, keywords, node)
        if isinstance(function, _Constructor) and isinstance(function.made, Instance):
            return self.made_by(function.foreign, function.made, arguments, keywords, node)
        if isinstance(function, External) and function.bound is not None:
            return self.lifted(lambda one: self.method(one, function.path, arguments, keywords), function.bound)
        if isinstance(function, External):
            return self._external_call(function, arguments, keywords, node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return self._believed(name, f"{written(function)}({', '.join(map(written, arguments))})")

    def _external_call(self, function: External, arguments: Arguments, keywords: Keywords, node: ast.Call) -> Any:
        found = self.hook(function, arguments, keywords, node)
        if found is not None:
            return found
        owner, _, name = function.path.rpartition(".")
        if owner == "os.environ":
            return self.method(External(owner), name, arguments, keywords)
        fact = self.platform.paths.get(function.path + "()")
        if fact is not None:
            return fact.value if fact.known else Unknown(function.path + "()", fact.truth, fact.is_text)

        def one(*values: Any) -> Any:
            result = self.library_call(function.path, list(values), keywords)
            if not self.is_missing(result):
                return result
            given = ", ".join(map(written, values))
            return self._believed(name, f"{function.path}({given})")

        few = sum(isinstance(argument, Choice) for argument in arguments) <= 2
        lists = function.path in ("list", "sorted", "set", "tuple", "len", "map", "filter", "copy.deepcopy")
        return self.lifted(one, *arguments) if few and not lists else one(*arguments)

    def _parent(self) -> Any:
        scope: Scope | None = self.scope
        while scope is not None and "__class__" not in scope.names:
            scope = scope.parent
        if scope is None:
            return Unknown("super()")
        return _Parent(scope.names["__class__"], scope.names["__self__"])

    def _of_parent(self, parent: _Parent, name: str) -> Any:
        for base in parent.kind.bases:
            found = base.find(name) if isinstance(base, Class) else None
            if found is not None:
                return self._bound(found[1], found[0], parent.made)
        foreign = parent.kind.foreign()
        if name == "__init__" and isinstance(foreign, External):
            return _Constructor(foreign, parent.made)
        return Unknown(f"super().{name}")

    # --- functions --------------------------------------------------------------------

    def call_function(self, function: Function, arguments: Arguments, keywords: Keywords) -> Any:
        function.called = True
        if self._depth >= _DEPTH:
            return Unknown(f"{function.name}()")
        before, scope = self.scope, Scope(function.scope.file, function.scope, self.path)
        self._bind_arguments(function, scope, arguments, keywords)
        self.scope = scope
        self._depth += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body)
            left = self.block(function.node.body)
        finally:
            self.scope = before
            self._depth -= 1
        if scope.yielded:
            return scope.yielded
        found = list(scope.returned)
        if not any(not guards for _, guards in left):
            others = tuple(guard for kind, guards in left if kind == "return" for guard in denied(guards))
            found.append(Guarded(None, others))
        return choose(found, self.path)

    def _bind_arguments(self, function: Function, scope: Scope, arguments: Arguments, keywords: Keywords) -> None:
        given = function.node.args
        names = [arg.arg for arg in positional(given)]
        every = [*names, *(arg.arg for arg in given.kwonlyargs)]
        if function.bound is not None:
            arguments = [function.bound, *arguments]
        for name in every:
            scope.names[name] = function.defaults.get(name, Unknown(name))
        scope.names.update(zip(names, arguments))
        scope.names |= {name: value for name, value in keywords.items() if name in every}
        if given.vararg:
            scope.names[given.vararg.arg] = tuple(arguments[len(names) :])
        if given.kwarg:
            scope.names[given.kwarg.arg] = {name: value for name, value in keywords.items() if name not in every}
        if function.owner is not None and function.bound is not None:
            scope.names |= {"__class__": function.owner, "__self__": function.bound}

    # --- objects ----------------------------------------------------------------------

    def _made(self, kind: Class, arguments: Arguments, keywords: Keywords, node: ast.Call) -> Any:
        made = Instance(kind, {}, self.scope.file, node.lineno, self.path)
        found = kind.find("__init__")
        foreign = kind.foreign()
        if found is not None and isinstance(found[1], Function):
            self.call_value(self._bound(found[1], found[0], made), arguments, keywords)
        elif isinstance(foreign, External):
            self.made_by(foreign, made, arguments, keywords, node)
        elif arguments or keywords:  # a dataclass, a named tuple
            fields = [name for name in kind.names if not isinstance(kind.names[name], Function)]
            made.attributes |= dict(zip(fields, arguments)) | keywords
        return made

    def made_by(
        self, foreign: External, made: Instance, arguments: Arguments, keywords: Keywords, node: ast.Call
    ) -> None:
        """A third-party constructor, for an object of a class of the project's."""
        made.made_as = foreign
        given = self.hook(foreign, arguments, keywords, node)
        if isinstance(given, Instance):
            made.attributes = {**given.attributes, **made.attributes}


class _Parent(NamedTuple):
    """``super()``."""

    kind: Class
    made: Any


class _Constructor(NamedTuple):
    """``super().__init__`` of a class that is not the project's."""

    foreign: External
    made: Any
