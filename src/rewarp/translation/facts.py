"""What the files of a project tell about one another, read before any of them is translated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation.code import is_declared
from rewarp.translation.guards import (
    TESTED,
    bad_places,
    declares_under_conditions,
    groups,
    macros_by_guard,
    unportable_macros,
)
from rewarp.translation.lexing import Lexed
from rewarp.translation.masks import means_warps_of_32
from rewarp.translation.model import Project, Texture
from rewarp.translation.names import declarable, looks_cuda

_DEFINING = re.compile(rb"#[ \t]*define[ \t]+\Z")
_NUMBER = re.compile(rb"#[ \t]*define[ \t]+(\w+)[ \t]+\(?(0[xX][0-9a-fA-F]+|\d+)\)?[ \t]*(?:\r?$|/)", re.M)


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
    documents: list[tuple[CodeFile, Lexed]] = []
    bad: dict[str, list[int]] = {}
    losing: set[str] = set()
    for source, lexed in (*files, *neighbours):
        view = source.view
        paths.append(source.path)
        document = CodeFile(source, Kind.CUDA, lexed.hiding)
        documents.append((document, lexed))
        own |= _own_names(document, lexed, own)
        supplies.update(_declared(document, lexed, "supplied"))
        logical_warps = logical_warps or means_warps_of_32(lexed, view)
        places = bad_places(document, lexed) if b"#" in view else []
        tested = not TESTED.isdisjoint(lexed.names)
        tree = groups(document) if places or tested else []
        unportable |= unportable_macros(tree, places)
        if tested:
            under, elsewhere = macros_by_guard(tree, document.code)
            guarded |= under
            unguarded |= elsewhere
            bad[source.path] = places
            if places and declares_under_conditions(tree, document.code, places):
                losing.add(source.path)
        numbers.update(_numbers(lexed, view))
    project = Project(
        own_names=frozenset(own | supplies),
        unportable_macros=frozenset(unportable & (guarded - unguarded)),
        bad_places=bad,
        numbers=numbers,
        files=frozenset(paths),
        renamed=renamed or {},
        supplies=frozenset(supplies),
        logical_warps=logical_warps,
        textures=_textures(files, neighbours),
    )
    if not losing:
        return project
    # Late: few projects have code without a meaning on AMD under such a condition.
    from rewarp.translation.lost_names import find_lost_names

    return replace(project, lost_names=find_lost_names(documents, losing, project))


def _textures(
    files: Sequence[tuple[SourceFile, Lexed]], neighbours: Sequence[tuple[SourceFile, Lexed]]
) -> dict[bytes, Texture]:
    """The texture references that can be replaced in all files."""
    if not any(b"texture" in lexed.names for _, lexed in files):
        return {}
    # Late: few projects have any.
    from rewarp.translation.texture_references import stand_ins

    inside = [(CodeFile(source, Kind.CUDA, lexed.hiding), lexed.names) for source, lexed in files]
    return stand_ins(
        inside, [CodeFile(source, Kind.CUDA, lexed.hiding) for source, lexed in neighbours], alone=len(files) == 1
    )


def _numbers(lexed: Lexed, view: bytes) -> Iterator[tuple[bytes, int]]:
    """Macros of a file that are plain numbers, octal ones aside."""
    for line in lexed.lines:
        if line.word == b"define" and (match := _NUMBER.match(view, line.start)):
            digits = match[2]
            if digits == b"0" or not (digits.startswith(b"0") and digits.isdigit()):
                yield match[1], int(digits, 0)


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
