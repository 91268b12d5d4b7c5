"""Macros of the tree, and the code that those write which stand where declarations do.

`BINARY_GPU(Add)` may define `Add::eval_gpu`, and `NO_GPU(Inverse)` may define one that only throws: both are read as
what the preprocessor makes of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewarp.lang.cpp import macros as lang
from rewarp.lang.cpp.tokens import Token, joined, logical_lines
from rewarp.parity.cpp.reading.declarations import CppFile
from rewarp.parity.cpp.reading.tokens import CLOSE, END_UNKNOWN, IF_UNKNOWN, Tokens

_DEFINE = re.compile(rb"^[ \t]*\#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^()\n]*\))?((?:\\\r?\n|[^\n])*)", re.M)
_BEFORE = frozenset((";", "}", "{", ")", "", IF_UNKNOWN, END_UNKNOWN, ">"))
_LONGEST = 20_000
"""Characters of a body; longer ones are tables of data."""
_MOST = 400
"""Macros that one expansion may meet."""
REGISTERS = re.compile(r"\w*REGISTER\w*|(\w+_)?REG_\w+|\w+_KERNEL_EX|TORCH_LIBRARY_IMPL|TORCH_LIBRARY_IMPL_EXPAND")
"""Macros whose calls say that something is done for a back end: what they write is of no interest."""


class Defined(NamedTuple):
    """A `#define` somewhere in the tree."""

    path: str
    line: int
    parameters: str | None
    """None for a macro without parentheses."""
    body: str


def opens(body: str) -> int:
    """Braces that a macro leaves open, for the code around its calls to close."""
    return max(body.count("{") - body.count("}"), 0)


def defined_in(path: str, data: bytes) -> Iterator[tuple[str, Defined]]:
    """The macros of a file, whatever the conditions around them say."""
    for found in _DEFINE.finditer(data):
        if len(found[3]) <= _LONGEST:
            parameters = found[2].decode("latin-1")[1:-1] if found[2] else None
            line = data.count(b"\n", 0, found.start()) + 1
            yield found[1].decode(), Defined(path, line, parameters, found[3].decode("latin-1"))


class Invocation(NamedTuple):
    """A macro's call where a declaration could stand."""

    name: str
    at: int
    close: int
    """Its `)`."""


def invocations(tokens: Tokens) -> Iterator[Invocation]:
    """The calls of macros outside functions and classes."""
    texts, partner = tokens.list, tokens.partner
    at = 0
    while at < tokens.size:
        text = texts[at]
        if text == "{":
            if not _opens_namespace(texts, at):
                at = partner.get(at, at) + 1
                continue
        elif text == "(":
            at = partner.get(at, at) + 1
            continue
        elif texts[at + 1] == "(" and is_macro_name(text) and texts[at - 1 if at else tokens.size] in _BEFORE:
            close = partner.get(at + 1, at + 1)
            yield Invocation(text, at, close)
            at = close + 1
            continue
        at += 1


def is_macro_name(text: str) -> bool:
    return len(text) > 2 and text.isupper() and text[0] not in "\"'0123456789"


def _opens_namespace(texts: list[str], at: int) -> bool:
    for index in range(at - 1, max(at - 12, -1), -1):
        if texts[index] in ("namespace", "extern"):
            return True
        if texts[index] in (";", "}", "{", *CLOSE):
            return False
    return False


class Expander:
    """Calls of macros, as the text that they become."""

    def __init__(self, everywhere: Mapping[str, Defined]) -> None:
        self._everywhere = everywhere
        self._known: dict[tuple[str, str | None], lang.Macro | None] = {}

    def text(self, file: CppFile, call: Invocation) -> str | None:
        """What a call becomes, on the line where it stands; None where it defines nothing, or only registers something."""
        local = call.name in file.tokens.defined
        if not local and (REGISTERS.fullmatch(call.name) or call.name not in self._everywhere):
            return None
        macros = self._reached(file, call.name)
        if not any(token.text == "{" or _registers(token) for one in macros.values() for token in one[0].body):
            return None
        tokens = file.tokens
        start, end = tokens.offsets[call.at], tokens.offsets[call.close] + 1
        lines = logical_lines(bytes(tokens.source.view[start:end]))
        try:
            expanded = lang.Expansion(macros).expand([token for line in lines for token in line])
        except lang.TooLarge:
            return None
        return "\n" * (tokens.line(call.at) - 1) + joined([token._replace(spaced=True) for token in expanded]) + ";"

    def _reached(self, file: CppFile, name: str) -> dict[str, list[lang.Macro]]:
        """A macro and those that its body leads to, but for those that register."""
        found: dict[str, list[lang.Macro]] = {}
        waiting = [name]
        while waiting and len(found) < _MOST:
            one = waiting.pop()
            if one in found or (REGISTERS.fullmatch(one) and one not in file.tokens.defined):
                continue
            if macro := self._macro(file, one):
                found[one] = [macro]
                waiting += macro.names
        return found

    def _macro(self, file: CppFile, name: str) -> lang.Macro | None:
        local = file.tokens.defined.get(name)
        key = (name, file.path if local else None)
        if key not in self._known:
            if local:
                text = f"{name}({local.parameters}) {local.body}"
            elif name in self._everywhere:
                one = self._everywhere[name]
                text = f"{name}{'' if one.parameters is None else f'({one.parameters})'} {one.body}"
            else:
                text = ""
            lines = logical_lines(text.replace("\\\n", " ").replace("\n", " ").encode("latin-1", "replace"))
            self._known[key] = lang.read_macro(lines[0]) if lines else None
        return self._known[key]


def _registers(token: Token) -> bool:
    return bool(REGISTERS.fullmatch(token.text))
