"""Functions that run on the GPU only, by their brackets, and the kernels that they launch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.source import Span

_DEVICE = re.compile(rb"__(?<!\w__)(?:global|device)__(?!\w)")
_BRACKET = re.compile(rb"[(){};]")
_HASH = re.compile(rb"\s*#")
_NEVER = -1
_LAUNCH = re.compile(rb"<<<(?=[^;{}]{0,2000}>>>)")


def launches_on_device(code: bytes) -> Iterator[Span]:
    """The ``<<<`` of launches inside the bodies of device functions."""
    for body in device_bodies(code):
        yield from (Span(*launch.span()) for launch in _LAUNCH.finditer(code, *body))


def device_bodies(code: bytes) -> Iterator[Span]:
    """The bodies of functions that run on the GPU only."""
    end, line_end, in_directive = 0, -1, False
    for match in _DEVICE.finditer(code):
        if match.start() > line_end:
            line, line_end = code.rfind(b"\n", 0, match.start()) + 1, code.find(b"\n", match.start()) % (len(code) + 1)
            in_directive = _HASH.match(code, line) is not None
        if in_directive:
            continue  # a macro for the word: where it is used, a function begins, and not here
        if match.start() >= end and (body := _body(code, match.end())):
            if body.end == _NEVER:
                return
            start = max(code.rfind(mark, end, match.start()) for mark in (b";", b"}")) + 1 or end
            end = body.end
            if b"__host__" not in code[start : body.start]:
                yield body


def _body(code: bytes, at: int) -> Span | None:
    """The body of the function whose head goes on at a place; None where it is only declared. In a half-written
    file it may end nowhere."""
    start = depth = 0
    for match in _BRACKET.finditer(code, at):
        bracket = match[0]
        depth += {b"(": 1, b"{": 1, b")": -1, b"}": -1, b";": 0}[bracket]
        if bracket == b"{" and depth == 1:
            start = match.start()
        elif not depth and bracket == b"}":
            return Span(start, match.end())
        elif not depth and bracket == b";" and not start:
            return None
    return Span(start, _NEVER)
