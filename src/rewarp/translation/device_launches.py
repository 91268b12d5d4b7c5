"""Kernels launched by kernels, which HIP's compiler refuses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.code import line_start
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem

_RULE = "CU-004"
_DEVICE = re.compile(rb"__(?<!\w__)(?:global|device)__(?!\w)")
_BRACKET = re.compile(rb"[(){};]")
_HASH = re.compile(rb"\s*#")
_NEVER = -1
_CHEVRONS = re.compile(rb"<<<")
_LAUNCH = re.compile(rb"<<<(?=[^;{}]{0,2000}>>>)")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return may_stand_in_device_code(lexed, view, (match.start() for match in _CHEVRONS.finditer(view)))


def may_stand_in_device_code(lexed: Lexed, view: bytes, places: Iterable[int]) -> bool:
    """Whether some place follows the word for a device function with no function ending between the two."""
    words = sorted(lexed.names.get(b"__global__", []) + lexed.names.get(b"__device__", []))
    for at in places if words else ():
        index = bisect_right(words, at) - 1
        if index >= 0 and view.find(b"\n}", words[index], at) == -1:
            return True
    return False


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Reports launches inside the bodies of device functions."""
    changes = Changes()
    code = document.code
    for body in device_bodies(code):
        for launch in _LAUNCH.finditer(code, *body):
            changes.problems.append(
                Problem(
                    _RULE,
                    Span(*launch.span()),
                    "unsupported",
                    "a kernel launched from device code: HIP has no dynamic parallelism",
                    "Launch it from the host after this kernel, or do its work here with a device function.",
                    "<<<",
                )
            )
    return changes


def device_bodies(code: bytes) -> Iterator[Span]:
    """The bodies of functions that run on the GPU only."""
    end, line_end, in_directive = 0, -1, False
    for match in _DEVICE.finditer(code):
        if match.start() > line_end:
            line, line_end = line_start(code, match.start()), code.find(b"\n", match.start()) % (len(code) + 1)
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
