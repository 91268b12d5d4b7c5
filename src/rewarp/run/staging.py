"""The sources where they are compiled: HIP in its place, CUDA as rewarp translates it, in a folder of its own.

Nothing is written beside the sources. What a source includes from its own folders goes with it, so that every relative
include means the same file as before.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.findings import Failed, Finding, Severity
from rewarp.source import SourceFile
from rewarp.toolchain import Diagnostic
from rewarp.toolchain.header_libraries import asked_for, libraries_in
from rewarp.translation.changes import SUPPORT_HEADER, Translation
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.output import mirror
from rewarp.translation.tree import TranslatedTree, read_source, translate_sources
from rewarp.verify.build.includes import IncludeGraph, Reach

HIP_SOURCES = (".cu", ".hip")
CXX_SOURCES = (".cpp", ".cc", ".cxx", ".C", ".c++")
C_SOURCES = (".c",)
SOURCES = (*HIP_SOURCES, *CXX_SOURCES, *C_SOURCES)
_DEVICE_WORDS = (b"__global__", b"__device__", b"<<<", b"__constant__", b"hipLaunchKernelGGL")
_NEW_LINE = b"\n"
Prepare = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Origin:
    """A file that was translated, and which line of it each line of the result was."""

    file: Path
    starts: tuple[int, ...] = ()
    """First lines, in the result, of stretches that are shifted alike; from 1."""
    shifts: tuple[int, ...] = ()
    """What to add to a line of each stretch."""

    def line(self, line: int) -> int:
        at = bisect_right(self.starts, line) - 1
        return max(1, line + self.shifts[at]) if at >= 0 else line


@dataclass(frozen=True)
class Stage:
    """Sources ready to be compiled."""

    units: tuple[tuple[Path, Path], ...]
    """The source as it was named, and the one to compile."""
    options: tuple[str, ...]
    """Where headers are looked for."""
    device: frozenset[Path] = frozenset()
    """The sources, as they were named, that hold or include device code; the others are host code alone."""
    origins: dict[str, Origin] = field(default_factory=dict)
    """By the path of the result."""
    findings: tuple[Finding, ...] = ()
    outside: frozenset[str] = frozenset()
    """Headers that are none of the program's, as its include lines name them."""

    def original(self, file: str, line: int) -> tuple[str, int]:
        """The place in the user's own file."""
        origin = self.origins.get(os.path.normpath(file))
        return (str(origin.file), origin.line(line)) if origin else (file, line)

    def in_original(self, found: Diagnostic) -> Diagnostic:
        if found.file is None or found.line is None:
            return found
        file, line = self.original(found.file, found.line)
        return replace(found, file=file, line=line)


def stage(sources: Sequence[Path], includes: Sequence[Path], folder: Path, prepare: Prepare | None = None) -> Stage:
    """Ready to compile: in place where nothing is CUDA, else translated below ``folder``. ``prepare`` may change a text
    before it is translated, within its lines."""
    given = [Path(os.path.abspath(source)) for source in sources]
    searched = [Path(os.path.abspath(place)) for place in includes]
    in_place = tuple(word for place in searched for word in ("-I", str(place)))
    graph = IncludeGraph(given, [found.headers for place in searched for found in libraries_in(place)])
    reach = {source: graph.reach(source, searched) for source in given}
    reached = {source: each.files for source, each in reach.items()}
    outside = frozenset(name for each in reach.values() for name in each.outside)
    device = frozenset(named for named, source in zip(sources, given) if _has_device_code(source, reach[source]))
    tree = _translated({source: files for source, files in reached.items() if source.suffix != ".hip"}, prepare)
    if tree is None or not (tree.changed or prepare):
        return Stage(tuple(zip(sources, given)), in_place, device, outside=outside)
    _write(tree, folder)
    moved = {tree.place(file.path): folder / file.new_path for file in tree.files if file.translation}
    options: list[str] = []
    for place in searched:
        if place.is_relative_to(tree.root):
            options += ["-I", str(folder / place.relative_to(tree.root))]
    options += in_place  # what no include line names in plain words is only there
    # Names of files, as `__FILE__`, assertions and tables of lines have them, are the user's.
    options += [f"-ffile-prefix-map={folder}={tree.root}"]
    origins = {
        os.path.normpath(place): _origin(tree.place(one.path), one)
        for one in tree.translations
        # By the names that compilers say, and by those that they write into tables of lines.
        for place in (moved[tree.place(one.path)], tree.root / moved[tree.place(one.path)].relative_to(folder))
    }
    findings = [f for one in tree.translations for f in one.findings if f.severity.rank >= Severity.WRONG.rank]
    units = tuple((source, moved.get(place, place)) for source, place in zip(sources, given))
    return Stage(units, tuple(options), device, origins, tuple(findings), outside)


def _has_device_code(source: Path, reach: Reach) -> bool:
    """Whether a C++ source holds kernels, launches them, or includes what does."""
    if source.suffix in HIP_SOURCES or source.suffix in C_SOURCES:
        return source.suffix in HIP_SOURCES
    kernels = any(word in file.read_bytes() for file in reach.files for word in _DEVICE_WORDS)
    return kernels or bool(asked_for(reach.outside))


def _translated(reached: Mapping[Path, Iterable[Path]], prepare: Prepare | None) -> TranslatedTree | None:
    """The sources with all that they include from their own folders."""
    if not reached:
        return None
    files = sorted({file for each in reached.values() for file in each})
    root = Path(os.path.commonpath([file.parent for file in files]))
    read: list[tuple[SourceFile, Lexed]] = []
    others: list[tuple[str, Path]] = []
    for file in files:
        path = file.relative_to(root).as_posix()
        source = read_source(path, file)
        if isinstance(source, SourceFile) and file.name != SUPPORT_HEADER:
            source = SourceFile(path, prepare(source.data)) if prepare else source
            read.append((source, lex(source.view)))
        elif isinstance(source, Failed) and file in reached:
            raise UsageError(f"{file}: {source.reason}")
        else:
            others.append((path, file))
    return translate_sources(root, read, others=others)


def _write(tree: TranslatedTree, folder: Path) -> None:
    for new in mirror(tree, folder):
        new.file.parent.mkdir(parents=True, exist_ok=True)
        data = new.data if new.data is not None else new.origin.read_bytes() if new.origin else b""
        new.file.write_bytes(data)


def _origin(file: Path, translation: Translation) -> Origin:
    view = translation.source.view
    starts: list[int] = []
    shifts: list[int] = []
    line, at, shift = 1, 0, 0
    for start, end, text in translation.replacements:
        line += view.count(_NEW_LINE, at, start)
        old, new = view.count(_NEW_LINE, start, end), text.count(_NEW_LINE)
        # Lines that are new belong to the place where they were put in.
        for step in range(old + 1, new + 1):
            starts.append(line - shift + step)
            shifts.append(shift + old - step)
        if new < old:
            starts.append(line - shift + new + 1)
            shifts.append(shift + old - new)
        shift += old - new
        line += old
        at = end
    return Origin(file, tuple(starts), tuple(shifts))


def existing(files: Iterable[Path]) -> None:
    """Raises UsageError for a file that is not there."""
    for file in files:
        if not file.is_file():
            raise UsageError(f"{file} does not exist" if not file.exists() else f"{file} is not a file")
