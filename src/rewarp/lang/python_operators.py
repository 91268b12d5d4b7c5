"""What Python's operators and the methods of its texts make of values that are known: one table of each.

CMake's and the preprocessor's operators count differently, and stand where those are read."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
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
"""How each is written, and what it does."""
MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
"""What says the same with its sides exchanged; the others say it as they are, or cannot."""
ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Div: ("/", operator.truediv),
    ast.Mod: ("%", operator.mod),
    ast.BitOr: ("|", operator.or_),
    ast.BitAnd: ("&", operator.and_),
}
"""Those that make nothing much larger than what they are given."""
TEXT_METHODS = frozenset(
    "split rsplit splitlines strip lstrip rstrip lower upper startswith endswith replace removeprefix removesuffix "
    "partition rpartition isdigit isalpha isalnum isidentifier title capitalize casefold count find rfind".split()
)
"""Methods of a text whose result it alone decides, with what they are given."""
