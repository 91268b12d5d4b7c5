"""Kernel launches. HIP's compiler takes ``<<<>>>`` as it is, but not ``<< <>> >``, as formatters write it and nvcc takes it,
nor ``<<<grid, {32, 8}>>>``; ``hipLaunchKernelGGL`` is written on request."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import (
    call_arguments,
    has_bare_comma,
    skip_space,
    skip_space_back,
    stripped,
    template_begin,
    template_list_end,
)
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import RUNTIME_API

# As patterns: Python looks for these bytes with "in" several times as long.
_BROKEN_OPENING, _BROKEN_CLOSING = re.compile(rb"<< <"), re.compile(rb">> >")
_OPENING = re.compile(rb"<<\s*<")
_BRACED = re.compile(rb"<<<(?:[^;{}]{0,300},)?\s*\{")
_CONFIGURATION = re.compile(rb"<|>\s*>\s*>(?=(?:\s|\\\r?\n)*\()|[()\[\]{},;]")
_NAME = re.compile(rb"[A-Za-z_]\w*\Z")
_TEMPLATE_WORD = re.compile(rb"\btemplate\s+\Z")
_CONNECTOR = re.compile(rb"(?:(?<=[\w>])::|\.|->|##)\s*\Z")
_OPERAND_END = re.compile(rb"[\w>)\]]\Z")
_GLOBAL = re.compile(rb"(?<![\w>:])::\Z")
_KEYWORDS = (b"if", b"for", b"while", b"switch")
_LINE_END = re.compile(rb"(?<!\\)(?<!\\\r)\n")
_DIM3 = re.compile(rb"dim3\s*(?=\()")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if options.launch == "ggl" and b"<<<" in view:
        return True
    if _BROKEN_OPENING.search(view):
        return True
    return b"<<<" in view and (_BROKEN_CLOSING.search(view) is not None or _BRACED.search(view) is not None)


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Every launch as HIP's compiler takes it, or as a call of ``hipLaunchKernelGGL``."""
    changes = Changes()
    code = document.code
    for match in _OPENING.finditer(code):
        opening = Span(*match.span())
        limit = _end_of_directive(code, opening.start)
        configuration = _configuration(code, opening.end, limit)
        if options.launch != "ggl":
            closing = [configuration[1]] if configuration else []
            changes.replacements += [
                Replacement(*mark, code[mark.start : mark.start + 1] * 3)
                for mark in (opening, *closing)
                if mark.end - mark.start > 3
            ]
            for part in configuration[0][:2] if configuration else []:
                changes.replacements += _without_braces(code, part)
            continue
        written = _as_call(code, document.source.view, opening, configuration, limit) if configuration else None
        changes.replacements += written or []
        if written is None:
            changes.problems.append(
                Problem(
                    RUNTIME_API,
                    opening,
                    "noted",
                    "a launch that could not be read was left as <<<>>>, which HIP's compiler takes",
                    "Write hipLaunchKernelGGL by hand where another compiler must read it.",
                )
            )
    return changes


def _as_call(
    code: bytes, view: bytes, chevrons: Span, configuration: tuple[list[Span], Span], limit: int
) -> list[Replacement] | None:
    kernel = _kernel(code, chevrons.start)
    parts, closing = configuration
    opening = skip_space(code, closing.end)
    call = call_arguments(code, opening)
    if (
        kernel is None
        or call is None
        or call[1] >= limit
        or not 2 <= len(parts) <= 4
        or any(part.start == part.end for part in parts)
    ):
        return None
    arguments, end = call
    before, after = _around_kernel(code[slice(*kernel)])
    edits = [Replacement(kernel.start, kernel.start, b"hipLaunchKernelGGL(" + before)]
    edits.append(_joined(view, Span(kernel.end, parts[0].start), chevrons, after + b", "))
    for index, part in enumerate(parts):
        edits += _around_part(code, index, part)
        if index + 1 < len(parts):
            gap = Span(part.end, parts[index + 1].start)
            comma = gap.start + code[slice(*gap)].index(b",")
            edits.append(_joined(view, gap, Span(comma, comma + 1), b", "))
    defaults = b", 0" * (4 - len(parts))
    first = stripped(code, arguments[0]).start if arguments else end
    edits.append(
        _joined(view, Span(parts[-1].end, first), Span(closing.start, opening + 1), defaults + b", " * bool(arguments))
    )
    return edits


def _joined(view: bytes, gap: Span, token: Span, text: bytes) -> Replacement:
    """Puts a text in the place of what stands between two parts; comments there stay."""
    if view[gap.start : token.start].strip() or view[token.end : gap.end].strip():
        return Replacement(*token, text.rstrip() if view[token.end : token.end + 1].isspace() else text)
    return Replacement(*gap, text)


def _around_kernel(text: bytes) -> tuple[bytes, bytes]:
    """A comma in template arguments would end the macro's argument."""
    return (b"HIP_KERNEL_NAME(", b")") if b"<" in text and not text.startswith(b"(") else (b"", b"")


def _around_part(code: bytes, index: int, part: Span) -> list[Replacement]:
    text = code[slice(*part)]
    if index < 2 and (unbraced := _without_braces(code, part)):
        return unbraced
    if index < 2:
        dim3 = _DIM3.match(text)
        call = call_arguments(code, part.start + dim3.end()) if dim3 else None
        before = b"" if call and call[1] + 1 == part.end else b"dim3("
    else:
        before = b"(" if has_bare_comma(text) else b""
    if not before:
        return []
    return [Replacement(part.start, part.start, before), Replacement(part.end, part.end, b")")]


def _without_braces(code: bytes, part: Span) -> list[Replacement]:
    """``{32, 8}`` as ``dim3(32, 8)``: in brackets a number may be signed, as nvcc lets it be."""
    if code[part.start : part.start + 1] != b"{" or code[part.end - 1 : part.end] != b"}":
        return []
    return [Replacement(part.start, part.start + 1, b"dim3("), Replacement(part.end - 1, part.end, b")")]


def _end_of_directive(code: bytes, at: int) -> int:
    """Where the line of a macro ends, with those that continue it: a launch in it does not go on after that."""
    start = at
    while True:
        start = code.rfind(b"\n", 0, start) + 1
        if not code[max(start - 3, 0) : max(start - 1, 0)].rstrip(b"\r").endswith(b"\\"):
            break
        start -= 1
    if not code[start:at].lstrip().startswith(b"#"):
        return len(code)
    end = _LINE_END.search(code, at)
    return end.start() if end else len(code)


def _configuration(code: bytes, at: int, limit: int) -> tuple[list[Span], Span] | None:
    """What stands between ``<<<`` and ``>>>``, split at commas, and where the ``>>>`` is."""
    depth = template = 0
    start = at
    parts: list[Span] = []
    for match in _CONFIGURATION.finditer(code, at, limit):
        token = match[0]
        if match.start() < template or (depth and token[:1] == b">"):
            continue
        if token == b"<":
            template = template_list_end(code, match.start()) or 0
        elif token in (b"(", b"[", b"{"):
            depth += 1
        elif token in (b")", b"]", b"}"):
            depth -= 1
            if depth < 0:
                return None
        elif token == b";":
            return None
        elif not depth:
            parts.append(stripped(code, Span(start, match.start())))
            start = match.end()
            if token[:1] == b">":
                return parts, Span(*match.span())
    return None


def _kernel(code: bytes, at: int) -> Span | None:
    """The expression before ``<<<``: ``name``, ``scope::name<T>``, ``object->table[i]``, ``(*pointer)``."""
    end = start = skip_space_back(code, at)
    while True:
        name_end = _before_brackets(code, start)
        if name_end is None:
            return None
        name = _NAME.search(code, max(0, name_end - 400), name_end)
        if name and name[0] in _KEYWORDS:
            return None
        if name is None:
            return Span(name_end, end) if code[name_end : name_end + 1] == b"(" else None
        start = name.start()
        if keyword := _TEMPLATE_WORD.search(code, max(0, start - 80), start):
            start = keyword.start()
        connector = _CONNECTOR.search(code, max(0, start - 80), start)
        if connector is None:
            break
        start = skip_space_back(code, connector.start())
    is_global = _GLOBAL.search(code, max(0, start - 3), start)
    return Span(is_global.start() if is_global else start, end)


def _before_brackets(code: bytes, at: int) -> int | None:
    """Where the template arguments, subscripts and parentheses begin that end at a place."""
    while True:
        last = code[at - 1 : at]
        if last == b">":
            begin = template_begin(code, at)
        elif last in (b")", b"]"):
            begin = _opening(code, at)
        else:
            return at
        if begin is None:
            return None
        at = skip_space_back(code, begin)
        if last == b")" and not _OPERAND_END.search(code, max(0, begin - 1), begin):
            return begin


def _opening(code: bytes, end: int) -> int | None:
    depth = 0
    for index in range(end - 1, -1, -1):
        depth += (code[index] in b")]}") - (code[index] in b"([{")
        if not depth:
            return index
    return None
