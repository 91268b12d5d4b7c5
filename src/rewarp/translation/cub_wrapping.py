"""CUB inside a namespace of the project's: ``#define CUB_NS_PREFIX namespace mine {`` before its headers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import RUNTIME_API

_WRAPPERS = (b"CUB_NS_PREFIX", b"CUB_WRAPPED_NAMESPACE")
_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(?:CUB_NS_PREFIX[ \t]+(?P<opened>namespace[ \t]+\w+\b(?:[^\r\n\\]*[^\s\\])?)"
    rb"|CUB_WRAPPED_NAMESPACE[ \t]+(?P<name>\w+))[ \t]*(?=\r?$)",
    re.M,
)


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return any(name in lexed.names for name in _WRAPPERS)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """hipCUB stays where it is and gets CUB's name inside the project's namespace: nobody wraps hipCUB."""
    changes = Changes()
    newline = b"\r\n" if b"\r\n" in document.source.view[:4096] else b"\n"
    for match in _DEFINE.finditer(document.code):
        opened = match["opened"] or b"namespace " + match["name"] + b" {"
        closed = b" }" * opened.count(b"{")
        alias = b"namespace hipcub {}" + newline + opened + b" namespace cub = ::hipcub;" + closed
        changes.replacements.append(Replacement(*match.span(), alias))
        message = "hipCUB is not wrapped in a namespace of the project's; cub is another name for it there"
        fix = "Check that no other library of the program brings its own copy of hipCUB."
        changes.problems.append(Problem(RUNTIME_API, Span(*match.span()), "noted", message, fix, "CUB_NS_PREFIX"))
    return changes
