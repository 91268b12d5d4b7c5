"""C++ that no compiler comes to: templates that nothing instantiates, and functions and macros that nothing names.

A name is used where it stands in the code of any C++ file, but for its own definition, for what is unused itself, and for a file that
has a definition of its own by that name and does not include this one; and where a file in another language names it, as one does
that looks a kernel up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.source import SourceFile
from rewarp.waves.reading.functions import definitions
from rewarp.workspace import Tree

_OTHERS = (Kind.PYTHON, Kind.NOTEBOOK, Kind.RUST, Kind.CMAKE)
_TEMPLATE = re.compile(rb"\s*template\s*<\s*[^\s>]")
_MACRO = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\\\r?\n|[^\r\n])*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_MOST = 2_000_000


class _Definition(NamedTuple):
    path: str
    name: str
    start: int
    end: int
    compiled: bool
    """Whether a compiler looks at all of it though nothing uses it: a function that is no template."""


class UnusedCode:
    """Asked for places with findings: few names, whatever the size of the tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, CodeFile | None] = {}
        self._found: dict[str, list[_Definition]] = {}
        self._unused: dict[_Definition, bool] = {}

    def around(self, path: str, at: int, *, runs: bool) -> str | None:
        """The name of what a place stands in, where nothing uses that. ``runs``: what matters is that it runs, not that it is
        compiled."""
        for definition in self._definitions(path):
            if definition.start <= at < definition.end and (runs or not definition.compiled):
                return definition.name if self._is_unused(definition) else None
        return None

    def _is_unused(self, definition: _Definition) -> bool:
        if definition not in self._unused:
            self._unused[definition] = True  # for those that only name one another
            self._unused[definition] = not self._is_named_elsewhere(definition.name) and all(
                self._lies_in_unused(definition, path, at) for path, at in self._mentions(definition)
            )
        return self._unused[definition]

    def _lies_in_unused(self, definition: _Definition, path: str, at: int) -> bool:
        around = [found for found in self._definitions(path) if found.start <= at < found.end]
        if any(found.name == definition.name for found in around):
            return True  # itself, or what it is called in another branch
        # A function that is compiled all the same instantiates what it calls.
        return any(not found.compiled and self._is_unused(found) for found in around)

    def _mentions(self, definition: _Definition) -> Iterator[tuple[str, int]]:
        name = definition.name.encode()
        for path, text in self._texts:
            document = self._document(path) if name in text else None
            places = document.words.get(name, []) if document is not None else []
            own = any(found.name == definition.name for found in self._definitions(path)) if places else False
            if own and path != definition.path and path not in self._includers(definition.path):
                continue
            yield from ((path, at) for at in places)

    def _includers(self, path: str) -> frozenset[str]:
        return frozenset(self._includes.reaching(frozenset({path})))

    def _is_named_elsewhere(self, name: str) -> bool:
        word = re.compile(rb"(?<!\w)%s(?!\w)" % name.encode())
        return any(name.encode() in text and word.search(text) for text in self._other_texts)

    def _definitions(self, path: str) -> list[_Definition]:
        if path not in self._found:
            document = self._document(path)
            self._found[path] = list(_of(document)) if document is not None else []
        return self._found[path]

    def _document(self, path: str) -> CodeFile | None:
        if path not in self._files:
            kind = kind_of_path(path) or Kind.CPP
            try:
                document = CodeFile(SourceFile(path, self._tree.read(path) or b""), kind)
                _ = document.code
            except UnreadableSource:
                self._files[path] = None
            else:
                self._files[path] = document
        return self._files[path]

    @cached_property
    def _includes(self) -> IncludeMap:
        return IncludeMap.of(SourceFile(path, text) for path, text in self._texts)

    @cached_property
    def _texts(self) -> list[tuple[str, bytes]]:
        return list(self._read(CPP_KINDS))

    @cached_property
    def _other_texts(self) -> list[bytes]:
        return [text for _, text in self._read(_OTHERS)]

    def _read(self, kinds: Iterable[Kind]) -> Iterator[tuple[str, bytes]]:
        wanted = frozenset(kinds)
        for path in self._tree.files():
            if kind_of_path(path) in wanted and self._tree.entries[path].size < _MOST:
                yield path, self._tree.read(path) or b""


def _of(document: CodeFile) -> Iterator[_Definition]:
    path, code = document.source.path, document.code
    macros = [
        _Definition(path, found[1].decode(), found.start(), found.end(), False) for found in _MACRO.finditer(code)
    ]
    yield from macros
    for function in definitions(code):
        in_macro = any(macro.start <= function.head.start < macro.end for macro in macros)
        if _NAME.fullmatch(function.name) and not in_macro:
            template = _TEMPLATE.match(code, function.head.start) is not None
            yield _Definition(path, function.name, function.head.start, function.body.end, not template)
