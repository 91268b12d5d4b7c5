"""What the branches of a condition leave a file with: the same, nothing but macros, or names that others use."""

from __future__ import annotations

import re

from rewarp.lang.cpp.file import CodeFile
from rewarp.rules.shapes.cuda import arch_guard
from rewarp.source import Span
from rewarp.targets import Context
from rewarp.waves.reading.functions import definitions

_MACRO = re.compile(
    rb"[ \t]*#[ \t]*(?:define[ \t]+(?P<name>\w+)(?P<body>(?:\\\r?\n|[^\n])*)|undef\b[^\n]*|pragma\b[^\n]*)\n?"
)
_DEFINED = re.compile(
    rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)|\b(?:struct|class|union|enum)\s+(\w+)\s*[:{]|\busing\s+(\w+)\s*="
    rb"|\btypedef\s[^;{}()]{0,1000}\b(\w+)\s*;"
)
_BLANK = re.compile(rb"(?:[ \t]*\r?\n)*(?:[ \t]*\Z)?")
_SPACES = re.compile(rb"(?:\\\r?\n|\s)+")
_ATTRIBUTES = re.compile(
    rb"\b(?:__global__|__device__|__host__|__constant__|__managed__|__(?:force|no)inline__|static|inline|const)\b|[()]"
)
_FOR_DEVICE = re.compile(rb"\b__(?:device|constant|managed|global)__\b")


def same(document: CodeFile, one: Span, other: Span) -> bool:
    """Whether two branches come to the same, whatever their comments and spaces."""
    first, second = (_SPACES.sub(b" ", document.code[arm.start : arm.end]).strip() for arm in (one, other))
    if first != second:
        return False
    texts = [[text.text for text in document.literals if _within(arm, text.where.start)] for arm in (one, other)]
    return texts[0] == texts[1]


def macros(document: CodeFile, arm: Span) -> dict[bytes, bytes] | None:
    """What a branch of macros alone defines; None for one that holds anything else."""
    found: dict[bytes, bytes] = {}
    at = arm.start
    while match := _BLANK.match(document.code, at, arm.end):
        if match.end() == arm.end:
            return found
        match = _MACRO.match(document.code, match.end(), arm.end)
        if match is None:
            return None
        if match["name"]:
            found[match["name"]] = _SPACES.sub(b" ", match["body"]).strip()
        at = match.end()
    return found


def lost_attributes(document: CodeFile, theirs: dict[bytes, bytes], ours: dict[bytes, bytes]) -> list[bytes] | None:
    """Of macros that say no more than where code runs and data lies: those without which something is missing on the device,
    as what they stand for here does not say so. None where other macros are among them. A constant of the host's with a value
    known when compiling is the device's too."""
    lost: list[bytes] = []
    for name in theirs.keys() | ours.keys():
        bodies = theirs.get(name), ours.get(name)
        if None in bodies or any(_ATTRIBUTES.sub(b"", body or b"").strip() for body in bodies):
            return None
        if _FOR_DEVICE.search(bodies[0] or b"") and not _FOR_DEVICE.search(bodies[1] or b""):
            used = [at for at in document.words.get(name, ()) if not _in_directive(document, at)]
            if not used or not all(_is_constant(document, at) for at in used):
                lost.append(name)
    return sorted(lost)


def are_texts(bodies: dict[bytes, bytes]) -> bool:
    """Whether macros are pieces of text: of inline assembly, or of messages."""
    return bool(bodies) and all(re.fullmatch(rb'(?:"[^"]*"\s*)+', body) for body in bodies.values())


def are_flags(bodies: dict[bytes, bytes]) -> bool:
    """Whether macros say nothing but yes: what asks for them decides."""
    return all(body in (b"", b"1", b"(1)", b"true") for body in bodies.values())


def missed(document: CodeFile, context: Context, arm: Span) -> bool:
    """Whether what a branch defines is used where the branch is not: outside code that HIP skips for the same reason. What this
    file does not use is for others."""
    names = {function.name.encode() for function in definitions(document.code[arm.start : arm.end])}
    names |= defined(document, arm)
    used = uses_outside(document, arm, names)
    return not used or any(arch_guard(document, context, at) is None for at in used)


def defined(document: CodeFile, arm: Span) -> set[bytes]:
    """The macros and types that a branch defines."""
    return {match[match.lastindex or 0] for match in _DEFINED.finditer(document.code, arm.start, arm.end)}


def uses_outside(document: CodeFile, arm: Span, names: set[bytes]) -> list[int]:
    """Where code outside a branch uses names; a directive that asks for one is no use."""
    places = (at for name in names for at in document.words.get(name, ()) if not _within(arm, at))
    return [at for at in places if not _in_directive(document, at)]


def _within(arm: Span, at: int) -> bool:
    return arm.start <= at < arm.end


def _in_directive(document: CodeFile, at: int) -> bool:
    line = document.source.line_span(document.source.line_at(at))
    return document.code[line.start : line.end].lstrip().startswith(b"#")


def _is_constant(document: CodeFile, at: int) -> bool:
    """Whether the declaration around a place is one of a constant with its value: ``static const MACRO int table[4] = {``."""
    start = max(document.code.rfind(mark, 0, at) for mark in (b";", b"}", b"\n\n")) + 1
    head = re.match(rb"[^;{(]*", document.code[start : start + 1000])
    declared = head[0] if head else b""
    return bool(re.search(rb"\bconst(?:expr)?\b", declared)) and b"=" in declared
