"""What the files of a project tell about one another, read before any of them is translated."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.tables import cuda
from rewarp.translation.braced_arguments import find_converting
from rewarp.translation.changes import Project, Signature, Texture
from rewarp.translation.code import is_declared
from rewarp.translation.dialect import HOST_UNITS
from rewarp.translation.global_names import declared_globally
from rewarp.translation.guards import (
    arch_aliases,
    asks_for_arch,
    bad_places,
    declares_under_conditions,
    macros_by_guard,
    unportable_macros,
)
from rewarp.translation.lexing import Lexed
from rewarp.translation.masks import declares_globally, means_warps_of_32
from rewarp.translation.names import declarable, looks_cuda
from rewarp.translation.operators import may_be_vectors, types_declared, vector_aliases
from rewarp.translation.pasted_names import pasting_macros
from rewarp.translation.runtime_sources import compiles_at_run_time
from rewarp.translation.sides import side_macros, sides_of
from rewarp.translation.thrust import includes_of

_NUMBER_OR_ARCH = re.compile(rb"[ \t]*\(?[ \t]*(?:__CUDA_ARCH__|\d+)[ \t]*\)?[ \t]*(?:$|/)")
_DEFINING = re.compile(rb"#[ \t]*define[ \t]+\Z")
_WRAPS_CUB = re.compile(
    rb"\bCUB_(?:NS_PREFIX|WRAPPED_NAMESPACE)\b|\bnamespace\s+cub\b|\b(?:using|typedef)[^;]*[ \t]cub\s*;"
)
_NUMBER = re.compile(rb"#[ \t]*define[ \t]+(\w+)[ \t]+\(?(0[xX][0-9a-fA-F]+|\d+)\)?[ \t]*(?:\r?$|/)", re.M)


def read_project(
    files: Sequence[tuple[SourceFile, Lexed]],
    renamed: Mapping[str, str] | None = None,
    neighbours: Sequence[tuple[SourceFile, Lexed]] = (),
) -> Project:
    """The facts that the translation of each file needs from all of them. Neighbours are not translated themselves."""
    own: set[bytes] = set()
    unportable: set[bytes] = set()
    supplies: dict[bytes, list[str]] = {}
    numbers: dict[bytes, int] = {}
    paths: list[str] = []
    guarded: set[bytes] = set()
    unguarded: set[bytes] = set()
    logical_warps = False
    aliases = {name for source, _ in (*files, *neighbours) for name in arch_aliases(source.view)}
    documents: list[tuple[CodeFile, Lexed]] = []
    bad: dict[str, list[int]] = {}
    losing: set[str] = set()
    for source, lexed in (*files, *neighbours):
        view = source.view
        paths.append(source.path)
        document = CodeFile(source, Kind.CUDA, lexed.hiding)
        documents.append((document, lexed))
        own |= _own_names(document, lexed, own)
        for name in _declared(document, lexed, "supplied"):
            supplies.setdefault(name, []).append(source.path)
        logical_warps = logical_warps or means_warps_of_32(lexed, view)
        places = bad_places(document, lexed) if b"#" in view else []
        aliases -= _defined_otherwise(aliases, view)
        tested = asks_for_arch(lexed, view, aliases)
        unportable |= unportable_macros(document, places)
        if tested:
            under, elsewhere = macros_by_guard(document)
            guarded |= under
            unguarded |= elsewhere
            bad[source.path] = places
            if places and declares_under_conditions(document, places):
                losing.add(source.path)
        numbers.update(_numbers(lexed, view))
    macros = side_macros(source.view for source, _ in (*files, *neighbours))
    # Few projects ask for what includes what, and those that do ask several times.
    reach = cache(lambda: _include_map(documents))
    project = Project(
        own_names=frozenset(own),
        unportable_macros=frozenset(unportable & (guarded - unguarded) - aliases),
        arch_aliases=frozenset(aliases),
        pasting_macros=pasting_macros(source.view for source, _ in (*files, *neighbours)),
        bad_places=bad,
        numbers=numbers,
        files=frozenset(paths),
        renamed=renamed or {},
        supplies=_visible(supplies, reach) if supplies else {},
        logical_warps=logical_warps,
        own_warp_size=_seeing_own_warp_size(documents, reach),
        included_sources=_included_sources(documents),
        own_global_names=_own_global_names(documents, reach),
        compiles_at_run_time=any(compiles_at_run_time(lexed) for _, lexed in (*files, *neighbours)),
        textures=_textures(files, neighbours),
        undeclared=_undeclared(documents, reach),
        sides=_sides(documents, macros),
        side_macros=frozenset(macros),
        wraps_cub=any(_WRAPS_CUB.search(document.code) for document, lexed in documents if b"cub" in lexed.names),
        vector_aliases=_vector_aliases(documents, reach),
        thrust_headers=_thrust_headers(documents, reach),
        converting=find_converting([document for document, _ in documents]),
    )
    if not losing:
        return project
    # Late: few projects have code without a meaning on AMD under such a condition.
    from rewarp.translation.lost_names import find_lost_names

    return replace(project, lost_names=find_lost_names(documents, losing, project, reach))


def _include_map(documents: Sequence[tuple[CodeFile, Lexed]]) -> IncludeMap:
    """Which of these files include which."""
    return IncludeMap({document.source.path: _included(document, lexed) for document, lexed in documents})


def _included(document: CodeFile, lexed: Lexed) -> list[str]:
    view = document.source.view
    paths = (line.path for line in lexed.lines if line.path)
    return [view[path.start + 1 : path.end - 1].decode("utf-8", "replace") for path in paths]


def _visible(names: Mapping[bytes, list[str]], reach: Callable[[], IncludeMap]) -> dict[str, frozenset[bytes]]:
    """For each file the names that it, or a file beside it in some translation unit, declares: what another part of the
    project calls like CUDA's says nothing here."""
    found: dict[str, set[bytes]] = {}
    for name, paths in names.items():
        for path in reach().reached(reach().reaching(paths)):
            found.setdefault(path, set()).add(name)
    return {path: frozenset(seen) for path, seen in found.items()}


def _undeclared(documents: Sequence[tuple[CodeFile, Lexed]], reach: Callable[[], IncludeMap]) -> dict[str, list[Span]]:
    if not any(b"template" in document.source.view for document, _ in documents):
        return {}
    # Late: most projects that CUDA code is taken from have no templates.
    from rewarp.translation.undeclared import find_undeclared

    return find_undeclared(documents, reach)


def _seeing_own_warp_size(
    documents: Sequence[tuple[CodeFile, Lexed]], reach: Callable[[], IncludeMap]
) -> frozenset[str]:
    declaring = [document.source.path for document, lexed in documents if declares_globally(document, lexed)]
    return frozenset(_visible({b"warpSize": declaring}, reach)) if declaring else frozenset()


def _included_sources(documents: Sequence[tuple[CodeFile, Lexed]]) -> frozenset[str]:
    """By their names without folders: what is said of them does not matter to others of that name."""
    named = {
        posixpath.basename(name)
        for document, lexed in documents
        for name in _included(document, lexed)
        if name.endswith(HOST_UNITS)
    }
    if not named:
        return frozenset()
    paths = (document.source.path for document, _ in documents)
    return frozenset(path for path in paths if posixpath.basename(path) in named)


def _own_global_names(
    documents: Sequence[tuple[CodeFile, Lexed]], reach: Callable[[], IncludeMap]
) -> dict[str, frozenset[bytes]]:
    declaring: dict[bytes, list[str]] = {}
    for document, _ in documents:
        for name in declared_globally(document):
            declaring.setdefault(name, []).append(document.source.path)
    return _visible(declaring, reach) if declaring else {}


def _sides(documents: Sequence[tuple[CodeFile, Lexed]], macros: Mapping[bytes, bytes]) -> dict[Signature, bytes]:
    """The functions that are declared for the device: all declarations of one must agree."""
    found: dict[Signature, set[bytes]] = {}
    for document, _ in documents:
        view = document.source.view
        if b"__device__" in view or any(macro in view for macro in macros):
            for signature, words in sides_of(document, macros):
                found.setdefault(signature, set()).add(words)
    return {
        one: next(iter(words)) for one, words in found.items() if len(words) == 1 and b"__device__" in next(iter(words))
    }


def _vector_aliases(
    documents: Sequence[tuple[CodeFile, Lexed]], include_map: Callable[[], IncludeMap]
) -> dict[str, dict[bytes, bytes]]:
    """Where operators are defined: in one part of a project ``vec3`` may be a ``float4``, in another a class. What a file says
    itself goes before what its includes say, and that before what files beside it say."""
    with_operators = [document.source.path for document, _ in documents if b"operator" in document.source.view]
    declared = {document.source.path: set(types_declared(document.code)) for document, _ in documents if with_operators}
    candidates = may_be_vectors(set().union(*declared.values()))
    if not candidates:
        return {}
    reach = include_map()
    told = {path: {one for one in types if one[0] in candidates} for path, types in declared.items()}
    found: dict[str, dict[bytes, bytes]] = {}
    for path in with_operators:
        meant: set[tuple[bytes, bytes]] = set()
        for level in ([path], reach.reached([path]), reach.reached(reach.reaching([path]))):
            known = {name for name, _ in meant}
            meant |= {one for other in level for one in told[other] if one[0] not in known}
        if aliases := vector_aliases(meant):
            found[path] = aliases
    return found


def _thrust_headers(
    documents: Sequence[tuple[CodeFile, Lexed]], include_map: Callable[[], IncludeMap]
) -> dict[str, frozenset[bytes]]:
    """What reaches the units that use Thrust and include nothing of it themselves."""
    included = {
        document.source.path: includes_of(document.source.view)
        for document, lexed in documents
        if b"thrust/" in lexed.vocabulary
    }
    users = [
        document.source.path
        for document, _ in documents
        if document.source.path.endswith(".cu")
        and not included.get(document.source.path)
        and b"thrust::" in document.source.view
    ]
    if not included or not users:
        return {}
    reach = include_map()
    found = {path: [included.get(one, set()) for one in reach.reached([path])] for path in users}
    return {path: frozenset(headers) for path, sets in found.items() if (headers := set().union(*sets))}


def _defined_otherwise(aliases: set[bytes], view: bytes) -> set[bytes]:
    """Those that a file defines as something else than ``__CUDA_ARCH__`` or a number."""
    return {
        name
        for name in aliases
        if name in view
        for match in re.finditer(rb"#[ \t]*define[ \t]+" + name + rb"\b([^\r\n]*)", view)
        if not _NUMBER_OR_ARCH.match(match[1])
    }


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
