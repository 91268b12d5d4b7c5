"""``float row[n] = {0};`` with an ``n`` that only the running program knows: an extension of gcc's, which nvcc takes with it; clang has
such arrays too, but none with an initialiser."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import is_declared
from rewarp.translation.lexing import Lexed
from rewarp.translation.lost_names import Definition, definitions
from rewarp.translation.reported_rules import RUNTIME_API

_SCALAR = (
    rb"(?:(?:unsigned|signed|long|short|char|int|float|double|bool|size_t|ssize_t|ptrdiff_t|u?int\d+_t)\b"
    rb"(?:\s+(?:unsigned|signed|long|short|char|int|double)\b)*)"
)
_ARRAY = re.compile(
    rb"(?<=[;{}\n])[ \t]*(?P<const>const\s+)?(?P<type>"
    + _SCALAR
    + rb"|[A-Za-z_][\w:]*)\s+(?P<name>\w+)\s*(?P<bounds>(?:\[[^\]\[;{}]+\]\s*)+)"
    rb"(?P<rest>=?\s*\{(?P<list>[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*)\}\s*)(?=;)"
)
_MAYBE = re.compile(rb"\]\s*=?\s*\{")
_ZERO = re.compile(rb"\s*(?:[+-]?(?:0[xX])?0*\.?0*(?:[uUlLfF]*)|NULL|nullptr|false)?\s*,?\s*\Z")
_ROW = re.compile(rb"\s*\{([^{}]*)\}\s*(?:,|\Z)")
_WORD = re.compile(rb"(?<![\w.>])[A-Za-z_]\w*")
_FIXED = re.compile(rb"\bconst(?:expr)?\b")
_TEMPLATE = re.compile(rb"<[^<>;(){}]*\Z")
_STATEMENT = re.compile(rb"[;{}]")
_NO_TYPES = frozenset(b"return else delete new case goto throw typedef using struct class union enum".split())


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return _MAYBE.search(view) is not None and _ARRAY.search(view) is not None


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Zeros come from a call behind the declaration, other values from an array that is as large as their list."""
    changes = Changes()
    code = document.code
    found = [match for match in _ARRAY.finditer(code) if match["type"] not in _NO_TYPES]
    functions = list(definitions(code)) if found else []
    for match in found:
        around = next((one for one in functions if one.body.start <= match.start() < one.body.end), None)
        if around is None or not any(
            _varies(code, around, word[0], match.start()) for word in _WORD.finditer(match["bounds"])
        ):
            continue
        if replacements := _assigned(document, match):
            changes.replacements += replacements
            continue
        name = match["name"].decode()
        message = f"{name} is an array of variable length with an initialiser, which HIP's compiler does not take"
        fix = "Give the array a constant size, or assign its elements behind the declaration."
        where = Span(*match.span("name"))
        changes.problems.append(Problem(RUNTIME_API, where, "unsupported", message, fix, name))
    return changes


def _assigned(document: CodeFile, match: re.Match[bytes]) -> list[Replacement]:
    """What says the same of an array of numbers without an initialiser; nothing where that is not known."""
    if match["const"] or not re.fullmatch(_SCALAR, match["type"]):
        return []
    name, end = match["name"], match.end("rest")
    bare = match.start("rest") - (len(match["bounds"]) - len(match["bounds"].rstrip()))
    zeros = b"; memset(" + name + b", 0, sizeof(" + name + b"))"
    written = document.source.view[slice(*match.span("list"))]  # strings are blanked in the code
    if _ZERO.match(written):
        return [Replacement(bare, end, zeros)]
    dimensions, rows = match["bounds"].count(b"["), _ROW.findall(match["list"])
    values = name + b"_values"
    if dimensions == 1 and b"{" not in match["list"]:
        shape, copied = b"[]", b"memcpy(" + name + b", " + values + b", sizeof(" + values + b"))"
    elif dimensions == 2 and rows and not _ROW.sub(b"", match["list"]).strip():
        longest = max(len([item for item in row.split(b",") if item.strip()]) for row in rows)
        row = b"for (auto& row : " + values + b") memcpy(" + name + b"[&row - " + values + b"], row, sizeof(row))"
        shape, copied = b"[][%d]" % longest, row
        if any(b"(" in row for row in rows) or not longest:
            return []  # a comma may be a call's
    else:
        return []
    opening = zeros + b"; { const " + match["type"] + b" " + values + shape + b" = "
    brace = match.start("list") - 1
    return [Replacement(bare, brace, opening), Replacement(match.end("list") + 1, end, b"; " + copied + b"; }")]


def _varies(code: bytes, function: Definition, name: bytes, before: int, depth: int = 4) -> bool:
    """Whether a name is a variable of the function's that no constant can be made of, as its last declaration says."""
    body = code.find(b"{", function.body.start)
    head = code.find(b"(", function.body.start, body)
    head = body if head < 0 else head  # a class: what it declares counts
    for match in reversed(list(re.finditer(rb"(?<![\w.>])" + re.escape(name) + rb"\b", code[head:before]))):
        at = head + match.start()
        if not is_declared(code, at):
            continue
        begin = max((one.end() for one in _STATEMENT.finditer(code, body, at)), default=head)
        end = code.find(b";", at)
        if _TEMPLATE.search(code, begin, at):
            return False
        if at < body or not _FIXED.search(code, begin, at):  # a parameter varies, const or not
            return True
        value = code[at + len(name) : end]
        return depth > 0 and any(_varies(code, function, word[0], begin, depth - 1) for word in _WORD.finditer(value))
    return False
