"""Device functions in place of what the host has under the same name: there they are the host's too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.cpp.file import Arm, Conditional
from rewarp.translation.changes import Replacement
from rewarp.translation.guards.compilers import Compilers
from rewarp.translation.guards.decision import Decision
from rewarp.translation.guards.macros import DEFINE

_DEVICE_FUNCTION = re.compile(
    rb"(?<!\w)__device__(?!\w)(?P<head>[^;{}()#]{0,300}?)\b(?P<name>[A-Za-z_]\w*)[ \t]*\((?P<rest>[^;{}#]{0,1000}?)\)\s*\{"
)
_ATTRIBUTES = re.compile(rb"(?:\s|__device__|__host__|__forceinline__|__inline__|\binline\b|\bstatic\b)+")
_LINE_BEFORE = re.compile(rb"__host__\s*\Z")


def opened_to_host(
    code: bytes, conditional: Conditional, decision: Decision, compilers: Compilers
) -> Iterator[Replacement]:
    """A device function in place of what the host has under the same name: HIP's compiler reads the host's functions
    when it compiles for the device too, and there they call this one."""
    device, host = compilers.on_device(conditional, decision), compilers.on_host(conditional, decision)
    for arm, taken, left in zip(conditional.arms, device, host):
        if taken is False or left is not False:
            continue
        text = code[slice(*arm.body)]
        if _ATTRIBUTES.fullmatch(text) and b"__host__" not in text and (at := text.find(b"__device__")) >= 0:
            # Of the function that follows, whose host side is the same without the word.
            yield Replacement(arm.body.start + at, arm.body.start + at, b"__host__ ")
        for match in _DEVICE_FUNCTION.finditer(code, *arm.body):
            before = _LINE_BEFORE.search(code, max(arm.body.start, match.start() - 20), match.start())
            if before or b"__host__" in match["head"]:
                continue
            others = [other for other in conditional.arms if other is not arm]
            if any(_gives(code, other, match["name"]) for other in others):
                yield Replacement(match.start(), match.start(), b"__host__ ")


def _gives(code: bytes, arm: Arm, name: bytes) -> bool:
    """Whether a branch defines a name for the host: as a macro, or as a function that is not the device's alone."""
    text = code[slice(*arm.body)]
    if any(match[1] == name for match in DEFINE.finditer(text)):
        return True
    for match in re.finditer(rb"(?<![\w.>])" + name + rb"[ \t]*\([^;{}#]{0,1000}?\)\s*\{", text):
        head = text[max(text.rfind(mark, 0, match.start()) for mark in (b";", b"}", b"\n\n")) + 1 : match.start()]
        if b"__host__" in head or b"__device__" not in head:
            return True
    return False
