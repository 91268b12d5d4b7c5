"""Texture references, which CUDA 12 removed: which of them something else can stand for, and what.

Kernels read a reference under its own name; the host sets its fields and binds it. The stand-in is two variables: the
host's keeps the name and the fields, and one on the device is what kernels read. That is sound only where every use of
the name is one of these, in all files of the project; a reference that goes anywhere else is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import Span
from rewarp.translation.changes import Texture
from rewarp.translation.code import blocks_around, call_arguments, line_start, skip_space, skip_space_back, template_end

FETCH = re.compile(rb"tex(?<!\wtex)(?:1D|2D|3D|Cubemap)\w*(?=\s*[<(])")
SURFACE = re.compile(rb"surf(?<!\wsurf)(?:1D|2D|3D|Cubemap)\w*(?=\s*[<(])")
REFERENCE = re.compile(rb"(?P<word>(?:texture|surface)(?<!\wtexture)(?<!\wsurface))\s*<")
BINDING = {
    b"cudaBindTexture": (1, b"hipBindTexture"),
    b"cudaBindTexture2D": (1, b"hipBindTexture2D"),
    b"cudaBindTextureToArray": (0, b"hipBindTextureToArray"),
    b"cudaBindTextureToMipmappedArray": (0, b"hipBindTextureToMipmappedArray"),
    b"cudaUnbindTexture": (0, b"hipUnbindTexture"),
}
"""Functions that bind: which argument is the reference, and the support header's function of the same kind."""
_BY_NAME = (b"cudaGetTextureReference", b"cuModuleGetTexRef")
"""Who asks for a reference by a string may mean any of them."""
_LINEAR = frozenset((b"cudaBindTexture", b"cudaUnbindTexture", b"tex1Dfetch"))
_FIELD = re.compile(
    rb"\s*\.\s*(?:normalized|filterMode|addressMode|channelDesc|sRGB|maxAnisotropy|mipmapFilterMode|mipmapLevelBias"
    rb"|minMipmapLevelClamp|maxMipmapLevelClamp)(?!\w)"
)
_TEMPLATE = re.compile(rb"texture(?<!\wtexture)\s*<")
_STORAGE = re.compile(rb"\b(?:static|__device__)\Z")
_DECLARATOR = re.compile(rb"\s*(?P<name>[A-Za-z_]\w*)\s*(?:(?P<open>\()[^;{}()]*\)\s*)?(?P<end>[,;])")
_ARGUMENT = re.compile(rb"[^,();]{0,200}")
_SPACE = re.compile(rb"\s+")
_ONE_DIMENSION = (b"1", b"cudaTextureType1D")
_AS_IT_IS, _AS_FLOAT = b"cudaReadModeElementType", b"cudaReadModeNormalizedFloat"
_SMALL_INTEGER = re.compile(
    rb"(?:(?:un)?signed )?(?:char|short)(?: int)?|u(?:char|short)|u?(?:char|short)(?P<lanes>[124])"
)
_NAMESPACE = re.compile(rb"\s*(?:inline\s+)?(?:namespace\b|extern\b\s*\"\s*\")")
_OF_ANOTHER = re.compile(rb"(?:\.|->)\s*\Z")
_DEEPEST = 16
_MOST = 1000
"""A kernel of CUDA's can read 256. What has many more is no program, and would take long."""
_MEMORY, _OBJECT = Texture(is_linear=True), Texture(is_linear=False)
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc")


class Declaration(NamedTuple):
    """``texture<float, 2> a, b(true);``"""

    start: int
    """Where it begins, storage words and all."""
    template: int
    """The place after the word ``texture``."""
    names: dict[bytes, Span]
    openings: dict[bytes, int]
    """The place after the ``(`` of those that are given arguments."""
    texel: bytes | None
    """What a fetch gives; None where it cannot be told."""
    is_linear: bool
    """Whether it could be bound to linear memory and read by index, each value as it lies there."""


class Fetch(NamedTuple):
    """``tex2D(name, x, y)``"""

    function: Span
    typed: bool
    """Whether it says the type it wants."""
    argument: Span


class Binding(NamedTuple):
    """``cudaBindTexture(0, name, data, size)``"""

    function: Span
    argument: Span


def _may_use_textures(document: CodeFile, names: Mapping[bytes, list[int]]) -> bool:
    """Whether a file can have to do with references. Most cannot."""
    return b"tex" in document.source.view or not names.keys().isdisjoint((*BINDING, *_BY_NAME))


def declarations(code: bytes) -> Iterator[Declaration]:
    """The references that a file declares at its top level."""
    for match in _TEMPLATE.finditer(code):
        start = _statement_start(code, match.start())
        end = template_end(code, match.end() - 1)
        if start is None or end is None or not _is_at_top(code, match.start()):
            continue
        names: dict[bytes, Span] = {}
        openings: dict[bytes, int] = {}
        declarator = _DECLARATOR.match(code, end)
        while declarator:
            names[declarator["name"]] = Span(*declarator.span("name"))
            if declarator["open"]:
                openings[declarator["name"]] = declarator.end("open")
            if declarator["end"] == b";":
                arguments = [_SPACE.sub(b" ", item.strip()) for item in code[match.end() : end - 1].split(b",")]
                template = match.start() + len(b"texture")
                yield Declaration(start, template, names, openings, _texel(arguments), _is_linear(arguments))
                break
            declarator = _DECLARATOR.match(code, declarator.end())


def _statement_start(code: bytes, at: int) -> int | None:
    """Where the declaration begins that has a type at a place; None where anything but storage words precedes it."""
    before = skip_space_back(code, at)
    while word := _STORAGE.search(code, max(0, before - 12), before):
        at = word.start()
        before = skip_space_back(code, at)
    if before and code[before - 1] not in b";{}" and not _is_in_directive(code, before):
        return None
    return at


def _is_at_top(code: bytes, at: int) -> bool:
    """Whether only namespaces and ``extern "C"`` surround a place."""
    if code.count(b"{", 0, at) - code.count(b"}", 0, at) > _DEEPEST:
        return False
    return all(_NAMESPACE.match(head) for head in blocks_around(code, at))


def _is_linear(arguments: list[bytes]) -> bool:
    mode = arguments[2] if len(arguments) > 2 else _AS_IT_IS
    return mode == _AS_IT_IS and (len(arguments) < 2 or arguments[1] in _ONE_DIMENSION)


def _texel(arguments: list[bytes]) -> bytes | None:
    mode = arguments[2] if len(arguments) > 2 else _AS_IT_IS
    if mode == _AS_IT_IS:
        return arguments[0]
    small = _SMALL_INTEGER.fullmatch(arguments[0]) if mode == _AS_FLOAT else None
    return b"float" + (small["lanes"] or b"") if small else None


def fetches(code: bytes) -> Iterator[Fetch]:
    for match in FETCH.finditer(code):
        at = skip_space(code, match.end())
        typed = code[at : at + 1] == b"<"
        inside = template_end(code[at : at + 300], 0) if typed else 0
        opening = skip_space(code, at + (inside or 0))
        if code[opening : opening + 1] == b"(":
            start = skip_space(code, opening + 1)
            argument = _ARGUMENT.match(code, start)
            end = start + len(argument[0].rstrip()) if argument else start
            yield Fetch(Span(*match.span()), typed, Span(start, end))


def bindings(code: bytes, names: Mapping[bytes, list[int]]) -> Iterator[Binding]:
    for function in names.keys() & BINDING.keys():
        for at in names[function]:
            call = call_arguments(code, skip_space(code, at + len(function)))
            index = BINDING[function][0]
            if call and index < len(call[0]):
                start = skip_space(code, call[0][index].start)
                if code[start : start + 1] == b"&":
                    start = skip_space(code, start + 1)
                yield Binding(
                    Span(at, at + len(function)), Span(start, start + len(code[start : call[0][index].end].rstrip()))
                )


class _File:
    """What one file does with references."""

    def __init__(self, document: CodeFile, names: Mapping[bytes, list[int]]) -> None:
        self.code = document.code
        self.is_header = document.source.path.endswith(_HEADERS)
        self.asks_by_name = not names.keys().isdisjoint(_BY_NAME)
        self.declarations = list(declarations(self.code))
        self.uses: dict[bytes, set[bytes]] = {}
        """The functions that an argument is given to."""
        self.untyped: set[bytes] = set()
        self.in_macros: set[bytes] = set()
        self._understood = {where.start for item in self.declarations for where in item.names.values()}
        for fetch in fetches(self.code):
            self._add(fetch.function, fetch.argument)
            argument = self.code[slice(*fetch.argument)]
            if not fetch.typed:
                self.untyped.add(argument)
            if _is_in_directive(self.code, fetch.function.start):
                self.in_macros.add(argument)
        for binding in bindings(self.code, names):
            self._add(binding.function, binding.argument)

    def _add(self, function: Span, argument: Span) -> None:
        self.uses.setdefault(self.code[slice(*argument)], set()).add(self.code[slice(*function)])
        self._understood.add(argument.start)

    def understands(self, name: bytes) -> bool:
        """Whether every use of a name is one that a stand-in serves."""
        for match in re.finditer(name + rb"(?<!\w" + name + rb")(?!\w)", self.code):
            at = match.start()
            if at not in self._understood and not _FIELD.match(self.code, match.end()):
                if not _OF_ANOTHER.search(self.code, max(0, at - 40), at):
                    return False
        return True

    def texels(self, name: bytes) -> set[bytes | None]:
        return {item.texel for item in self.declarations if name in item.names}


def stand_ins(
    files: Sequence[tuple[CodeFile, Mapping[bytes, list[int]]]],
    neighbours: Iterable[CodeFile] = (),
    *,
    alone: bool,
) -> dict[bytes, Texture]:
    """For each reference that can be replaced in these files what replaces it. Neighbours stay as they are, so what
    they speak of has to stay too. A header ``alone`` cannot tell what is done with its references."""
    if not 0 < sum(len(_TEMPLATE.findall(document.source.view)) for document, _ in files) <= _MOST:
        return {}
    inside = [_File(*file) for file in files if _may_use_textures(*file)]
    declared = {name for file in inside for item in file.declarations for name in item.names}
    if not declared or any(file.asks_by_name or file.in_macros - declared for file in inside):
        return {}
    if alone and inside[0].is_header:
        return {}
    for document in neighbours:
        declared -= {name for name in declared if re.search(rb"\b" + name + rb"\b", document.code)}
    found = {name: kind for name in declared if (kind := _stand_in(name, inside))}
    statements = [item.names.keys() for file in inside for item in file.declarations]
    while broken := [names for names in statements if len({found.get(name) for name in names}) > 1]:
        found = {name: kind for name, kind in found.items() if not any(name in names for names in broken)}
    return found


def _stand_in(name: bytes, files: Sequence[_File]) -> Texture | None:
    if not all(file.understands(name) for file in files):
        return None
    declared = [item for file in files for item in file.declarations if name in item.names]
    functions = {function for file in files for function in file.uses.get(name, ())}
    if any(on_device(name, kind) in file.code for file in files for kind in (_MEMORY, _OBJECT)):
        return None
    if functions <= _LINEAR and all(item.is_linear for item in declared):
        return _MEMORY
    everywhere = {item.texel for item in declared}
    for file in files:
        known = file.texels(name) or everywhere
        if name in file.untyped and (len(known) > 1 or None in known):
            return None
    return _OBJECT._replace(texel=next(iter(everywhere)) or b"" if len(everywhere) == 1 else b"")


def on_device(name: bytes, kind: Texture) -> bytes:
    """The variable that kernels read in the place of a reference."""
    return name + (b"_texels" if kind.is_linear else b"_object")


def _is_in_directive(code: bytes, at: int) -> bool:
    """Whether a place lies in a preprocessor line, however often that is continued."""
    start = line_start(code, at)
    while code[max(0, start - 3) : start].rstrip(b"\r\n").endswith(b"\\"):
        start = line_start(code, start - 1)
    return code[start : min(at, start + 200)].lstrip().startswith(b"#")
