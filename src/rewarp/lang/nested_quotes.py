"""F-strings as Python 3.12 takes them, for the parser of an older one: ``f"{now.strftime("%H")}"``.

A string in a field may have the quotes of the f-string around it, and backslashes. The text for the older parser has the other quotes
and no backslash there, and every byte else in its place: lines and columns stay what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_START = re.compile(rb"""(?i)\#[^\n]*|(?<!\w)([bruf]{0,2})(\'{3}|"{3}|'|")""")
_OTHER = {ord("'"): ord('"'), ord('"'): ord("'")}
_OPENING, _CLOSING = b"([{", b")]}"


class _Literal(NamedTuple):
    start: int
    quote: bytes
    end: int


class _Unclosed(Exception):
    pass


def without_nested_quotes(data: bytes) -> bytes | None:
    """The same program for a Python before 3.12; None where nothing in it is of 3.12, or it cannot be said in as many bytes."""
    text = bytearray(data)
    try:
        at = 0
        while found := _START.search(data, at):
            at = found.end() if found[2] is None else _string(data, text, found)
    except (_Unclosed, RecursionError):
        return None
    return bytes(text) if text != data else None


def _string(data: bytes, text: bytearray, start: re.Match[bytes]) -> int:
    """Goes over one literal, and returns its end."""
    raw, formatted = b"r" in start[1].lower(), b"f" in start[1].lower()
    quote = start[2]
    at = start.end()
    while at < len(data):
        if data[at : at + 1] == b"\\" and not (raw and formatted and data[at + 1 : at + 2] in b"{}"):
            at += 2
        elif data.startswith(quote, at):
            return at + len(quote)
        elif data[at : at + 1] == b"\n" and len(quote) == 1:
            raise _Unclosed
        elif formatted and data.startswith((b"{{", b"}}"), at):
            at += 2
        elif formatted and data[at : at + 1] == b"{":
            at = _field(data, text, at + 1, quote)
        else:
            at += 1
    raise _Unclosed


def _field(data: bytes, text: bytearray, at: int, quote: bytes) -> int:
    """Goes over a field up to behind its brace; its strings get other quotes than what stands around it."""
    depth = 0
    while at < len(data):
        char = data[at : at + 1]
        if (char == b"\n" and len(quote) == 1) or char == b"#":
            raise _Unclosed  # a field of several lines, or with a comment: no older Python takes it
        if found := _START.match(data, at):
            end = _string(data, text, found)
            _requote(text, _Literal(found.start(2), found[2], end), quote)
            at = end
        elif char in _OPENING:
            depth, at = depth + 1, at + 1
        elif char == b"}" and not depth:
            return at + 1
        elif char in _CLOSING:
            depth, at = depth - 1, at + 1
        elif char == b":" and not depth:
            return _format(data, text, at + 1, quote)
        else:
            at += 1
    raise _Unclosed


def _format(data: bytes, text: bytearray, at: int, quote: bytes) -> int:
    """Goes over what follows the colon of a field, which may hold fields."""
    while at < len(data):
        char = data[at : at + 1]
        if char == b"{":
            at = _field(data, text, at + 1, quote)
        elif char == b"}":
            return at + 1
        elif (char == b"\n" and len(quote) == 1) or data.startswith(quote, at):
            raise _Unclosed
        else:
            at += 1
    raise _Unclosed


def _requote(text: bytearray, literal: _Literal, around: bytes) -> None:
    inner = range(literal.start + len(literal.quote), literal.end - len(literal.quote))
    for at in _backslashes(text, inner):
        text[at : at + 2] = b"__"
    if literal.quote != around:
        return
    other = _OTHER[literal.quote[0]]
    if any(text[at] == other for at in inner):
        raise _Unclosed
    for at in (*range(literal.start, inner.start), *range(inner.stop, literal.end)):
        text[at] = other


def _backslashes(text: bytearray, where: range) -> Iterator[int]:
    at = where.start
    while at < where.stop:
        if text[at] == ord("\\"):
            yield at
            at += 1
        at += 1
