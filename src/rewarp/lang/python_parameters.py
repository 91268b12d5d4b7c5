"""The parameters of a Python function, and what they default to."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def positional(arguments: ast.arguments) -> list[ast.arg]:
    """Those that a call may give by their place."""
    return [*arguments.posonlyargs, *arguments.args]


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All of them, ``*args`` and ``**kwargs`` too."""
    rest = (arguments.vararg, arguments.kwarg)
    return [*positional(arguments), *arguments.kwonlyargs, *(arg for arg in rest if arg is not None)]


def defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, from the last that has a place."""
    yield from zip(reversed(positional(arguments)), reversed(arguments.defaults))
    yield from ((arg, value) for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults) if value is not None)
