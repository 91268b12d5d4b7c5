"""What the files of a project tell about one another, read before any of them is translated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rewarp.lang.cfamily import CodeFile
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation.code import is_declared
from rewarp.translation.guards import TESTED, bad_places, macros_by_guard, unportable_macros
from rewarp.translation.lexing import Lexed, LexedFile
from rewarp.translation.masks import means_warps_of_32
from rewarp.translation.model import Project, Texture
from rewarp.translation.names import declarable, looks_cuda

_DEFINING = re.compile(rb"#[ \t]*define[ \t]+\Z")
_NUMBER = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(0[xX][0-9a-fA-F]+|\d+)\)?[ \t]*(?:$|/)", re.M)


def read_project(
    files: Sequence[tuple[SourceFile, Lexed]],
    renamed: Mapping[str, str] | None = None,
    neighbours: Sequence[tuple[SourceFile, Lexed]] = (),
) -> Project:
    """The facts that the translation of each file needs from all of them. Neighbours are not translated themselves."""
    own: set[bytes] = set()
    unportable: set[bytes] = set()
    supplies: set[bytes] = set()
    numbers: dict[bytes, int] = {}
    paths: list[str] = []
    guarded: set[bytes] = set()
    unguarded: set[bytes] = set()
    logical_warps = False
    for source, lexed in (*files, *neighbours):
        view = source.view
        paths.append(source.path)
        document = LexedFile(source, lexed)
        own |= _own_names(document, lexed, own)
        supplies.update(_declared(document, lexed, "supplied"))
        logical_warps = logical_warps or means_warps_of_32(lexed, view)
        if b"#" in view and (places := bad_places(document, lexed)):
            unportable |= unportable_macros(document, places)
        if not TESTED.isdisjoint(lexed.names):
            under, elsewhere = macros_by_guard(document)
            guarded |= under
            unguarded |= elsewhere
        if b"#" in view:
            numbers.update((match[1], int(match[2], 0) if match[2] != b"0" else 0) for match in _numbers(view))
    return Project(
        own_names=frozenset(own | supplies),
        unportable_macros=frozenset(unportable & (guarded - unguarded)),
        numbers=numbers,
        files=frozenset(paths),
        renamed=renamed or {},
        supplies=frozenset(supplies),
        logical_warps=logical_warps,
        textures=_textures(files, neighbours),
    )


def _textures(
    files: Sequence[tuple[SourceFile, Lexed]], neighbours: Sequence[tuple[SourceFile, Lexed]]
) -> dict[bytes, Texture]:
    """The texture references that can be replaced in all files."""
    if not any(b"texture" in lexed.names for _, lexed in files):
        return {}
    # Late: few projects have any.
    from rewarp.translation.texture_references import stand_ins

    inside = [(LexedFile(source, lexed), lexed.names) for source, lexed in files]
    return stand_ins(inside, [LexedFile(source, lexed) for source, lexed in neighbours], alone=len(files) == 1)


def _numbers(view: bytes) -> Iterable[re.Match[bytes]]:
    return (match for match in _NUMBER.finditer(view) if not (match[2].startswith(b"0") and match[2].isdigit()))


def _own_names(document: CodeFile, lexed: Lexed, known: set[bytes]) -> set[bytes]:
    """CUDA-looking names in no table that the file declares."""
    tables, namespaces = cuda.names(), cuda.namespaces()
    candidates = [
        name
        for name in lexed.names
        if name not in tables and name not in namespaces and name not in known and looks_cuda(name)
    ]
    return {name for name in candidates if _declares(document, name, lexed.names[name])}


def _declared(document: CodeFile, lexed: Lexed, status: str) -> Iterable[bytes]:
    """Names with a status in the tables that the file defines all the same."""
    view = document.source.view
    for name in lexed.names.keys() & cuda.names().keys():
        twin = cuda.twin(name)
        if twin and twin.status == status and _declares(document, name, declarable(twin, view, lexed.names[name])):
            yield name


def _declares(document: CodeFile, name: bytes, places: Iterable[int]) -> bool:
    """Whether the file defines a macro, or declares something, of that name. The bytes are asked before the code."""
    view = document.source.view
    for at in places:
        if _DEFINING.search(view, max(0, at - 40), at):
            return True
        if is_declared(view, at) and is_declared(document.code, at):
            return True
    return False
