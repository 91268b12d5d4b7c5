"""C++ that nvcc takes, and HIP's compiler or its headers do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Changes, Options, Problem, Replacement
from rewarp.translation.code import template_begin
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import RUNTIME_API

# A variable that is bound to a register by name keeps the word: there it has a meaning.
_REGISTER = re.compile(rb"register(?<!\wregister)\b[ \t]*(?![^;={}()]{0,400}\b(?:asm|__asm__)\b)")
_UINT3 = re.compile(rb"make_uint3(?<!\wmake_uint3)(?=\s*\()")
_ASSIGNED = re.compile(rb"\b(?P<declared>dim3[ \t]+)?(?P<name>\w+)\s*=\s*\Z")
_MEMBER_TEMPLATE = re.compile(rb">::\s*(?!template\b)(?P<name>\w+)\s*<[^<>;(){}]*>\s*\(")
_PARAMETER = re.compile(rb"\b(?:typename|class)\s+(?:\.\.\.\s*)?(\w+)")
_BEFORE_EXPRESSION = re.compile(rb"(?:[;{}(,=!?:]|\breturn)\s*(?:::\s*)?(?:\w+\s*::\s*)*\w+\s*\Z")
_OWN_ARGUMENTS = re.compile(
    rb"template\s*<(?P<parameters>[^<>{}();]+)>(?P<head>[^;{}()=<]*)(?P<arguments><[\w\s,]+>)\s*\((?!\s*[*&])"
)
_TYPE_AND_NAME = re.compile(rb"\w\s+\w+\s*\Z")
_PARAMETER_NAME = re.compile(rb"(\w+)\s*(?:=.*)?\Z", re.S)
_MEMBER_DEFINED = re.compile(rb">::\s*(?P<name>\w+)\s*\((?P<parameters>[^;{}()]*)\)\s*(?:const\s*|noexcept\s*)*\{")
_DEFAULT = re.compile(rb"[^=!<>]=[^=]")
_PRAGMA_IN_MACRO = re.compile(rb'\\\r?\n[ \t]*(?P<pragma>#[ \t]*pragma[ \t]+(?P<text>[^\r\n\\"]*[^\s\\"]))')
# HIP's vector types are other names for templates: they are no structs by themselves.
_STRUCT = re.compile(
    rb"\bstruct[ \t]+(?=(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]\b(?!\s*(?:[{:;]|final\b)))"
)
# Shared memory with a size is the kernel's own, whatever it says: nvcc only warns.
_EXTERN_SHARED = re.compile(
    rb"\bextern\b[ \t]+(?=(?:[\w:<>]+[ \t]+)*__shared__\b(?![^;{}()]*\[\s*\])[^;{}()=]*;)"
    rb"|(?<=__shared__)[ \t]+extern\b(?![^;{}()]*\[\s*\])(?=[^;{}()=]*;)"
)
# Before anything but a loop nvcc passes over it.
_UNROLL = re.compile(
    rb"^[ \t]*(?P<pragma>#[ \t]*pragma[ \t]+unroll\b)[^\r\n\\]*(?:\r?\n\s*)"
    rb"(?=[{};]|(?:if|switch|return|const|constexpr|static|volatile|unsigned|signed|int|float|double|char|short|long|bool|auto|half|__\w+)\b"
    rb"|\w+(?:\[[^\]\n]*\]|\.\w+)*[ \t]*[-+*/]?=[^=])",
    re.M,
)
_CONTINUED = re.compile(rb"\\\r?\n[ \t]*\Z")
HOST_UNITS = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    return (
        b"register " in view
        or (b"struct" in view and _STRUCT.search(view) is not None)
        or (b"__shared__" in view and b"extern" in view)
        or (b"unroll" in view and any(line.word == b"pragma" for line in lexed.lines))
        or (b"make_uint3" in view and b"dim3" in view)
        or next(_own_arguments(view), None) is not None
        or (
            (b"\\\n" in view or b"\\\r" in view)
            and any(
                line.word == b"pragma" and _CONTINUED.search(view, max(0, line.start - 80), line.start)
                for line in lexed.lines
            )
        )
        or (b">::" in view and b"template" in view and _has_members(view))
    )


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Drops ``register``, which C++17 removed and nvcc still takes; makes a ``dim3`` where one is wanted, for HIP's
        does not come from a ``uint3``; writes ``template`` before a member template of a type that is not known yet, and a
        function template without its own parameters behind its name; makes ``_Pragma`` of a pragma in a macro; takes ``struct`` away
    where HIP's vector types are meant."""
    changes = Changes()
    code = document.code
    changes.replacements += [Replacement(*match.span(), b"") for match in _STRUCT.finditer(code)]
    changes.replacements += [Replacement(*match.span(), b"") for match in _EXTERN_SHARED.finditer(code)]
    for match in _UNROLL.finditer(code) if b"unroll" in code else ():
        changes.replacements.append(Replacement(match.start("pragma"), match.start("pragma"), b"// no loop: "))
    path = document.source.path
    if not path.endswith(HOST_UNITS) or path in options.project.included_sources:
        changes.replacements += [Replacement(*match.span(), b"") for match in _REGISTER.finditer(code)]
    for match in _UINT3.finditer(code):
        variable = _ASSIGNED.search(code, max(0, match.start() - 200), match.start())
        if variable and (variable["declared"] or _is_dim3(code[: variable.start()], variable["name"])):
            changes.replacements.append(Replacement(*match.span(), b"dim3"))
    changes.problems += map(_late_default, _late_defaults(code, 0))
    members = list(_MEMBER_TEMPLATE.finditer(code)) if b"template" in code else []
    parameters = set(_PARAMETER.findall(code)) if members else set()
    for match in members:
        begin = template_begin(code, match.start() + 1)
        if begin is None or not _BEFORE_EXPRESSION.search(code, max(0, begin - 200), begin):
            continue
        if parameters.intersection(re.findall(rb"\w+", code[begin : match.start()])):
            at = match.start("name")
            changes.replacements.append(Replacement(at, at, b"template "))
    for match in _own_arguments(code):
        if _names(match["parameters"]) == _names(match["arguments"][1:-1]):
            changes.replacements.append(Replacement(*match.span("arguments"), b""))
    changes.replacements += [
        Replacement(*match.span("pragma"), b'_Pragma("' + match["text"] + b'")')
        for match in _PRAGMA_IN_MACRO.finditer(code)
    ]
    return changes


def _own_arguments(text: bytes) -> Iterator[re.Match[bytes]]:
    """Plain bytes are found many times as fast as a pattern that begins with them."""
    at = text.find(b"template")
    while at >= 0:
        match = _OWN_ARGUMENTS.match(text, at)
        if match and _TYPE_AND_NAME.search(match["head"]):
            yield match
        at = text.find(b"template", at + 8)


def _has_members(view: bytes) -> bool:
    first = view.index(b">::")
    return _MEMBER_TEMPLATE.search(view, first) is not None or next(_late_defaults(view, first), None) is not None


def _late_defaults(text: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Definitions outside of a class template that have a default argument."""
    return (match for match in _MEMBER_DEFINED.finditer(text, start) if _DEFAULT.search(match["parameters"]))


def _late_default(match: re.Match[bytes]) -> Problem:
    name = match["name"].decode()
    message = f"{name} gets a default argument outside its class template, which nvcc takes and HIP's compiler does not"
    fix = "Move the default argument to the declaration in the class."
    return Problem(RUNTIME_API, Span(*match.span("name")), "unsupported", message, fix, name)


def _names(listed: bytes) -> list[bytes]:
    """The last word of each part: ``typename T, int N`` and ``T, N`` name the same."""
    found = (_PARAMETER_NAME.search(part.strip()) for part in listed.split(b","))
    return [match[1] if match else b"" for match in found]


def _is_dim3(code: bytes, name: bytes) -> bool:
    """Whether a variable is declared before as a ``dim3``."""
    return re.search(rb"\bdim3\b[^;(){}]*[\s,]" + name + rb"\b", code) is not None
