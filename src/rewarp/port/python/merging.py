"""Adjacent gates with the same test are merged: two changes beside each other test the platform once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rewarp.lang import parsers


def merged(data: bytes, before: bytes, tests: frozenset[str]) -> bytes:
    """The text with neighbouring ``if``s of one of the ``tests`` made one, where the old text has not both of them."""
    known = _pairs(before, tests)
    while True:
        pair = next((pair for pair in _found(data, tests) if _key(*pair) not in known), None)
        if pair is None:
            return data
        data = _joined(data, *pair)


def _pairs(data: bytes, tests: frozenset[str]) -> set[str]:
    return {_key(*pair) for pair in _found(data, tests)}


def _key(first: ast.If, second: ast.If) -> str:
    return ast.dump(first) + ast.dump(second)


def _found(data: bytes, tests: frozenset[str]) -> Iterator[tuple[ast.If, ast.If]]:
    lines = data.split(b"\n")
    for node in ast.walk(parsers.python(data)):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None)):
            for first, second in zip(block, block[1:]) if isinstance(block, list) else ():
                if _alike(first, second, tests, lines):
                    yield first, second


def _alike(first: ast.AST, second: ast.AST, tests: frozenset[str], lines: list[bytes]) -> bool:
    if not isinstance(first, ast.If) or not isinstance(second, ast.If):
        return False
    text = ast.unparse(first.test)
    return (
        text in tests
        and ast.unparse(second.test) == text
        and second.lineno == (first.end_lineno or 0) + 1
        and all(_is_plain(node, lines) for node in (first, second))
        and bool(first.orelse) is bool(second.orelse)
    )


def _is_plain(node: ast.If, lines: list[bytes]) -> bool:
    """Whether its parts stand on lines of their own: no ``elif``, no comment between them, nothing behind the colon."""
    if node.body[0].lineno != node.lineno + 1:
        return False
    if not node.orelse:
        return True
    line = (node.body[-1].end_lineno or 0) + 1
    return lines[line - 1].strip() == b"else:" and node.orelse[0].lineno == line + 1


def _joined(data: bytes, first: ast.If, second: ast.If) -> bytes:
    lines = data.split(b"\n")

    def block(body: list[ast.stmt]) -> list[bytes]:
        return lines[body[0].lineno - 1 : body[-1].end_lineno]

    whole = [lines[first.lineno - 1], *block(first.body), *block(second.body)]
    if first.orelse:
        whole += [lines[first.body[-1].end_lineno or 0], *block(first.orelse), *block(second.orelse)]
    return b"\n".join([*lines[: first.lineno - 1], *whole, *lines[second.end_lineno or 0 :]])
