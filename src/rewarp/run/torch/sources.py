"""What an extension says of CUDA's tensors, said of the CPU's: in this machine those are the device's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rewarp.edits import splice
from rewarp.translation.lexing import lex

_WORDS = re.compile(
    rb"""(?P<checked>(?P<access>\.|->)[ \t]*(?:type[ \t]*\([ \t]*\)[ \t]*\.[ \t]*)?is_cuda)\b
    |(?P<constant>\bkCUDA\b)
    |\b(?:DeviceType|DispatchKey|Backend)\s*::\s*(?P<key>CUDA)\b
    """,
    re.X,
)
_BLOCK = re.compile(
    rb"\bTORCH_LIBRARY_IMPL\s*\(\s*(?P<library>\w+)\s*,\s*(?P<key>CUDA|CPU)\s*,\s*(?P<module>\w+)\s*\)"
    rb"\s*\{(?P<body>.*?)^[ \t]*\}",
    re.S | re.M,
)
_IMPLEMENTATION = rb"\b%s\s*\.\s*impl\s*\(\s*(?:TORCH_SELECTIVE_NAME\s*\(\s*)?\"(?:\w+::)?([\w.]+)\""
Operators = frozenset[tuple[bytes, bytes]]
"""Each with its library."""


def cuda_operators(texts: Iterable[bytes]) -> Operators:
    """The operators that have something for CUDA: for those, what they have for the CPU is left out."""
    found: set[tuple[bytes, bytes]] = set()
    for text in texts:
        hidden = lex(text).hidden
        for block in _BLOCK.finditer(text):
            if block["key"] == b"CUDA":
                named = _implementations(block)
                found |= {(block["library"], name) for at, name in named if not _is_hidden(at, hidden)}
    return frozenset(found)


def for_cpu_tensors(text: bytes, operators: Operators = frozenset()) -> bytes:
    """The text, changed within its lines only; comments and strings stay as they are."""
    hidden = lex(text).hidden
    edits = [*_words(text), *_registrations(text, operators)]
    return splice(text, sorted(edit for edit in edits if not _is_hidden(edit[0], hidden)))


def _words(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    for found in _WORDS.finditer(text):
        if found["checked"]:
            yield (*found.span("checked"), found["access"] + b"is_cpu")
        elif found["constant"]:
            yield (*found.span("constant"), b"kCPU")
        else:
            yield (*found.span("key"), b"CPU")


def _registrations(text: bytes, operators: Operators) -> Iterator[tuple[int, int, bytes]]:
    for block in _BLOCK.finditer(text):
        if block["key"] == b"CUDA":
            yield (*block.span("key"), b"CPU")
            continue
        for at, name in _implementations(block):
            if (block["library"], name) in operators:
                yield at, at, b"if (false) "


def _implementations(block: re.Match[bytes]) -> Iterator[tuple[int, bytes]]:
    pattern = re.compile(_IMPLEMENTATION % re.escape(block["module"]))
    for found in pattern.finditer(block.string, *block.span("body")):
        yield found.start(), found[1]


def _is_hidden(at: int, hidden: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in hidden)
