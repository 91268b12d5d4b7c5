"""Expressions of a script that is followed without being run."""

from __future__ import annotations

import ast
import operator
import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from rewarp.project.execution.scopes import Function, Raised, Scope
from rewarp.project.execution.values import (
    Choice,
    External,
    Guard,
    Guarded,
    Guards,
    OpenFile,
    Unknown,
    choose,
    compatible,
    denied,
    further,
    has_hole,
    hole,
    shortened,
    truth,
    written,
)
from rewarp.project.gates.compare import platform_word, text_of_platform
from rewarp.project.gates.platforms import Platform

_MOST_STEPS = 200_000
_MOST_MEMBERS = 20_000
_LONGEST_TEXT = 200_000
_COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
    ast.In: ("in", lambda one, other: one in other),
    ast.NotIn: ("not in", lambda one, other: one not in other),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Div: ("/", operator.truediv),
    ast.Mod: ("%", operator.mod),
    ast.BitOr: ("|", operator.or_),
    ast.BitAnd: ("&", operator.and_),
}


class Fork(NamedTuple):
    """A condition that nothing decides: the guards where it is true, and where it is not."""

    yes: Guards
    no: Guards


class TooMuch(Exception):
    """The script does more than is followed."""


class Expressions:
    """Evaluates expressions under a path: the guards that are taken to hold where the script is."""

    platform: Platform

    def __init__(self) -> None:
        self.path: Guards = ()
        self.scope: Scope = Scope("", None, ())
        self._line = 0
        self._steps = 0

    # --- what others add ------------------------------------------------------------

    def call(self, node: ast.Call) -> Any:
        raise NotImplementedError

    def attribute(self, owner: Any, name: str) -> Any:
        raise NotImplementedError

    # --- paths ----------------------------------------------------------------------

    @contextmanager
    def under(self, guards: Guards) -> Iterator[None]:
        before, self.path = self.path, (*self.path, *further(guards, self.path))
        try:
            yield
        finally:
            self.path = before

    def lifted(self, function: Callable[..., Any], *values: Any) -> Any:
        """What a function gives for each value that the arguments may have."""
        for at, value in enumerate(values):
            if isinstance(value, Choice):
                found, failure = [], None
                for option in value.options:
                    if compatible(option.guards, self.path):
                        try:
                            with self.under(option.guards):
                                one = self.lifted(function, *values[:at], option.item, *values[at + 1 :])
                            found.append(Guarded(one, option.guards))
                        except Raised as raised:  # on this way alone
                            failure = raised
                if failure is not None and not found:
                    raise failure
                return choose(found, self.path)
        return function(*values)

    def decide(self, value: Any, node: ast.AST) -> bool | Fork:
        """The truth of a condition here, or what stands for its being true and its being false."""
        known = truth(value)
        if known is not None:
            return known
        if isinstance(value, Choice):
            return self._decide_choice(value, node)
        guard = value.guard if isinstance(value, Unknown) else Guard(shortened(ast.unparse(node)))
        return self._fork((guard,))

    def _fork(self, guards: Guards) -> bool | Fork:
        """A condition that is true where all of these hold."""
        missing = further(guards, self.path)
        if not missing:
            return True
        return Fork(missing, denied(missing)) if compatible(missing, self.path) else False

    def _decide_choice(self, value: Choice, node: ast.AST) -> bool | Fork:
        here = [option for option in value.options if compatible(option.guards, self.path)]
        truths = [truth(option.item) for option in here]
        if None not in truths:
            if truths.count(True) == 1:
                return self._fork(here[truths.index(True)].guards)
            if truths.count(False) == 1:
                found = self._fork(here[truths.index(False)].guards)
                return not found if isinstance(found, bool) else Fork(found.no, found.yes)
        return self._fork((Guard(shortened(ast.unparse(node))),))

    def members(self, value: Any) -> list[Guarded] | None:
        """The members of a collection, with their guards; None for what is none."""
        if isinstance(value, Choice):
            found: list[Guarded] = []
            for option in value.options:
                inner = self.members(option.item)
                if inner is None:
                    return None
                found += [Guarded(item, (*option.guards, *guards)) for item, guards in inner]
        elif isinstance(value, (list, tuple, set, frozenset)):
            found = [item if isinstance(item, Guarded) else Guarded(item, ()) for item in value]
        elif isinstance(value, dict):
            found = [Guarded(key, ()) for key in value]
        elif isinstance(value, OpenFile):
            found = [Guarded(line, ()) for line in value.text.splitlines(keepends=True)]
        elif isinstance(value, str) and not has_hole(value) and len(value) < 1000:
            found = [Guarded(letter, ()) for letter in value]
        else:
            return None
        if len(found) > _MOST_MEMBERS:
            raise TooMuch
        return [Guarded(item, further(guards, self.path)) for item, guards in found if compatible(guards, self.path)]

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
            return Unknown(shortened(f"{_operand(first)} {'or' if ends else 'and'} {_operand(rest)}"))
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
            found = one if found is True else Unknown(f"{_operand(found)} and {_operand(one)}")
            left, before = right, after
        return found

    def _compared(self, left: Any, compared: ast.cmpop, right: Any, first: ast.expr, second: ast.expr) -> Any:
        sign, function = _COMPARE[type(compared)]
        if isinstance(compared, (ast.Is, ast.IsNot)) or left is None or right is None:
            known = _identical(left, right)
            positive = isinstance(compared, (ast.Is, ast.Eq))
            if known is not None and (positive or isinstance(compared, (ast.IsNot, ast.NotEq))):
                return known is positive
        elif isinstance(compared, (ast.In, ast.NotIn)):
            return self._contained(left, compared, right, first)
        elif is_plain(left) and is_plain(right):
            try:
                return bool(function(left, right))
            except (TypeError, ValueError):
                pass
        else:
            words = platform_word(self.platform, _last(first), written(left), second, False)
            if words is not None and isinstance(compared, (ast.Eq, ast.NotEq)):
                return words is isinstance(compared, ast.Eq)
        positive_sign = {"!=": "==", "is not": "is"}.get(sign, sign)
        text = shortened(f"{_operand(left)} {positive_sign} {_operand(right)}")
        return Unknown(text, denies=positive_sign != sign)

    def _contained(self, left: Any, compared: ast.cmpop, right: Any, first: ast.expr) -> Any:
        positive = isinstance(compared, ast.In)
        if isinstance(right, External) and right.path == "torch.__version__":
            found = text_of_platform(first, compared, self.platform)
            if found.truth is not None:
                return found.truth
        members = None if isinstance(right, str) else self.members(right)
        if isinstance(right, str) and isinstance(left, str) and not has_hole(left):
            if left in right or not has_hole(right):
                return (left in right) is positive
        elif members is not None and is_plain(left):
            same = [guards for item, guards in members if is_plain(item) and type(item) is type(left) and item == left]
            if () in same or (not any(not is_plain(item) for item, _ in members) and not same):
                return (() in same) is positive
            if same:
                yes, no = Guarded(positive, same[0]), Guarded(not positive, denied(same[0]))
                return choose([yes, no], self.path)
        return Unknown(shortened(f"{_operand(left)} in {_operand(right)}"), denies=not positive)

    # --- arithmetic and texts ---------------------------------------------------------

    def _binary(self, node: ast.BinOp) -> Any:
        return self.lifted(lambda a, b: self.combined(a, node.op, b), self.value(node.left), self.value(node.right))

    def combined(self, left: Any, combined: ast.operator, right: Any) -> Any:
        sign, function = _ARITHMETIC.get(type(combined), ("?", None))
        if (isinstance(combined, ast.Div) and isinstance(left, PurePosixPath)) or isinstance(right, PurePosixPath):
            return self._joined_path(left, right)
        if isinstance(combined, ast.Add):
            if (left is None and isinstance(right, str)) or (right is None and isinstance(left, str)):
                raise Raised("TypeError", "a text is added to None", self.scope.file, self._line)
            if isinstance(left, (list, tuple)) and isinstance(right, Unknown):
                return [*left, right]
            if isinstance(right, (list, tuple)) and isinstance(left, Unknown):
                return [left, *right]
            if isinstance(left, str) and isinstance(right, (Unknown, External)):
                return left + as_text(right)
            if isinstance(right, str) and isinstance(left, (Unknown, External)):
                return as_text(left) + right
        if isinstance(left, (set, frozenset)) and isinstance(right, (list, set, frozenset)):
            return self._sets(left, sign, right)
        if function and isinstance(left, (str, list, tuple, int, float)) and type(left) is type(right):
            if not isinstance(left, str) or isinstance(combined, ast.Add):
                try:
                    return self.limited(function(left, right))
                except (TypeError, ValueError, ArithmeticError):
                    pass
        if isinstance(combined, ast.Mod) and isinstance(left, str):
            return self._percent(left, right)
        if isinstance(combined, ast.Mult) and isinstance(left, list) and isinstance(right, int) and right < 100:
            return self.limited(left * right)
        return Unknown(shortened(f"{_operand(left)} {sign} {_operand(right)}"))

    def _joined_path(self, left: Any, right: Any) -> Any:
        parts = [str(part) if isinstance(part, PurePosixPath) else as_text(part) for part in (left, right)]
        return PurePosixPath(posixpath.join(*parts))

    def _sets(self, left: Any, sign: str, right: Any) -> Any:
        inside = {item for item, guards in self.members(right) or () if is_plain(item) and not guards}
        kept = [item for item in left if (item.item if isinstance(item, Guarded) else item) not in inside]
        if sign == "-":
            return set(kept)
        if sign == "|":
            return set(left) | set(right)
        return {item for item in left if item in inside} if sign == "&" else Unknown("a set")

    def _percent(self, left: str, right: Any) -> Any:
        values = list(right) if isinstance(right, tuple) else [right]
        parts = left.replace("%d", "%s").split("%s")
        if len(parts) != len(values) + 1 or any("%" in part for part in parts):
            return Unknown(f"{written(left)} % ...", is_text=True)
        return self.limited("".join(part + as_text(value) for part, value in zip(parts, [*values, ""])))

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

    def limited(self, value: Any) -> Any:
        if isinstance(value, str):
            self._steps += len(value) // 64
            if len(value) > _LONGEST_TEXT:
                return Unknown("a text without end", True, is_text=True)
        elif isinstance(value, (list, tuple)):
            self._steps += len(value) // 8
            if len(value) > _MOST_MEMBERS:
                raise TooMuch
        return value

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


def is_plain(value: Any) -> bool:
    """Whether a value is known to its last part."""
    if isinstance(value, str):
        return not has_hole(value)
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, (bool, int, float, type(None), PurePosixPath))


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float, type(None), PurePosixPath)):
        return str(value)
    return hole(written(value))


def _identical(left: Any, right: Any) -> bool | None:
    """Whether two values are the same object, where one of them is None, True or False."""
    for one, other in ((left, right), (right, left)):
        if one is None or isinstance(one, bool):
            if isinstance(other, Unknown):
                return False if other.truth is True and (one is None or other.is_text) else None
            if isinstance(other, External):
                return None
            return one is other
    return True if left is right else None


def _operand(value: Any) -> str:
    text = written(value)
    return f"({text})" if " and " in text or " or " in text else text


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


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
