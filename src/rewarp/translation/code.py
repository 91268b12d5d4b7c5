"""Small readings of C++ code: matching brackets, arguments, what stands before and after a place.

All work on *code*: the file with comments and strings blanked, so that a bracket is a bracket.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from rewarp.lang.cpp.file import is_declaration
from rewarp.source import Span

_DIRECTIVE_LINE = re.compile(rb"(?<![ \t])[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*\n?")
_BRACKET = re.compile(rb"[()\[\]{},<]")
_ANGLE = re.compile(rb"[()\[\]{}<>;]")
_BRACE = re.compile(rb"[{}]")
_BLOCK = re.compile(rb"[{};]")
_WORD_END = re.compile(rb"\w")
_AFTER_TEMPLATE = re.compile(rb"\s*(?:[(){}\[\],;]|::|<<<|\Z)")
_AFTER_NO_OPERAND = re.compile(rb"\s*[),]")
_SPACE = re.compile(rb"(?:\s|\\\r?\n)*")
_OPEN, _CLOSE = b"([{", b")]}"
_TYPE = (
    rb"(?:(?:const|static|extern|volatile|mutable|struct|union|enum)\s+)*"
    rb"(?!(?:return|delete|new|throw|case|else|goto|using|typedef|sizeof|namespace)\b)[A-Za-z_][\w:]*(?:<[^;{}()]*>)?"
)
_VALUE = rb"(?:\[\w*\])?(?:\s*=[^;,{}()]*)?"
_BEFORE_POINTER = re.compile(rb"(?:^|[;{}(,\n])[ \t]*" + _TYPE + rb"[ \t]+[*&]+\Z")
_AFTER_DECLARED = re.compile(rb"\w*\s*[;=,)\[{]")
_BEFORE_LISTED = re.compile(
    rb"\s*" + _TYPE + rb"\s+[*&]*\s*\w+" + _VALUE + rb"(?:\s*,\s*[*&]*\s*\w+" + _VALUE + rb")*\s*,\s*[*&]*\s*"
)
_PAIRS = {ord(")"): ord("("), ord("]"): ord("["), ord("}"): ord("{")}


def skip_space(code: bytes, at: int) -> int:
    """The next place that is neither a blank nor a line ending."""
    match = _SPACE.match(code, at)
    return match.end() if match else at


def skip_space_back(code: bytes, at: int) -> int:
    """The place after the last byte before ``at`` that is not blank."""
    while at > 0 and (code[at - 1] in b" \t\r\n" or code[at - 1 : at + 1] in (b"\\\n", b"\\\r")):
        at -= 1
    return at


_DEEPEST_CALL = 64
_LONGEST_CALL = 8_000
"""Brackets and bytes after which a call that does not end is given up: in a half-written file there may be thousands."""


def has_bare_comma(text: bytes) -> bool:
    """Whether a comma of an argument stands in template arguments or braces, which do not protect it from the preprocessor."""
    depth = 0
    for byte in text:
        depth += (byte == ord("(")) - (byte == ord(")"))
        if byte == ord(",") and not depth:
            return True
    return False


def call_arguments(code: bytes, at: int) -> tuple[list[Span], int] | None:
    """The arguments of a call whose ``(`` stands at ``at``, and where its ``)`` stands."""
    if code[at : at + 1] != b"(":
        return None
    stack = bytearray(b"(")
    start = at + 1
    found: list[Span] = []
    template = 0
    for match in _BRACKET.finditer(code, at + 1, at + _LONGEST_CALL):
        byte = code[match.start()]
        if match.start() < template:
            continue
        if byte == ord("<"):
            template = template_list_end(code, match.start()) or 0
        elif byte in _OPEN:
            stack.append(byte)
            if len(stack) > _DEEPEST_CALL:
                return None
        elif byte in _CLOSE:
            if not stack or stack[-1] != _PAIRS[byte]:
                return None
            stack.pop()
            if not stack:
                found.append(Span(start, match.start()))
                if len(found) == 1 and not code[slice(*found[0])].strip():
                    found = []
                return found, match.start()
        elif len(stack) == 1:
            found.append(Span(start, match.start()))
            start = match.start() + 1
    return None


def stripped(code: bytes, span: Span) -> Span:
    """A span without the blanks and spliced line ends at its ends."""
    start = min(skip_space(code, span.start), span.end)
    return Span(start, max(start, skip_space_back(code, span.end)))


def template_list_end(code: bytes, at: int) -> int | None:
    """Where the template arguments end that the ``<`` at ``at`` opens; None where it compares or shifts, as far as
    what stands around it tells: ``name<...>`` is followed by a bracket, a comma, ``::`` or the end. With a blank before
    the ``<``, only where no comparison could end so."""
    name = skip_space_back(code, at)
    if not name or not _WORD_END.match(code, name - 1) or code[at + 1 : at + 2] in (b"<", b"="):
        return None
    end = template_end(code, at)
    return end if end and (_AFTER_TEMPLATE if name == at else _AFTER_NO_OPERAND).match(code, end) else None


def template_end(code: bytes, at: int) -> int | None:
    """Where the template arguments that begin with the ``<`` at ``at`` end; None if they do not."""
    depth = 0
    brackets = 0
    for match in _ANGLE.finditer(code, at):
        byte = code[match.start() : match.start() + 1]
        if byte in (b"(", b"[", b"{"):
            brackets += 1
        elif byte in (b")", b"]", b"}"):
            brackets -= 1
            if brackets < 0:
                return None
        elif brackets:
            continue
        elif byte == b"<":
            depth += 1
        elif byte == b">" and code[match.start() - 1 : match.start()] != b"-":
            depth -= 1
            if not depth:
                return match.end()
        elif byte == b";":
            return None
    return None


def template_begin(code: bytes, at: int) -> int | None:
    """Where the template arguments begin that end just before ``at`` with a ``>``."""
    depth = 0
    brackets = 0
    index = at - 1
    while index >= 0:
        byte = code[index : index + 1]
        if byte in (b")", b"]", b"}"):
            brackets += 1
        elif byte in (b"(", b"[", b"{"):
            brackets -= 1
            if brackets < 0:
                return None
        elif byte == b";":
            return None
        elif not brackets and byte == b">" and code[index - 1 : index] != b"-":
            depth += 1
        elif not brackets and byte == b"<":
            depth -= 1
            if not depth:
                return index
        index -= 1
    return None


def line_start(code: bytes, at: int) -> int:
    return code.rfind(b"\n", 0, at) + 1


def definition_end(code: bytes, at: int) -> int | None:
    """The place after the body or the ``;`` of a function whose head ends at ``at``, if its line ends there."""
    depth = 0
    for match in _BLOCK.finditer(code, at):
        depth += {b"{": 1, b"}": -1, b";": 0}[match[0]]
        if not depth:
            rest = code[match.end() : match.end() + 200].split(b"\n", 1)[0]
            return None if rest.strip() else match.end()
    return None


def is_declared(code: bytes, at: int) -> bool:
    """Whether the name at a place is declared there, as far as what stands before and after it tells."""
    if is_declaration(code, at):
        return True
    before = code[max(0, at - 400) : at]
    byte = before.rstrip()[-1:]
    if byte in (b"*", b"&"):  # `Type *name;`: a product has blanks on both sides, or on none
        return bool(_BEFORE_POINTER.search(before) and _AFTER_DECLARED.match(code, at))
    if byte != b",":
        return False
    start = max(before.rfind(end) for end in (b";", b"{", b"}"))
    return bool(start >= 0 and _BEFORE_LISTED.fullmatch(before, start + 1) and _AFTER_DECLARED.match(code, at))


class _Blocks:
    """The braces of a file, each with the one that was open before it: asked for often, and from thousands of places."""

    def __init__(self, code: bytes) -> None:
        self.at: list[int] = []
        self.open: list[int] = []
        """By brace, the innermost one open behind it, as an index; -1 for none."""
        self.outer: dict[int, int] = {}
        innermost = -1
        for index, match in enumerate(_BRACE.finditer(code)):
            if match[0] == b"{":
                self.outer[index] = innermost
                innermost = index
            elif innermost >= 0:
                innermost = self.outer[innermost]
            self.at.append(match.start())
            self.open.append(innermost)

    def around(self, at: int) -> list[int]:
        """The braces still open at a place, innermost first."""
        found: list[int] = []
        last = bisect_left(self.at, at) - 1
        index = self.open[last] if last >= 0 else -1
        while index >= 0:
            found.append(index)
            index = self.outer[index]
        return found


_blocks = lru_cache(maxsize=2)(_Blocks)


def blocks_around(code: bytes, at: int) -> list[bytes]:
    """What stands before each ``{`` that is still open at a place, outermost first: heads of namespaces, functions. Lines of the
    preprocessor are no part of it."""
    blocks = _blocks(code)
    heads: list[bytes] = []
    for index in reversed(blocks.around(at)):
        brace, before = blocks.at[index], blocks.at[index - 1] if index else -1
        heads.append(_DIRECTIVE_LINE.sub(b"", code[max(before, code.rfind(b";", before + 1, brace)) + 1 : brace]))
    return heads


def runs_on_host(code: bytes, at: int) -> bool:
    """Whether a place belongs to a function that is compiled for the host, as far as its head tells."""
    heads = blocks_around(code, at)
    if any(b"__global__" in head or (b"__device__" in head and b"__host__" not in head) for head in heads):
        return False
    return any(b"(" in head for head in heads)
