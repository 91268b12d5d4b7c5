"""`macro_rules!`: what a use of a macro writes. By example, as the language does it; None where that is not sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from rewarp.parity.rust.reading.facts import Macro

_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?(?:\*/|\Z)
    |(?P<token>
        b?r(?P<hashes>\#*)".*?"(?P=hashes)
       |[bc]?"(?:\\.|[^"\\])*"
       |b?'(?:\\[^']+|[^'\\])'
       |'?[A-Za-z_]\w*(?:\#\w+)?
       |\d[\w.]*?(?=\.\.|\.[A-Za-z_]|[^\w.]|$)
       |=>|->|::|\.\.=|\.\.|<<=|>>=|(?<=\s)(?:<<|>>)(?=\s)|[-+*/%^&|=!<>]=|&&|\|\||.)""",
    re.X | re.S,
)
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_ONE_TOKEN = frozenset(("ident", "tt", "lifetime", "literal", "vis"))
_MOST_TOKENS = 20_000
"""What a macro writes may be long, and no longer than a file."""


@dataclass(frozen=True)
class Group:
    """Tokens in brackets."""

    opens: str
    items: tuple[Token, ...]


Token = Union[str, Group]


@dataclass(frozen=True)
class _Repeated:
    """`$( … ) , *`."""

    items: tuple[_Piece, ...]
    separator: str


@dataclass(frozen=True)
class _Hole:
    """`$name:fragment`."""

    name: str
    fragment: str


_Piece = Union[str, Group, _Hole, _Repeated, "_Bracketed"]


@dataclass(frozen=True)
class _Bracketed:
    opens: str
    items: tuple[_Piece, ...]


Bound = Union[str, list["dict[str, Bound]"]]
"""What a name stands for: text, or for what is repeated the names of every turn."""


def expand(macro: Macro, arguments: str) -> str | None:
    """The text that the first rule which fits writes."""
    given = _tokens(arguments)
    for pattern, body in macro.rules:
        bound: dict[str, Bound] = {}
        rest = _match(_pieces(_tokens(pattern)), given, bound)
        if rest is not None and not rest:
            written = _write(_pieces(_tokens(body)), bound)
            return written if written is not None and len(written) < 10 * _MOST_TOKENS else None
    return None


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[Token, ...]:
    flat = [found["token"] for found in _TOKEN.finditer(text) if found["token"]][:_MOST_TOKENS]
    stack: list[tuple[str, list[Token]]] = [("", [])]
    for token in flat:
        if token in _CLOSES:
            stack.append((token, []))
        elif token in ")]}" and len(stack) > 1:
            opens, items = stack.pop()
            stack[-1][1].append(Group(opens, tuple(items)))
        else:
            stack[-1][1].append(token)
    while len(stack) > 1:
        opens, items = stack.pop()
        stack[-1][1].append(Group(opens, tuple(items)))
    return tuple(stack[0][1])


@lru_cache(maxsize=4096)
def _pieces(tokens: tuple[Token, ...]) -> tuple[_Piece, ...]:
    """A pattern or a body: tokens, with `$` understood."""
    found: list[_Piece] = []
    at = 0
    while at < len(tokens):
        token, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "$" and isinstance(after, Group):
            at += 2
            separator = ""
            if at < len(tokens) and tokens[at] not in ("*", "+", "?"):
                separator, at = str(tokens[at]), at + 1
            found.append(_Repeated(_pieces(after.items), separator))
            at += 1
        elif token == "$" and isinstance(after, str):
            typed = at + 3 < len(tokens) and tokens[at + 2] == ":" and isinstance(tokens[at + 3], str)
            found.append(_Hole(after, str(tokens[at + 3]) if typed else ""))
            at += 4 if typed and _is_fragment(str(tokens[at + 3])) else 2
        elif isinstance(token, Group):
            found.append(_Bracketed(token.opens, _pieces(token.items)))
            at += 1
        else:
            found.append(token)
            at += 1
    return tuple(found)


_FRAGMENTS = frozenset(
    "ident tt lifetime literal vis ty expr expr_2021 path pat pat_param block stmt item meta".split()
)


def _is_fragment(word: str) -> bool:
    return word in _FRAGMENTS


def _match(pieces: Sequence[_Piece], given: tuple[Token, ...], bound: dict[str, Bound]) -> tuple[Token, ...] | None:
    """The tokens that are left after a pattern took its own; None where it does not fit."""
    rest: tuple[Token, ...] | None = given
    for place, piece in enumerate(pieces):
        assert rest is not None
        if isinstance(piece, _Hole):
            rest = _take(piece, pieces[place + 1 :], rest, bound)
        elif isinstance(piece, _Repeated):
            rest = _repeat(piece, rest, bound)
        elif isinstance(piece, _Bracketed):
            first = rest[0] if rest else None
            if not isinstance(first, Group) or first.opens != piece.opens:
                return None
            if _match(piece.items, first.items, bound) != ():
                return None
            rest = rest[1:]
        else:
            rest = rest[1:] if rest and rest[0] == piece else None
        if rest is None:
            return None
    return rest


def _take(
    hole: _Hole, after: Sequence[_Piece], given: tuple[Token, ...], bound: dict[str, Bound]
) -> tuple[Token, ...] | None:
    if not given:
        return () if hole.fragment == "vis" else None
    if hole.fragment == "vis" and given[0] != "pub":
        bound[hole.name] = ""
        return given
    if hole.fragment in _ONE_TOKEN:
        size = 2 if given[0] == "-" or (given[0] == "pub" and len(given) > 1 and isinstance(given[1], Group)) else 1
    else:
        stop = after[0] if after and isinstance(after[0], str) else None
        # Fragments of several tokens end where the pattern goes on, or at what cannot stand in them.
        ends = {stop} if stop is not None else {",", ";", "=>"}
        size = _until(given, ends)
    if not size:
        return None
    bound[hole.name] = _joined(given[:size])
    return given[size:]


def _until(given: tuple[Token, ...], ends: set[str]) -> int:
    depth = 0
    is_closure_head = False
    for at, token in enumerate(given):
        depth += (token == "<") - (token == ">")
        if token == "|" and (is_closure_head or not at or given[at - 1] in ("move", ",", "=")):
            is_closure_head = not is_closure_head
        if not is_closure_head and isinstance(token, str) and token in ends and (depth <= 0 or token != ","):
            return at
    return len(given)


def _repeat(piece: _Repeated, given: tuple[Token, ...], bound: dict[str, Bound]) -> tuple[Token, ...]:
    turns: list[dict[str, Bound]] = []
    rest = given
    while rest:
        names: dict[str, Bound] = {}
        after = _match(piece.items, rest, names)
        if after is None or after == rest:
            break
        turns.append(names)
        rest = after
        if piece.separator:
            if not rest or rest[0] != piece.separator:
                break
            if len(rest) == 1:
                break
            rest = rest[1:]
    for name in _names(piece.items):
        bound[name] = turns
    return rest


def _names(pieces: Sequence[_Piece]) -> list[str]:
    found: list[str] = []
    for piece in pieces:
        if isinstance(piece, _Hole):
            found.append(piece.name)
        elif isinstance(piece, (_Repeated, _Bracketed)):
            found += _names(piece.items)
    return found


def _write(pieces: Sequence[_Piece], bound: dict[str, Bound]) -> str | None:
    written: list[str] = []
    for piece in pieces:
        if isinstance(piece, _Hole):
            value = bound.get(piece.name, piece.name if piece.name == "crate" else None)
            if not isinstance(value, str):
                return None
            written.append(value + (f": {piece.fragment}" if _is_fragment(piece.fragment) else ""))
        elif isinstance(piece, _Repeated):
            turns = next((bound[n] for n in _names(piece.items) if isinstance(bound.get(n), list)), None)
            if not isinstance(turns, list):
                return None
            parts = [_write(piece.items, {**bound, **turn}) for turn in turns]
            if None in parts:
                return None
            written.append(f" {piece.separator} ".join(part for part in parts if part is not None))
        elif isinstance(piece, _Bracketed):
            inner = _write(piece.items, bound)
            if inner is None:
                return None
            written.append(piece.opens + inner + _CLOSES[piece.opens])
        else:
            written.append(_joined((piece,)) if isinstance(piece, Group) else piece)
    return " ".join(written)


def _joined(tokens: Sequence[Token]) -> str:
    return " ".join(
        token.opens + _joined(token.items) + _CLOSES[token.opens] if isinstance(token, Group) else token
        for token in tokens
    )
