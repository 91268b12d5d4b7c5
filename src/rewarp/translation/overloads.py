"""Overloads for types that are two in CUDA and one in HIP: ``check(CUresult)`` beside ``check(cudaError_t)``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import NOT_ON_AMD, Changes, Options, Problem, Replacement
from rewarp.translation.code import definition_end, line_start, skip_space
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import RUNTIME_API

_DRIVER, _RUNTIME = b"CUresult", (b"cudaError_t", b"cudaError")
_ERROR = re.compile(rb"\b(?:(?:enum\s+)?cudaError(?:_t)?|CUresult)\b")
_DEFINITION = re.compile(
    rb"\b(?!(?:if|for|while|switch|catch)\b)(?P<name>[A-Za-z_]\w*)\s*"
    rb"\((?P<parameters>[^;{}()]*\b(?:cudaError(?:_t)?|CUresult)\b[^;{}()]*)\)\s*(?=\{)"
)
_NAME = re.compile(rb"(?<=[\w\s*&>])\s*\b[A-Za-z_]\w*\s*\Z")
_HEAD_BEGINS = re.compile(rb"[;{}]|^[ \t]*#(?:\\\r?\n|[^\n])*\n", re.M)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _DRIVER in lexed.names and any(name in lexed.names for name in _RUNTIME)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Keeps the driver's overload for other compilers where the runtime's has the same parameters in HIP."""
    changes = Changes()
    code = document.code
    newline = b"\r\n" if b"\r\n" in document.source.view[:4096] else b"\n"
    found = [(match, _signature(match)) for match in _DEFINITION.finditer(code)]
    runtimes = {signature for match, signature in found if _DRIVER not in match["parameters"]}
    for match, signature in found:
        if _DRIVER not in match["parameters"] or signature not in runtimes:
            continue
        start, end = _head_start(code, match.start()), definition_end(code, match.end())
        if end is None or code[:start].rstrip().endswith(NOT_ON_AMD):
            continue
        changes.replacements += [
            Replacement(start, start, NOT_ON_AMD + newline),
            Replacement(end, end, newline + b"#endif"),
        ]
        name = match["name"].decode()
        changes.problems.append(
            Problem(
                RUNTIME_API,
                Span(*match.span("name")),
                "noted",
                f"hipError_t stands for CUresult and for cudaError_t; this {name} is left to other compilers",
                "Check that the one for cudaError_t does the same.",
                name,
            )
        )
    return changes


def _signature(match: re.Match[bytes]) -> tuple[bytes, ...]:
    """What a function is called, and the types of its parameters in HIP."""
    types = (_NAME.sub(b"", b" ".join(part.split(b"=")[0].split())) for part in match["parameters"].split(b","))
    return (match["name"], *(b" ".join(_ERROR.sub(b"hipError_t", text).split()) for text in types))


def _head_start(code: bytes, at: int) -> int:
    """The line on which the definition begins that has its name at a place."""
    begin = 0
    for match in _HEAD_BEGINS.finditer(code, max(0, at - 1000), at):
        begin = match.end()
    return line_start(code, skip_space(code, begin))
