"""Definitions and explicit instantiations that do not say again on which side they run: nvcc takes that from the declaration,
HIP's compiler sees two functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from rewarp.lang.cpp.file import CodeFile
from rewarp.translation.changes import Changes, Options, Replacement, Signature
from rewarp.translation.code import blocks_around
from rewarp.translation.lexing import Lexed

_SIDE = re.compile(rb"__(?:host|device|global)__")
_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+((?:[\w \t]|\\\r?\n)*__device__[\w \t]*)\r?$", re.M
)
_PARAMETERS = rb"[ \t]*\((?P<parameters>[^;{}()#]{0,1000})\)\s*(?:const\b\s*|noexcept\b\s*|override\b\s*)*"
_NAME = rb"(?:operator[ \t]*(?:\(\)|\[\]|[-+*/%^&|~!=<>,]{1,3})|~?[A-Za-z_]\w*)"
_DECLARED = re.compile(rb"(?P<name>" + _NAME + rb")" + _PARAMETERS + rb";")
_DEFINED = re.compile(
    rb"^[ \t]*(?P<head>[A-Za-z_][^;{}()#=]{0,300}?)??(?P<name>(?:[A-Za-z_]\w*::){0,4}"
    + _NAME
    + rb")"
    + _PARAMETERS
    + rb"(?::(?!:)[^;{}]{0,1000})?\{",
    re.M,
)
_INSTANTIATED = re.compile(
    rb"^[ \t]*(?:extern\s+)?template\b(?P<head>(?!\s*<)[^;{}()#=]{1,300}?[\s*&])(?P<name>(?!operator\b)[A-Za-z_]\w*)"
    rb"\s*(?:<[^;{}()]{0,300}>\s*)?" + _PARAMETERS + rb";",
    re.M,
)
_TEMPLATE_OF = rb"\btemplate\s*<[^;{}()]*>(?P<head>[^;{}()#=]{0,300}?)\b%s\s*\("
_CLASS = re.compile(rb"\b(?:class|struct)\s+(?:\w+\s+)?([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^:]|\Z)")
_STATEMENTS = frozenset([b"if", b"for", b"while", b"switch", b"catch", b"return", b"sizeof"])


def side_macros(views: Iterable[bytes]) -> dict[bytes, bytes]:
    """Macros that say where a function runs, and the words that they are."""
    found: dict[bytes, bytes] = {}
    for view in views:
        if b"__device__" in view and b"define" in view:
            for match in _MACRO.finditer(view):
                found[match[1]] = b" ".join(_SIDE.findall(match[2]))
    return found


def sides_of(document: CodeFile, macros: Mapping[bytes, bytes]) -> Iterator[tuple[Signature, bytes]]:
    """What a file declares and does not define, and the words for its sides; none where it says nothing."""
    code = document.code
    for match in _DECLARED.finditer(code):
        if match["name"] in _STATEMENTS:
            continue
        head = code[max(code.rfind(mark, 0, match.start()) for mark in (b";", b"{", b"}", b"\n#")) + 1 : match.start()]
        words = head.split()
        if b"=" in head or words[-1:] in ([b"return"], [b"new"]) or _INSTANTIATED.match(head + match[0]):
            continue
        own = b" ".join(_SIDE.findall(b" ".join(macros.get(word, word) for word in words)))
        around = blocks_around(code, match.start())
        if any(b"(" in block for block in around):
            continue  # a call
        scope = _CLASS.search(around[-1]) if around else None
        yield (scope[1] if scope else b"", _without_blanks(match["name"]), _count(match["parameters"])), own


def concerns(lexed: Lexed, view: bytes, options: Options) -> bool:
    if b"template" in view and _INSTANTIATED.search(view):
        return True
    return any(sides and name in view for (_, name, _), sides in options.project.sides.items())


def translate(document: CodeFile, names: Mapping[bytes, list[int]], options: Options) -> Changes:
    """Writes the words of the declaration before the definition, or the instantiation."""
    changes = Changes()
    if not document.source.path.endswith((".cu", ".cuh")):
        return changes
    changes.replacements += _instantiated(document.code, options)
    for match in _DEFINED.finditer(document.code):
        *scopes, name = _without_blanks(match["name"]).split(b"::")
        sides = options.project.sides.get((scopes[-1] if scopes else b"", name, _count(match["parameters"])), b"")
        head = match["head"] or b""
        if not sides or b"template" in head or _is_inside(document.code, match.start()):
            continue
        if _says_side(head, options):
            if said := _half_said(head, sides):
                at = match.start("head") + said.start()
                changes.replacements.append(Replacement(at, at + len(said[0]), sides))
            continue
        if _says_side(document.code[: match.start()].rstrip().rpartition(b"\n")[2], options):
            continue
        at = match.start("head" if head else "name")
        changes.replacements.append(Replacement(at, at, sides + b" "))
    return changes


def _half_said(head: bytes, sides: bytes) -> re.Match[bytes] | None:
    """The one side that a definition names of the two that its declaration has: to nvcc it has both."""
    said = list(_SIDE.finditer(head))
    words = set(sides.split())
    return said[0] if len(said) == 1 and said[0][0] in words and words == {b"__host__", b"__device__"} else None


def _instantiated(code: bytes, options: Options) -> Iterator[Replacement]:
    """``template bool less<float>(float, float);`` after a template for both sides."""
    for match in _INSTANTIATED.finditer(code):
        name = match["name"]
        if _says_side(match["head"], options):
            continue
        here = {_sides_in(found["head"], options) for found in re.finditer(_TEMPLATE_OF % re.escape(name), code)}
        there = {sides for (scope, other, _), sides in options.project.sides.items() if other == name and not scope}
        words = here or there
        if len(words) == 1 and (sides := words.pop()) and b"__global__" not in sides:
            yield Replacement(match.start("head"), match.start("head"), b" " + sides)


def _sides_in(head: bytes, options: Options) -> bytes:
    """Macros for sides stay as they are written."""
    macros = [word for word in head.split() if word in options.project.side_macros]
    return b" ".join(macros or _SIDE.findall(head))


def _is_inside(code: bytes, at: int) -> bool:
    """Whether a place lies in a function or a class: there a definition is a declaration too."""
    return any(b"namespace" not in head and b"extern" not in head for head in blocks_around(code, at))


def _says_side(text: bytes, options: Options) -> bool:
    return _SIDE.search(text) is not None or any(word in options.project.side_macros for word in text.split())


def _without_blanks(name: bytes) -> bytes:
    return name.replace(b" ", b"").replace(b"\t", b"")


def _count(parameters: bytes) -> int:
    return parameters.count(b",") + 1 if parameters.strip(b" \t\r\n") not in (b"", b"void") else 0
