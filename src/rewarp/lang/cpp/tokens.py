"""C, C++ and CUDA as preprocessing tokens: splices, comments, raw strings, maximal munch.

``tokenize`` is exact: what compilers are known to read differently (trigraphs, ``%:``, blanks after a backslash) is
refused, not guessed. ``logical_lines`` reads on, whatever a file holds, for those who look for something in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rewarp.errors import GaveUp
from rewarp.lang.nesting import nests_too_deep


class Unreadable(GaveUp):
    """The file cannot be read with certainty."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why, self.line = why, line


class Token(NamedTuple):
    kind: str
    """``word``, ``number``, ``string`` (characters too), ``mark`` (punctuation), ``newline``."""
    text: str
    line: int
    spaced: bool
    """White space or a comment stands before it."""
    macro: str = ""
    """The macro in the file that wrote it; empty where the file itself did."""
    hidden: frozenset[str] = frozenset()
    """Macros that may no longer expand it."""

    @property
    def is_name(self) -> bool:
        return self.text[0].isalpha() or self.text[0] in "_$"


def joined(tokens: Sequence[Token]) -> str:
    """Tokens as text, with the blanks that stood between them."""
    return "".join([" " + token.text if token.spaced else token.text for token in tokens]).strip()


def names_in(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset([token.text for token in tokens if token.is_name])


_SPLICE = re.compile(r"\\\r?\n")
_ODD = (
    (re.compile(r"\?\?[=/'()!<>-]"), "a trigraph"),
    (re.compile(r"\\[ \t\f\v]+\r?\n"), "blanks between a backslash and the end of the line"),
    (re.compile(r"\r(?!\n)"), "a carriage return inside a line"),
    (re.compile(r"\x00"), "a NUL byte"),
)
WORD = r"[A-Za-z_]\w*"
NUMBER = r"\.?\d[\w.']*"
"""Of code whose literals are blanked."""
_BEFORE_QUOTE = r"(?:u8|[uUL])?"
_RAW = _BEFORE_QUOTE + r"R\"(?P<delimiter>[^()\\\s\"]{0,16})\(.*?"
_PP_NUMBER = r"(?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[\w.])*)"
_TOKEN = re.compile(
    r"""(?P<space>[ \t\f\v]+|//[^\n]*|/\*.*?\*/)
    |(?P<open>/\*)
    |(?P<newline>\r?\n)
    |(?P<raw>"""
    + _RAW
    + r"""\)(?P=delimiter)"(?:[A-Za-z_]\w*)?)
    |(?P<odd>(?:u8|[uUL])?R")
    |(?P<string>(?:u8|[uUL])?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')(?:[A-Za-z_]\w*)?)
    |(?P<word>(?:[A-Za-z_$\x80-\xff]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})(?:[\w$\x80-\xff]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)
    |"""
    + _PP_NUMBER
    + r"""
    |(?P<mark><(?=::[^:>])|<<<|>>>|<<=|>>=|<=>|->\*|\.\.\.|%:|<:|:>|<%|%>|::|\#\#|\+\+|--|->|\.\*
        |<<|>>|&&|\|\||[-+*/%&|^!=<>]=|[-+*/%&|^!=<>~?:;,.(){}\[\]\#\\@`])
    |(?P<stray>.)
    """,
    re.X | re.S | re.A,
)


_LOOSE = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<newline>\n)
    |(?P<raw>"""
    + _RAW
    + r"""(?:\)(?P=delimiter)"|\Z))
    |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n]){1,64}')
    |(?P<word>[A-Za-z_$][\w$]*)
    |"""
    + _PP_NUMBER
    + r"""
    |(?P<mark>\#\#|\.\.\.|::|.)
    """,
    re.X | re.S,
)


def logical_lines(data: bytes) -> list[list[Token]]:
    """The tokens of every logical line that has some. Marks are single but for ``##``, ``...`` and ``::``."""
    original = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    splices = [match.span() for match in _SPLICE.finditer(original)]
    text = _SPLICE.sub("", original) if splices else original
    starts = _line_starts(original, splices)
    lines: list[list[Token]] = [[]]
    spaced, number = False, 1
    for match in _LOOSE.finditer(text):
        kind = match.lastgroup
        if kind == "newline":
            lines.append([])
            spaced = True
        elif kind == "space":
            spaced = True
        else:
            # Tokens come in order: most lie on the line of the last, or on the next.
            start = match.start()
            while number < len(starts) and starts[number] <= start:
                number += 1
            lines[-1].append(Token("string" if kind == "delimiter" else str(kind), match[0], number, spaced))
            spaced = False
    return [line for line in lines if line]


def tokenize(data: bytes, raw_strings: bool = True) -> list[Token]:
    """The tokens of a file; a ``newline`` token ends each logical line."""
    original = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    _refuse_odd(original)
    splices = [match.span() for match in _SPLICE.finditer(original)]
    text = _SPLICE.sub("", original) if splices else original
    joints = _positions_without(splices)
    starts = _line_starts(original, splices)
    found: list[Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "stray"
        if kind == "space":
            spaced = True
            continue
        start, end = match.span()
        if kind == "delimiter":
            kind = "raw"
        line = bisect_right(starts, start)
        if kind == "raw":
            if not raw_strings:
                raise Unreadable("a raw string in C", line)
            if bisect_right(joints, start) != bisect_right(joints, end - 1):
                raise Unreadable("a line splice inside a raw string", line)
            kind = "string"
        elif kind in ("odd", "open", "stray") or match[0] == "%:":
            raise Unreadable(f"cannot be split into tokens at {match[0]!r}", line)
        found.append(Token(kind, match[0], line, spaced))
        spaced = kind == "newline"
    if nests_too_deep("".join(token.text for token in found if token.kind == "mark").encode()):
        raise Unreadable("brackets nested or left open deeper than any compiler follows", 1)
    if found and found[-1].kind != "newline":
        found.append(Token("newline", "\n", found[-1].line, False))
    return found


def _refuse_odd(text: str) -> None:
    for pattern, what in _ODD:
        if match := pattern.search(text):
            raise Unreadable(f"{what}, which compilers read differently", text.count("\n", 0, match.start()) + 1)


def _positions_without(splices: list[tuple[int, int]]) -> list[int]:
    """Where each splice was, in the text without them."""
    gone, found = 0, []
    for start, end in splices:
        found.append(start - gone)
        gone += end - start
    return found


def _line_starts(original: str, splices: list[tuple[int, int]]) -> list[int]:
    """The offset, in the text without splices, at which each line of the file begins."""
    starts, gone, at = [0], 0, 0
    for match in re.finditer("\n", original):
        end = match.end()
        while at < len(splices) and splices[at][1] <= end:
            gone += splices[at][1] - splices[at][0]
            at += 1
        starts.append(end - gone)
    return starts
