"""What a name holds for an NVIDIA user, in its own module and in the one that it is imported from."""

from __future__ import annotations

import ast
from abc import abstractmethod

from rewarp.verify.isolation.python.gates.expressions import Expressions
from rewarp.verify.isolation.python.gates.facts import EXTENSION_VALUES, TORCH_VALUES, TYPING_VALUES, Fact
from rewarp.verify.isolation.python.reading.scopes import Binding, Scope


class Values(Expressions):
    """The names of one module and of those that it imports from."""

    @abstractmethod
    def of_file(self, file: str) -> Values | None:
        """The same of another module of the project."""

    def _name(self, node: ast.Name) -> Fact | None:
        scope = self.scopes.find(node.id, self.scopes.of[node])
        if scope is None:
            return None
        if node.id.startswith("__") and not node.id.endswith("__") and self.scopes.in_class(node):
            return None  # mangled: another name
        return self._value(scope, node.id, node)

    def _value(self, scope: Scope, name: str, use: ast.AST | None) -> Fact | None:
        """The one value a name can have on NVIDIA, at a place or (`use` None) once its module has run."""
        key = (id(scope), name)
        if key in self._open:
            return None
        self._open.add(key)
        try:
            live = self._live(scope, name, use)
            if live is None:
                return None
            facts = [self._bound_fact(binding, name) for binding in live]
        finally:
            self._open.discard(key)
        known = [fact for fact in facts if fact is not None]
        decided = any(fact.platform for fact in known) or len(live) < len(scope.bindings[name])
        several = not all(known[0].same(fact) for fact in known)
        if len(known) == len(facts) and several and decided and all(fact.known for fact in known):
            if scope is self.scopes.module:
                self.module.rely_on(name)
            return Fact.one_of(tuple(fact.value for fact in known))
        if len(known) < len(facts) or several:
            self._not_followed(use, name, "its value is not decided by the platform alone")
            return None
        if not decided and known[0].truth is not None:
            # A plain constant is a setting: someone may have a reason to change it.
            self._not_followed(use, name, "its value is not decided by the platform alone")
            return None
        if scope is self.scopes.module:
            self.module.rely_on(name)
        return known[0].by(Fact(None, platform=decided))

    def _bound_fact(self, binding: Binding, name: str) -> Fact | None:
        if binding.value is not None:
            return self.fact(binding.value)
        origin = self.module.origin(binding.node, name)
        if origin is None:
            return None
        if origin.file and origin.name:
            return self._exported(origin.file, origin.name, binding.node, imported=True)
        path = origin.outside or ""
        if path in TYPING_VALUES:
            return TYPING_VALUES[path]
        if path in TORCH_VALUES or path in EXTENSION_VALUES:
            return None if self._unsure_of_torch(binding.node) else {**TORCH_VALUES, **EXTENSION_VALUES}[path]
        return None

    # --- other modules ------------------------------------------------------------

    def through_star(self, name: str) -> tuple[ast.ImportFrom, str] | None:
        """The one file of the project that a module gets a name from by `from m import *`, where nothing else may give it."""
        top = self.scopes.module
        if name in top.bindings or name.startswith("_") or not top.star_imports or self.module.reached_by:
            return None
        found: list[tuple[ast.ImportFrom, str]] = []
        for star in top.star_imports:
            file = self.module.project.module_file(self.module.path, star.module or "", star.level)
            other = self.of_file(file) if file else None
            if other is None or other is self or star not in self.module.tree.body:
                return None
            if "__all__" in other.scopes.module.bindings or other.scopes.module.star_imports:
                return None
            if name in other.scopes.module.bindings:
                found.append((star, file or ""))
        if len(found) != 1:
            return None
        self.module.rely_on(name)
        return found[0]

    def _exported(self, file: str, name: str, use: ast.AST, imported: bool = False) -> Fact | None:
        """``imported``: by a `from … import` that has run, so that the name was there, however the modules import each other."""
        other = self.of_file(file)
        if other is None or other is self:
            return None
        star = other.through_star(name)
        fact = other._exported(star[1], name, star[0], True) if star else other._value(other.scopes.module, name, None)
        if fact is None:
            self._not_followed(use, name, f"its definition in {file} could not be followed")
        elif not imported and self.module.imports_back(file):
            self._not_followed(use, name, f"{file} is part of a circular import, or of one too large to follow")
            return None
        return fact

    def _file_of(self, node: ast.expr) -> str | None:
        """The project's module that a name means."""
        if not isinstance(node, ast.Name):
            return None
        scope = self.scopes.find(node.id, self.scopes.of[node])
        live = self._live(scope, node.id, node) if scope else None
        origins = {self.module.origin(binding.node, node.id) for binding in live or []}
        origin = origins.pop() if len(origins) == 1 else None
        file = origin.file if origin and origin.name is None else None
        if file:
            self.module.rely_on(node.id)
        return file
