"""Kernels launched by kernels, which HIP's compiler refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rewarp.lang.cfamily import CodeFile
from rewarp.source import Span
from rewarp.translation.code import line_start
from rewarp.translation.lexing import Lexed
from rewarp.translation.model import Changes, Options, Problem

_RULE = "CU-004"
_DEVICE = re.compile(rb"\b__(?:global|device)__\b")
_BRACKET = re.compile(rb"[(){};]")
_LAUNCH = re.compile(rb"<<<(?=[^;{}]*>>>)")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    """Whether some launch may stand in device code: no function ends between the word for one and the launch."""
    at = view.find(b"<<<")
    while at != -1:
        start = max(view.rfind(b"\n}", 0, at), 0)
        if view.find(b"__global__", start, at) != -1 or view.find(b"__device__", start, at) != -1:
            return True
        at = view.find(b"<<<", at + 3)
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
    end = 0
    for match in _DEVICE.finditer(code):
        if code[line_start(code, match.start()) : match.start()].lstrip().startswith(b"#"):
            continue  # a macro for the word: where it is used, a function begins, and not here
        if match.start() >= end and (body := _body(code, match.end())):
            start = max(code.rfind(mark, 0, match.start()) for mark in (b";", b"}")) + 1
            end = body.end
            if b"__host__" not in code[start : body.start]:
                yield body


def _body(code: bytes, at: int) -> Span | None:
    """The body of the function whose head goes on at a place; None where it is only declared."""
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
    return None
