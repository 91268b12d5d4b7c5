"""Functions of the host that a lambda for both sides calls: nvcc warns, HIP's compiler refuses once the lambda runs on the device."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem
from rewarp.translation.lexing import Lexed
from rewarp.translation.lost_names import definitions
from rewarp.translation.reported_rules import NO_TWIN

_LAMBDA = re.compile(
    rb"\]\s*(?:__host__\s+__device__|__device__\s+__host__)\s*\([^(){};]*(?:\([^(){};]*\)[^(){};]*)*\)[^(){};]*\{"
)
_BRACE = re.compile(rb"[{}]")
_CALL = re.compile(rb"(?<![\w.>:~])([A-Za-z_]\w*)\s*(?=\()")
_ON_DEVICE = re.compile(rb"\b(?:__device__|__global__|constexpr|consteval|template|struct|class|union|enum)\b")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return b"__device__" in view and _LAMBDA.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Tells the first call of each, if the file itself defines it for the host alone."""
    changes = Changes()
    code = document.code
    hosts: set[bytes] = set()
    others: set[bytes] = set()
    for one in definitions(code):
        head = code[one.body.start : code.find(b"{", one.body.start)]
        words = set(re.findall(rb"\w+", head))
        on_device = _ON_DEVICE.search(head) or words & options.project.side_macros
        (others if on_device else hosts).add(one.name)
    hosts -= others
    for match in _LAMBDA.finditer(code) if hosts else ():
        for call in _CALL.finditer(code, match.end(), _end(code, match.end())):
            name = call[1]
            if name not in hosts:
                continue
            hosts.discard(name)
            text = name.decode()
            message = f"{text} is for the host only and called from a lambda for both sides, which HIP's compiler refuses on the device"
            fix = f"Write __host__ __device__ before {text}, or make the lambda the host's."
            where = Span(*call.span(1))
            changes.problems.append(Problem(NO_TWIN, where, "unsupported", message, fix, text))
    return changes


def _end(code: bytes, at: int) -> int:
    depth = 1
    for match in _BRACE.finditer(code, at):
        depth += 1 if match[0] == b"{" else -1
        if not depth:
            return match.start()
    return len(code)
