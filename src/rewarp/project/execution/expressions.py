"""Expressions of a script that is followed without being run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rewarp.project.execution.operators import Operators, as_text, is_plain, operand
from rewarp.project.execution.paths import Fork, TooMuch
from rewarp.project.execution.scopes import Function, Raised, Scope
from rewarp.project.execution.values import (
    Choice,
    External,
    Guarded,
    Guards,
    Unknown,
    choose,
    further,
    has_hole,
    shortened,
    truth,
    written,
)

_MOST_STEPS = 200_000


class Expressions(Operators):
    """Evaluates expressions under a path: the guards that are taken to hold where the script is."""

    # --- what others add ------------------------------------------------------------

    def call(self, node: ast.Call) -> Any:
        raise NotImplementedError

    def attribute(self, owner: Any, name: str) -> Any:
        raise NotImplementedError

    # --- evaluation -----------------------------------------------------------------

    def value(self, node: ast.expr | None) -> Any:
        if node is None:
            return None
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMuch
        method = _METHODS.get(type(node))
        return method(self, node) if method else Unknown(shortened(ast.unparse(node)))

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        scope = self.scope.holder(node.id)
        if scope is None:
            return External(node.id)
        found = scope.names[node.id]
        if isinstance(found, Choice):
            return choose(found.options, self.path)
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        return self.lifted(lambda owner: self.attribute(owner, node.attr), self.value(node.value))

    def _collection(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        found: list[Any] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                inner = self.value(item.value)
                members = self.members(inner)
                found += [Guarded(inner, ())] if members is None else members
            else:
                found.append(self.value(item))
        plain = [item.item if isinstance(item, Guarded) and not item.guards else item for item in found]
        return tuple(plain) if isinstance(node, ast.Tuple) else plain

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[Any, Any] = {}
        for key, item in zip(node.keys, node.values):
            value = self.value(item)
            if key is None:
                if isinstance(value, dict):
                    found.update(value)
                continue
            name = self.value(key)
            if isinstance(name, (str, int, type(None))):
                found[name] = value
        return found

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self.lifted(self._negation, value)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return -value
        return Unknown(f"-{written(value)}")

    def _negation(self, value: Any) -> Any:
        known = truth(value)
        if known is not None:
            return not known
        if isinstance(value, Unknown):
            return Unknown(value.text, denies=not value.denies)
        return Unknown(written(value), denies=True)

    def _bool(self, node: ast.BoolOp) -> Any:
        ends = isinstance(node.op, ast.Or)
        return self._rest_of(node.values, ends)

    def _rest_of(self, operands: list[ast.expr], ends: bool) -> Any:
        first = self.value(operands[0])
        if len(operands) == 1:
            return first
        found = self.decide(first, operands[0])
        if isinstance(found, bool):
            return first if found is ends else self._rest_of(operands[1:], ends)
        goes_on, stops = (found.no, found.yes) if ends else found
        rest: Any = not ends
        with self.under(goes_on), suppress(Raised):
            rest = self._rest_of(operands[1:], ends)
        if isinstance(rest, Unknown) and rest.truth is None and isinstance(first, Unknown):
            return Unknown(shortened(f"{operand(first)} {'or' if ends else 'and'} {operand(rest)}"))
        settled = replace(first, truth=ends, denies=False) if isinstance(first, Unknown) else first
        return choose([Guarded(settled, stops), Guarded(rest, goes_on)], self.path)

    def _conditional(self, node: ast.IfExp) -> Any:
        found = self.decide(self.value(node.test), node.test)
        if isinstance(found, bool):
            return self.value(node.body if found else node.orelse)
        options = []
        for guards, side in ((found.yes, node.body), (found.no, node.orelse)):
            with self.under(guards), suppress(Raised):
                options.append(Guarded(self.value(side), guards))
        return choose(options, self.path)

    # --- comparisons ----------------------------------------------------------------

    def _compare(self, node: ast.Compare) -> Any:
        found: Any = True
        left, before = node.left, self.value(node.left)
        for compared, right in zip(node.ops, node.comparators):
            after = self.value(right)
            one = self.lifted(lambda a, b, op=compared, x=left, y=right: self._compared(a, op, b, x, y), before, after)
            if len(node.ops) == 1:
                return one
            if truth(one) is False:
                return False
            found = one if found is True else Unknown(f"{operand(found)} and {operand(one)}")
            left, before = right, after
        return found

    # --- arithmetic and texts ---------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Any:
        return self.lifted(lambda a, b: self.combined(a, node.op, b), self.value(node.left), self.value(node.right))

    def _formatted(self, node: ast.JoinedStr) -> Any:
        parts: list[Any] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.value(part.value)
                exact = part.format_spec is None and part.conversion in (-1, 115)
                parts.append(value if exact else Unknown(shortened(ast.unparse(part.value))))
            else:
                parts.append(self.value(part))
        return self.lifted(lambda *values: self.limited("".join(map(as_text, values))), *parts)

    # --- parts ------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Any:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [self.value(part) for part in (node.slice.lower, node.slice.upper, node.slice.step)]
            return self.lifted(lambda one: self._sliced(one, bounds, node), owner)
        return self.lifted(lambda one, key: self.item(one, key), owner, self.value(node.slice))

    def _sliced(self, owner: Any, bounds: list[Any], node: ast.Subscript) -> Any:
        exact = all(bound is None or isinstance(bound, int) for bound in bounds)
        if exact and isinstance(owner, (list, tuple)) and not any(isinstance(item, Guarded) for item in owner):
            return owner[slice(*bounds)]
        if exact and isinstance(owner, str) and not has_hole(owner):
            return owner[slice(*bounds)]
        return Unknown(f"{written(owner)}[{ast.unparse(node.slice)}]", is_text=isinstance(owner, str))

    def item(self, owner: Any, key: Any) -> Any:
        if isinstance(owner, External) and owner.path == "os.environ" and isinstance(key, str):
            return self.attribute_call(owner, "get", [key])
        if isinstance(owner, dict) and is_plain(key) and key in owner:
            found = owner[key]
            return choose(found.options, self.path) if isinstance(found, Choice) else found
        if isinstance(owner, (list, tuple)) and isinstance(key, int) and -len(owner) <= key < len(owner):
            if not any(isinstance(item, Guarded) for item in owner):
                return owner[key]
        if isinstance(owner, str) and isinstance(key, int) and not has_hole(owner) and -len(owner) <= key < len(owner):
            return owner[key]
        return Unknown(shortened(f"{written(owner)}[{written(key)}]"))

    def attribute_call(self, owner: Any, name: str, arguments: list[Any]) -> Any:
        raise NotImplementedError

    def _lambda(self, node: ast.Lambda) -> Any:
        return Function(node, self.scope, "<lambda>")

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.scope.assign(node.target.id, value, self.path)
        return value

    # --- comprehensions ---------------------------------------------------------------

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) -> Any:
        before = self.scope
        self.scope = Scope(before.file, before, self.path)
        found: list[Guarded] = []
        try:
            self._generate(node, 0, found)
        finally:
            self.scope = before
        here = [Guarded(item, further(guards, self.path)) for item, guards in found]
        if isinstance(node, ast.DictComp):
            return {key: value for (key, value), _ in here if isinstance(key, (str, int, type(None)))}
        return [one if one.guards else one.item for one in here]

    def _generate(self, node: Any, at: int, found: list[Guarded]) -> None:
        if at == len(node.generators):
            if isinstance(node, ast.DictComp):
                found.append(Guarded((self.value(node.key), self.value(node.value)), self.path))
            else:
                found.append(Guarded(self.value(node.elt), self.path))
            self.limited(found)
            return
        loop = node.generators[at]
        over = self.value(loop.iter)
        members = self.members(over)
        for item, guards in [Guarded(self.some(over), ())] if members is None else members:
            with self.under(guards):
                self.bind(loop.target, item)
                kept = self._kept(loop.ifs)
                if kept is not None:
                    with self.under(kept):
                        self._generate(node, at + 1, found)

    def _kept(self, tests: list[ast.expr]) -> Guards | None:
        """Under which guards all of these hold; None where one does not."""
        if not tests:
            return ()
        decided = self.decide(self.value(tests[0]), tests[0])
        if decided is False:
            return None
        first = decided.yes if isinstance(decided, Fork) else ()
        with self.under(first):
            rest = self._kept(tests[1:])
        return None if rest is None else (*first, *rest)

    def some(self, over: Any) -> Unknown:
        """A member of what is not known."""
        return Unknown(f"each of {written(over)}")

    def bind(self, target: ast.expr, value: Any) -> None:
        raise NotImplementedError


_METHODS: Mapping[type[ast.AST], Callable[[Expressions, Any], Any]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.List: Expressions._collection,
    ast.Tuple: Expressions._collection,
    ast.Set: Expressions._collection,
    ast.Dict: Expressions._dict,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool,
    ast.IfExp: Expressions._conditional,
    ast.Compare: Expressions._compare,
    ast.BinOp: Expressions._binary,
    ast.JoinedStr: Expressions._formatted,
    ast.Subscript: Expressions._subscript,
    ast.Lambda: Expressions._lambda,
    ast.NamedExpr: Expressions._named,
    ast.ListComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Call: lambda self, node: self.call(node),
}
