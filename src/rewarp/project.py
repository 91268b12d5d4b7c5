"""What a project tells that none of its files tells alone.

A code base that supports HIP often says so in one header: ``#define cudaMalloc hipMalloc``
there, or a macro such as ``TURING_MMA`` that is only ever defined for NVIDIA. ``read`` goes
over the C++ files once, before the scan, and puts this into ``ProjectFacts``:

- a macro that the project defines only where the target's compiler does not look, and that no
  build file mentions, is not defined on the target;
- a CUDA name that a header supplies for HIP is supplied to the files which include that header.

In doubt a macro may be defined and a name is not supplied, so a finding stays. A file that
cannot be read is left out here and reported by the scan.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from rewarp.errors import UnreadableSource
from rewarp.lang.cfamily import Branch, CodeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.tables import cuda
from rewarp.targets.base import ProjectFacts, Target

CPP = (Kind.CUDA, Kind.CPP)
_ROUNDS = 3
_OUTLINE = re.compile(
    rb"#[ \t]*(?:define[ \t]+(?P<name>[A-Za-z_]\w*)(?P<body>[^\r\n]*)|include[ \t]*[<\"](?P<path>[^>\"\r\n]+)"
    rb"|(?:el)?if(?P<test>(?:n?def)?\b(?:\\\r?\n|[^\r\n])*))"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_HIP = re.compile(rb"\b(?:__)?(?:hip|HIP|roc|rccl)\w*")
_HIP_HEADER = re.compile(r"(?:hip|roc|rccl)\w*/.*")
_CUDA = re.compile(r"(?:__)?(?:cu|CU|nccl|NCCL|nv|NV)\w*|__\w+")
_SUPPLY = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(?P<macro>[A-Za-z_]\w*)(?P<body>(?:\\\r?\n|[^\r\n])*)"
    rb"|\btypedef\s(?P<old>[^;{}()]*)\b(?P<typedef>\w+)\s*;|\busing\s+(?P<using>\w+)\s*=(?P<type>[^;]*)"
    rb"|\b(?P<function>[A-Za-z_]\w*)\s*\([^;{}()]*\)\s*\{",
    re.M,
)
_BUILD_KINDS = frozenset(Kind) - {Kind.CUDA, Kind.CPP, Kind.NOTEBOOK}
_MANY_FILES = frozenset({Kind.PYTHON, Kind.RUST})
"""Kinds that build files are written in and most files of which are none."""
_SETS_MACROS = re.compile(rb"-D|define")


class Entry(Protocol):
    """A file of the project: its path as reported, its path on disk, its kind and size."""

    @property
    def path(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def size(self) -> int: ...


@dataclass
class _Outline:
    """What the lines of a C++ file that start with # show at a glance."""

    entry: Entry
    defines: set[bytes]
    tests: set[bytes]
    """The words in its conditions."""
    includes: set[str]
    aliases: bool
    """Whether a CUDA name is defined as something of HIP's."""


def read(files: Iterable[Entry], target: Target, max_size: int) -> ProjectFacts:
    """What the project's files together say about the target."""
    files = [entry for entry in files if entry.size <= max_size]
    outlines = [outline for entry in files if entry.kind in CPP and (outline := _outline(entry))]
    speaks = lru_cache(maxsize=None)(lambda word: bool(target.true_macros.fullmatch(word.decode())))
    project = _Project(files, outlines, target, {o.entry.path for o in outlines if any(map(speaks, o.tests))})
    undefined = project.undefined_macros()
    aliases = project.aliases(replace(target, undefined_macros=undefined))
    includers = frozenset(_includers(outlines, {header for _, header in aliases}))
    reaching = {header for _, header in includers}
    return ProjectFacts(undefined, frozenset(alias for alias in aliases if alias[1] in reaching), includers)


def _data(entry: Entry) -> bytes:
    try:
        with open(entry.file, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def _outline(entry: Entry) -> _Outline | None:
    data = _data(entry)
    defines: set[bytes] = set()
    tests: set[bytes] = set()
    includes: set[str] = set()
    aliases = False
    for name, body, path, test in _OUTLINE.findall(data):
        if name:
            defines.add(name)
            aliases = aliases or (name[:2] in (b"cu", b"CU", b"__") and bool(_HIP.search(body)))
        elif path:
            includes.add(path.decode("utf-8", "replace").strip())
        else:
            tests.update(_WORD.findall(test))
    return _Outline(entry, defines, tests, includes, aliases) if defines or includes else None


class _Project:
    """The files that may know the target, parsed when first asked for."""

    def __init__(self, files: list[Entry], outlines: list[_Outline], target: Target, aware: set[str]) -> None:
        self.files = files
        self.outlines = outlines
        self.target = target
        self.aware = aware
        self.document: Callable[[str], CodeFile | None] = lru_cache(maxsize=None)(self._parse)
        self.entries = {outline.entry.path: outline.entry for outline in outlines}

    def _parse(self, path: str) -> CodeFile | None:
        entry = self.entries[path]
        document = CodeFile(SourceFile(path, _data(entry)), entry.kind)
        try:
            _ = document.directives
        except UnreadableSource:
            return None
        return document

    # --- macros -------------------------------------------------------------------------

    def undefined_macros(self) -> frozenset[str]:
        """Macros defined only where the target does not look. Each may hide the definition of another."""
        undefined: frozenset[str] = frozenset()
        if not self.aware:
            return undefined
        for _ in range(_ROUNDS):
            target = replace(self.target, undefined_macros=undefined)
            known = {name.encode() for name in undefined}
            dead: set[bytes] = set()
            live: set[bytes] = set()
            for outline in self.outlines:
                path = outline.entry.path
                document = None
                if outline.defines and (path in self.aware or not known.isdisjoint(outline.tests)):
                    document = self.document(path)
                hidden = _hidden(document, target) if document else set()
                dead |= hidden
                live |= outline.defines - hidden
            names = {name.decode() for name in dead - live if not self._may_come_from_outside(name)}
            if names == undefined:
                break
            undefined = frozenset(names)
        return undefined

    def _may_come_from_outside(self, name: bytes) -> bool:
        """Whether a compiler, a CUDA header or the build may define it as well."""
        text = name.decode()
        if text.startswith("_") or name in cuda.names() or self.target.macro(text) is not None:
            return True
        return name in self._build_words

    @property
    def _build_words(self) -> frozenset[bytes]:
        return self._words_of_build_files()

    def _words_of_build_files(self) -> frozenset[bytes]:
        found: set[bytes] = set()
        for entry in self.files:
            if entry.kind in _BUILD_KINDS:
                data = _data(entry)
                if entry.kind not in _MANY_FILES or _SETS_MACROS.search(data):
                    found.update(_WORD.findall(data))
        return frozenset(found)

    # --- aliases ------------------------------------------------------------------------

    def aliases(self, target: Target) -> set[tuple[str, str]]:
        """CUDA names that some file supplies on the target: (name, file)."""
        found: set[tuple[str, str]] = set()
        for outline in self.outlines:
            path = outline.entry.path
            if outline.aliases or path in self.aware:
                document = self.document(path)
                found.update((name, path) for name in (_supplies(document, target) if document else ()))
        return found
