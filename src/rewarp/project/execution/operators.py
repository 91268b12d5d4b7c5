"""Comparisons, sums and texts of values that may not be known."""

from __future__ import annotations

import ast
import posixpath
from pathlib import PurePosixPath
from typing import Any

from rewarp.lang.python_operators import ARITHMETIC, COMPARISONS
from rewarp.project.execution.paths import Paths
from rewarp.project.execution.scopes import Raised
from rewarp.project.execution.values import (
    External,
    Guarded,
    Unknown,
    choose,
    denied,
    has_hole,
    hole,
    shortened,
    written,
)
from rewarp.project.gates.compare import platform_word, text_of_platform


class Operators(Paths):
    """What operators give."""

    def _compared(self, left: Any, compared: ast.cmpop, right: Any, first: ast.expr, second: ast.expr) -> Any:
        sign, function = COMPARISONS[type(compared)]
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
        text = shortened(f"{operand(left)} {positive_sign} {operand(right)}")
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
        return Unknown(shortened(f"{operand(left)} in {operand(right)}"), denies=not positive)

    def combined(self, left: Any, combined: ast.operator, right: Any) -> Any:
        sign, function = ARITHMETIC.get(type(combined), ("?", None))
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
        return Unknown(shortened(f"{operand(left)} {sign} {operand(right)}"))

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


def operand(value: Any) -> str:
    text = written(value)
    return f"({text})" if " and " in text or " or " in text else text


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
