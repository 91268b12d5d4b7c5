"""Files that work together: one includes the other, so their warps must have the same number of lanes."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from rewarp.lang.cpp.file import CodeFile
from rewarp.waves.fixing.uses import Role, uses
from rewarp.waves.hazards import WaveFacts
from rewarp.waves.reading.analysis import Analysis
from rewarp.waves.reading.vocabulary import MARKS
from rewarp.waves.support.names import WARP_SIZE

_DECLARED = re.compile(
    rb"\b(?:unsigned|int|u?int(?:8|16|32|64)_t|uint|size_t|long|short|auto|bool|define)\s+(?:const\s+|&\s*)?([A-Za-z_]\w*)"
)
_ENUM = re.compile(rb"\benum\b[^;{}()]*\{([^{}]*)\}")
_ENUMERATOR = re.compile(rb"(?:\A|,)\s*([A-Za-z_]\w*)")
_TYPE_NAME = re.compile(rb"\busing\s+([A-Za-z_]\w*)\s*=|\btypedef\b[^;{}]*?([A-Za-z_]\w*)\s*;")


_ASKS_PROPERTY = re.compile(rb"(?:\.|->)\s*warpSize\b")
_KERNEL = b"__global__"
_INCLUDED = re.compile(rb'#[ \t]*include[ \t]*["<](?:[^"<>\n]*/)?([^/"<>\n]+)[">]')
"""The last names of what a file includes, before anything is parsed."""


def together(documents: Sequence[CodeFile]) -> list[list[CodeFile]]:
    """The files that speak of warps, in groups: those that one file includes are compiled with one another, whether it
    speaks of warps itself or not. A host without kernels that asks the device for its width goes with those that it
    shares a header with. Where two files could be meant by an include, both are taken."""
    about = {i for i, document in enumerate(documents) if MARKS.any_in(document.source.view)}
    reached = _all_reached(documents, about)
    leader = list(range(len(documents)))

    def find(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    for index, others in reached.items():
        first, *rest = [other for other in (index, *others) if other in about] or [index]
        for other in rest:
            leader[find(other)] = find(first)
    kernels = [index for index in about if _KERNEL in documents[index].source.view]
    for host in about.difference(kernels):
        if _ASKS_PROPERTY.search(documents[host].source.view):
            for other in kernels:
                if not reached[host].isdisjoint(reached[other]):
                    leader[find(other)] = find(host)
    groups: dict[int, list[CodeFile]] = {}
    for index in sorted(about):
        groups.setdefault(find(index), []).append(documents[index])
    return list(groups.values())


def _all_reached(documents: Sequence[CodeFile], about: set[int]) -> dict[int, set[int]]:
    """What each file includes that speaks of warps, or may include one that does."""
    by_name: dict[str, list[int]] = {}
    for index, document in enumerate(documents):
        by_name.setdefault(posixpath.basename(document.source.path), []).append(index)
    headers = {os.fsencode(posixpath.basename(documents[index].source.path)) for index in about}
    return {
        index: set(_reached(index, documents, by_name))
        for index, document in enumerate(documents)
        if index in about or not headers.isdisjoint(_INCLUDED.findall(document.source.view))
    }


def _reached(start: int, documents: Sequence[CodeFile], by_name: dict[str, list[int]]) -> Iterator[int]:
    """The files that a file includes, and those that they do."""
    seen, pending = {start}, [start]
    while pending:
        for include in documents[pending.pop()].includes:
            tail = posixpath.normpath(include.path).lstrip("./")
            for index in by_name.get(posixpath.basename(include.path), ()):
                if index not in seen and ("/" + documents[index].source.path).endswith("/" + tail):
                    seen.add(index)
                    pending.append(index)
                    yield index


def apart(group: Sequence[Analysis], fits: Callable[[Analysis, frozenset[bytes]], bool]) -> list[Analysis]:
    """The files of a group that have a width of their own: they fit by what they and one another define, and between them
    and the others no function that works on warps is called."""
    chosen, before = list(group), -1
    while len(chosen) != before:
        before = len(chosen)
        names = defined(chosen)
        chosen = [analysis for analysis in chosen if fits(analysis, names)]
        rest = [analysis for analysis in group if analysis not in chosen]
        theirs, ours = _on_warps(rest), _on_warps(chosen)
        called = {name for analysis in rest for name in ours & _words(analysis)}
        chosen = [
            analysis
            for analysis in chosen
            if theirs.isdisjoint(_words(analysis)) and analysis.warp_functions.isdisjoint(called)
        ]
    return chosen


def _on_warps(group: Iterable[Analysis]) -> set[str]:
    return {name for analysis in group for name in analysis.warp_functions}


def _words(analysis: Analysis) -> set[str]:
    """What a file names and does not define itself."""
    named = {word.decode("utf-8", "replace") for word in analysis.document.words}
    return named - {function.name for function in analysis.code.functions}


def defined(group: Iterable[Analysis]) -> frozenset[bytes]:
    """The functions, macros, constants, variables and names for types that the files of a group define."""
    found: set[bytes] = set()
    for analysis in group:
        found.update(function.name.encode() for function in analysis.code.functions)
        found.update(analysis.names.constants)
        found.update(match[1] for match in _DECLARED.finditer(analysis.text))
        found.update(name for match in _ENUM.finditer(analysis.text) for name in _ENUMERATOR.findall(match[1]))
        found.update(match[1] or match[2] for match in _TYPE_NAME.finditer(analysis.text))
    return frozenset(found)


def facts_of(group: Iterable[Analysis]) -> WaveFacts:
    """What the files of a group tell one another."""
    files = list(group)
    widths = {name.decode() for analysis in files for name in analysis.names.widths}
    supplied = {
        use.name.decode()
        for analysis in files
        for use in uses(analysis)
        if use.role is Role.OWN and use.name != WARP_SIZE
    }
    return WaveFacts(frozenset(widths), frozenset(supplied))
