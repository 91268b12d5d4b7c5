"""What only a branch declares that AMD does not take: code that needs it, in any file, has no meaning there either."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.source import Span
from rewarp.translation.changes import Problem, Project
from rewarp.translation.guards import Guards
from rewarp.translation.lexing import Lexed
from rewarp.translation.reported_rules import ARCHITECTURE
from rewarp.translation.span_set import NOWHERE, Places

_BRACE = re.compile(rb"[{};]|^[ \t]*#(?:\\\r?\n|[^\n])*", re.M)
_WORD = re.compile(rb"\w+")
_CLASS = re.compile(rb"\b(?:struct|class|union)\s+(?:__align__\s*\(\s*\w+\s*\)\s*)?(\w+)\s*(?::[^:].*)?\Z", re.S)
_FUNCTION = re.compile(rb"\b(?!__)([A-Za-z_]\w*)\s*\(")
_LONGEST_HEAD = 400
_TRANSPARENT = re.compile(rb"\bnamespace\b[^()]*\Z|\bextern\s*\"?[ C+]*\"?\s*\Z")
_NO_FUNCTIONS = frozenset(b"if for while switch catch return sizeof decltype noexcept operator defined".split())
# A variable may have the name too: what is called, or made with template arguments, is none.
_USED = rb"(?<![\w.>])(?:%s)(?=\s*(?:<[^;{}()]*>)?\s*[({]|\s*<)"

Files = Sequence[tuple[CodeFile, Lexed]]
Lost = dict[str, frozenset[bytes]]


class Definition(NamedTuple):
    """A function or class at the level of a file or a namespace."""

    name: bytes
    body: Span
    is_template: bool
    """Nothing in it is needed before somebody asks for it; a kernel stays."""


def find_lost_names(files: Files, losing: set[str], project: Project, include_map: Callable[[], IncludeMap]) -> Lost:
    """For each file the functions and classes that it would find in a file it includes, or in itself, were it not for
    what is decided there on NVIDIA's macros. ``losing`` are the files that may declare something under a test of them."""
    bad = project.bad_places
    guarded = [document for document, _ in files if document.source.path in bad]
    first = [document for document in guarded if document.source.path in losing]
    lost: Lost = {}
    refused: dict[str, Places] = {}
    defined: dict[str, list[Definition]] = {}
    while True:
        for document in guarded if lost else first:
            path = document.source.path
            needing = uses(document, lost.get(path, frozenset()))
            if needing or not lost:
                guards = Guards(document, project, bad[path] + needing).decide()
                refused[path] = Places(guards.refused)
        if not any(refused.values()):
            return lost
        concerned = [
            document for document, _ in files if refused.get(document.source.path) or lost.get(document.source.path)
        ]
        for document in concerned:
            if document.source.path not in defined:
                defined[document.source.path] = list(definitions(document.code))
        found = _lost(concerned, defined, refused, lost, include_map())
        if found == lost:
            return lost
        lost = found


def _lost(
    documents: list[CodeFile],
    defined: Mapping[str, list[Definition]],
    refused: Mapping[str, Places],
    known: Lost,
    reach: IncludeMap,
) -> Lost:
    """What is defined in refused branches alone, and the templates that are built on something lost before."""
    gone: dict[bytes, set[str]] = {}
    kept: dict[bytes, set[str]] = {}
    for document in documents:
        path = document.source.path
        here = refused.get(path, NOWHERE)
        needing = here.without(uses(document, known.get(path, frozenset())))
        if not here and not needing:
            continue
        for one in defined[path]:
            built_on = one.is_template and any(one.body.start <= at < one.body.end for at in needing)
            (gone if one.body.start in here or built_on else kept).setdefault(one.name, set()).add(path)
    lost: dict[str, set[bytes]] = {path: set(names) for path, names in known.items()}
    for name, paths in gone.items():
        for path in reach.reaching(paths):
            if reach.reached([path]).isdisjoint(kept.get(name, ())):
                lost.setdefault(path, set()).add(name)
    return {path: frozenset(names) for path, names in lost.items()}


def uses(document: CodeFile, names: frozenset[bytes]) -> list[int]:
    """Where names are used in the code of a file, not where they are anybody's."""
    wanted = sorted(name for name in names if name in document.source.view)
    if not wanted:
        return []
    return [match.start() for match in re.finditer(_USED % b"|".join(map(re.escape, wanted)), document.code)]


def told(document: CodeFile, names: frozenset[bytes], places: list[int]) -> list[Problem]:
    """One finding for each lost name that the file still needs at some places. A template may never be asked for."""
    if not places:
        return []
    idle = Places(one.body for one in definitions(document.code) if one.is_template and one.name in names)
    found: dict[str, Problem] = {}
    for at in idle.without(places):
        word = _WORD.match(document.code, at)
        name = word[0].decode() if word else ""
        message = f"{name} is declared in a branch that AMD does not take"
        fix = "Write a form of it for AMD, or keep this code from AMD too."
        found.setdefault(name, Problem(ARCHITECTURE, Span(at, at + len(name)), "noted", message, fix, name))
    return list(found.values())


def definitions(code: bytes) -> Iterator[Definition]:
    """The functions and classes of a file that lie in nothing but namespaces."""
    begin = depth = start = 0
    head = b""
    for match in _BRACE.finditer(code):
        mark = match[0]
        if mark == b"{":
            if not depth:
                head, start = code[begin : match.start()], begin
                if _TRANSPARENT.search(head.strip()[-_LONGEST_HEAD:]):
                    begin = match.end()
                    continue
            depth += 1
        elif mark == b"}" and depth:
            depth -= 1
            if not depth:
                yield from _defined(head, Span(start, match.end()))
        if not depth:
            begin = match.end()


def _defined(head: bytes, body: Span) -> Iterator[Definition]:
    text = head.strip()
    name = _CLASS.search(text)
    if name is None:
        name = next((found for found in _FUNCTION.finditer(text) if found[1] not in _NO_FUNCTIONS), None)
    if name:
        start = body.start + (len(head) - len(head.lstrip()))
        yield Definition(name[1], Span(start, body.end), b"template" in head and b"__global__" not in head)
