"""Functions that a project defines because CUDA lacks them, and that HIP has: two definitions are one too many."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.conditions import OPENING
from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import NOT_ON_AMD, Changes, Options, Problem, Replacement
from rewarp.translation.code import definition_end, line_start
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import RUNTIME_API

_DEFINITION = re.compile(
    rb"(?:^|(?<=[;}\n]))[ \t]*(?:(?:inline|static|__device__|__forceinline__|__inline__|__noinline__"
    rb"|[A-Z][A-Z0-9_]*|__attribute__\s*\(\([^()]*\)\))\s+)+"
    rb"(?:void|float|double)\s+(?P<name>atomic(?:Max|Min)(?:_system)?)\s*"
    rb"\(\s*(?P<type>float|double)\s*\*\s*(?:(?:const|__restrict__)\s+)?(?:\w+\s*)?,\s*(?:const\s+)?(?P=type)\s*(?:\w+\s*)?\)"
    rb"\s*(?=[{;])"
)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return b"atomicM" in view


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Keeps the project's definitions for other compilers."""
    changes = Changes()
    code = document.code
    newline = b"\r\n" if b"\r\n" in document.source.view[:4096] else b"\n"
    for match in _DEFINITION.finditer(code):
        start = line_start(code, match.start() + len(match[0]) - len(match[0].lstrip()))
        end = definition_end(code, match.end())
        if end is None or code[:start].rstrip().endswith(NOT_ON_AMD) or _has_split_blocks(document, start, end):
            continue
        changes.replacements += [
            Replacement(start, start, NOT_ON_AMD + newline),
            Replacement(end, end, newline + b"#endif"),
        ]
        name, type_ = match["name"].decode(), match["type"].decode()
        changes.problems.append(
            Problem(
                RUNTIME_API,
                Span(*match.span("name")),
                "noted",
                f"HIP has {name} for {type_}; this definition is left to other compilers",
                "Check that it does the same: gives the old value, and treats NaN alike.",
                name,
            )
        )
    return changes


def _has_split_blocks(document: CodeFile, start: int, end: int) -> bool:
    """Whether a condition of the preprocessor reaches round a brace, so that brackets cannot be matched."""
    places = [one.where.start for one in document.directives if one.word in (*OPENING, "endif")]
    places = [at for at in places if start <= at < end]
    inside = document.code[places[0] : places[-1]] if places else b""
    return b"{" in inside or b"}" in inside
