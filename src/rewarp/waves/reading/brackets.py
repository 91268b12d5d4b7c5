"""Brackets, arguments and operands, found in blanked code."""

from __future__ import annotations

import re

from rewarp.source import Span

_BRACKET = re.compile(rb"[()\[\]{}]")
_FLAT = re.compile(rb"\([^()\[\]{}]*(?:\([^()\[\]{}]*\)[^()\[\]{}]*)*\)")
"""Round brackets with nothing deeper in them than round brackets: most are."""
_BRACKET_OR_COMMA = re.compile(rb"[()\[\]{},;]")
_IN_TEMPLATE = re.compile(rb"(?<!-)[<>]|[()\[\]{},;]")
# What ends at a place is read backwards: a search for it would begin at every byte before.
_NAME_BACKWARDS = re.compile(rb"\w*[A-Za-z_](?:\s*(?:\.|>-|::)\s*\w*[A-Za-z_])*")
_CALLED_BEFORE = re.compile(rb"[A-Za-z_][\w.:]*(?:\s*<[\w\s:,]*>)?\s*\Z")
_NUMBER_BACKWARDS = re.compile(rb"\w*\d(?!\w)")
_CALLED_NAME = re.compile(rb"([A-Za-z_]\w*)\s*(?:<[\w\s:,]*>\s*)?\Z")
_LOOK_BACK = 200
_LONG_CALL = 1000


def closing(code: bytes, at: int, limit: int = 4000) -> int:
    """The offset after the bracket that closes the one at ``at``; where none does, the end of what is looked at."""
    if flat := _FLAT.match(code, at, min(len(code), at + limit)):
        return flat.end()
    depth = 0
    for match in _BRACKET.finditer(code, at, min(len(code), at + limit)):
        depth += 1 if code[match.start()] in b"([{" else -1
        if depth <= 0:
            return match.end()
    return min(len(code), at + limit)


def opening(code: bytes, at: int) -> int:
    """The round bracket that a place stands in; -1 where there is none near."""
    floor = max(0, at - _LONG_CALL)
    depth = 0
    for match in _BRACKET.finditer(code[floor:at][::-1]):
        depth += 1 if match[0] in b")]}" else -1
        if depth < 0:
            return at - match.end() if match[0] == b"(" else -1
    return -1


def arguments(code: bytes, at: int) -> list[Span]:
    """The arguments of a call whose ``(`` stands at ``at``, blanks around them left out."""
    found: list[Span] = []
    depth, start = 0, at + 1
    for match in _BRACKET_OR_COMMA.finditer(code, at, min(len(code), at + 4000)):
        byte = code[match.start()]
        if byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
            if not depth:
                found.append(_stripped(code, start, match.start()))
                break
        elif depth == 1 and byte == ord(","):
            found.append(_stripped(code, start, match.start()))
            start = match.end()
    return [] if len(found) == 1 and found[0].start == found[0].end else found


def _stripped(code: bytes, start: int, end: int) -> Span:
    text = code[start:end]
    return Span(start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip()))


def operand_before(code: bytes, at: int) -> Span:
    """The operand on the left of a binary operator at ``at``: a bracketed expression, a call, a name or a number."""
    end = at
    while end and code[end - 1] in b" \t\r\n":
        end -= 1
    floor = max(0, end - _LOOK_BACK)
    start = end
    if end and code[end - 1] in b")]":
        depth = 0
        for index in range(end - 1, floor - 1, -1):
            byte = code[index]
            if byte in b")]":
                depth += 1
            elif byte in b"([":
                depth -= 1
                if not depth:
                    start = index
                    break
        if named := _CALLED_BEFORE.search(code, max(0, start - 60), start):
            start = named.start()
    else:
        backwards = code[floor:end][::-1]
        found = _NAME_BACKWARDS.match(backwards) or _NUMBER_BACKWARDS.match(backwards)
        start = end - found.end() if found else end
    return Span(start, end)


def template_arguments(code: bytes, at: int) -> list[Span] | None:
    """The arguments of a template whose ``<`` stands at ``at``; None where no ``>`` closes it."""
    found: list[Span] = []
    depth, start = 1, at + 1
    inside = 0
    for match in _IN_TEMPLATE.finditer(code, at + 1, min(len(code), at + 2000)):
        byte = code[match.start()]
        if byte in b"([{":
            inside += 1
        elif byte in b")]}":
            inside -= 1
        elif inside:
            continue
        elif byte == ord("<"):
            depth += 1
        elif byte == ord(">"):
            depth -= 1
        if inside < 0 or byte == ord(";"):
            return None
        if not depth or (depth == 1 and byte == ord(",") and not inside):
            found.append(_stripped(code, start, match.start()))
            start = match.end()
        if not depth:
            return found
    return None


def called_around(code: bytes, at: int) -> bytes:
    """The name of the call whose arguments a place is among; empty where there is none."""
    depth = 0
    for index in range(at - 1, max(0, at - _LOOK_BACK) - 1, -1):
        byte = code[index]
        if byte in b")]}":
            depth += 1
        elif byte in b"([{":
            if not depth:
                named = _CALLED_NAME.search(code, max(0, index - 80), index)
                return named[1] if named and byte == ord("(") else b""
            depth -= 1
        elif byte == ord(";"):
            break
    return b""
