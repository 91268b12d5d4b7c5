"""What there is to compile in a tree: its translation units, each with the flags that its build gives it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.project.build import BuildUnit, read_build
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.verify.build.cmake import CMakeFlags, read_cmake
from rewarp.verify.build.flags import NO_FLAGS, Flags, read_flags
from rewarp.verify.build.includes import IncludeGraph
from rewarp.verify.build.makefile import makefile_flags
from rewarp.workspace import Entry, Folder

DEVICE_SUFFIXES = (".cu", ".hip")
_MAYBE = (".cpp", ".cc", ".cxx")
_DEVICE_CODE = re.compile(rb"\b__global__\b|\bhipLaunchKernelGGL\b")
_HIP = re.compile(rb"hip/hip_runtime")
_MAKEFILES = ("makefile", "gnumakefile", "makefile.hip", "makefile.amd")


@dataclass(frozen=True)
class CompileUnit:
    """One file that the compiler is started on."""

    path: str
    """In the tree, with ``/``."""
    file: Path
    flags: Flags
    guessed: tuple[Path, ...]
    """Include folders that no build file names: they hold a header that the unit asks for."""
    reached: frozenset[Path]
    """The unit and what it includes, as far as its text tells."""


@dataclass(frozen=True)
class Tree:
    """A folder's files, and what is to be compiled of them."""

    root: Path
    units: tuple[CompileUnit, ...]
    files: tuple[str, ...]
    """All files, as far as git does not ignore them."""
    set_aside: tuple[tuple[str, str], ...]
    """Files that look like units and are none, with the reason."""


def read_tree(target: Path, extra: Flags = NO_FLAGS, exclude: Iterable[str] = ()) -> Tree:
    """The units below a folder, or the one that a file is. ``extra`` flags are for all of them, and come last."""
    if not target.exists():
        raise UsageError(f"{target} does not exist")
    wanted = None if target.is_dir() else Path(os.path.abspath(target))
    root = project_of(wanted) if wanted else Path(os.path.abspath(target))
    files = (
        _Beside(root)
        if wanted and not (root / ".git").exists()
        else Folder(root, exclude=tuple(exclude), submodules=True)
    )
    build = BuildFiles(files, root, _list(files, root, wanted))
    paths = {_absolute(root, path): path for path in build.paths}
    graph = IncludeGraph(paths)
    found: list[CompileUnit] = []
    aside: dict[str, str] = {}
    for file, path in sorted(paths.items(), key=lambda item: item[1]):
        if wanted not in (None, file) or not (file == wanted or build.is_unit(file)):
            continue
        twin = file.with_suffix(".hip")
        if file.suffix == ".cu" and twin in paths and wanted is None:
            aside[path] = f"its translation {twin.name} stands beside it"
            continue
        flags = build.flags(file) + extra
        reach = graph.reach(file, flags.includes, flags.forced)
        found.append(CompileUnit(path, file, flags, reach.guessed, reach.files))
    included = {file for unit in found for file in unit.reached if file != unit.file}
    aside |= {unit.path: "other files include it" for unit in found if unit.file in included and wanted is None}
    units = tuple(unit for unit in found if unit.path not in aside)
    return Tree(root, units, tuple(sorted(build.paths)), tuple(sorted(aside.items())))


def project_of(file: Path) -> Path:
    """The repository around a file, whose headers and build files belong to it; else its folder."""
    return next((folder for folder in file.parents if (folder / ".git").exists()), file.parent)


class _Beside(Folder):
    """The files of one folder. Around a single file outside of any repository only that is read: below it may lie anything."""

    @cached_property
    def entries(self) -> dict[str, Entry]:
        names = sorted(name for name in os.listdir(self.root) if (self.root / name).is_file())
        return {name: Entry("file", (self.root / name).stat().st_size) for name in names}


def _list(files: Folder, root: Path, wanted: Path | None) -> list[str]:
    """Files by their path in the tree. One that is asked for is compiled even where git ignores it."""
    asked = [wanted.relative_to(root).as_posix()] if wanted else []
    return sorted({*files.files(), *asked})


class BuildFiles:
    """What the build files of a tree say about its sources; each kind is read when first asked for."""

    def __init__(self, files: Folder, root: Path, paths: list[str]) -> None:
        self.files, self.root, self.paths = files, root, paths

    def is_unit(self, file: Path) -> bool:
        """Whether a file holds device code that is compiled on its own."""
        if file.suffix in DEVICE_SUFFIXES or file in self._as_hip:
            return file.suffix in DEVICE_SUFFIXES or file.suffix in _MAYBE
        if file.suffix not in _MAYBE:
            return False
        try:
            data = file.read_bytes()
        except OSError:
            return False
        return bool(_DEVICE_CODE.search(data) and _HIP.search(data))

    def flags(self, file: Path) -> Flags:
        """The flags of a source: those that the build for ROCm gives it, else NVIDIA's. Where neither compiles it, those of
        the nearest build file that speaks for its folder."""
        return self._named.get(file) or self._makefile(file) or self._folder(file, file.suffix != ".cu") or NO_FLAGS

    @cached_property
    def _named(self) -> dict[Path, Flags]:
        units = [unit for platform in (ROCM, NVIDIA) for unit in read_build(self.files, platform).units]
        found: dict[Path, Flags] = {}
        # A target may name a source that it cannot compile: for lack of the language.
        for unit in sorted(units, key=lambda unit: unit.language is None):
            found.setdefault(_absolute(self.root, unit.source), unit_flags(unit, self.root))
        return found

    @cached_property
    def _as_hip(self) -> frozenset[Path]:
        """Sources, of other suffixes too, that the build for ROCm compiles as HIP."""
        units = read_build(self.files, ROCM).units
        return frozenset(_absolute(self.root, unit.source) for unit in units if unit.language == "HIP")

    # --- for sources that no build names ----------------------------------------------

    def _cmake(self, hip: bool) -> CMakeFlags:
        return self._cmake_hip if hip else self._cmake_cuda

    @cached_property
    def _cmake_hip(self) -> CMakeFlags:
        return read_cmake(self._cmake_files, self.root, hip=True)

    @cached_property
    def _cmake_cuda(self) -> CMakeFlags:
        return read_cmake(self._cmake_files, self.root, hip=False)

    @cached_property
    def _cmake_files(self) -> list[Path]:
        names = [path for path in self.paths if path.rpartition("/")[2].lower() == "cmakelists.txt"]
        return [_absolute(self.root, path) for path in names]

    @cached_property
    def _makefiles(self) -> dict[Path, Path]:
        """By folder."""
        names = [path for path in self.paths if path.rpartition("/")[2].lower() in _MAKEFILES]
        return {file.parent: file for file in sorted((_absolute(self.root, path) for path in names), reverse=True)}

    def _makefile(self, file: Path) -> Flags | None:
        place = next((self._makefiles[folder] for folder in file.parents if folder in self._makefiles), None)
        nearer = next((folder for folder in file.parents if folder in self._cmake(True).by_folder), None)
        if place is None or (nearer and len(nearer.parts) > len(place.parent.parts)):
            return None
        flags = self._read_makefile(place)
        return flags.from_file(self._name(place)) if flags != NO_FLAGS else None

    def _read_makefile(self, file: Path) -> Flags:
        if file not in self._read_makefiles:
            try:
                self._read_makefiles[file] = makefile_flags(file)
            except OSError:
                self._read_makefiles[file] = NO_FLAGS
        return self._read_makefiles[file]

    @cached_property
    def _read_makefiles(self) -> dict[Path, Flags]:
        return {}

    def _folder(self, file: Path, hip: bool) -> Flags | None:
        folders = self._cmake(hip).by_folder
        flags = next((folders[folder] for folder in file.parents if folder in folders), None)
        return flags.from_file("CMakeLists.txt") if flags else None

    def _name(self, file: Path) -> str:
        return os.path.relpath(file, self.root).replace(os.sep, "/")


def unit_flags(unit: BuildUnit, root: Path) -> Flags:
    """What the build gives a unit. A definition under a condition would change what the code means: it is not in force."""
    words = [f"-I{_absolute(root, item.text)}" for item in unit.includes if "<" not in item.text]
    undecided: list[str] = []
    for text, conditions in unit.defines:
        word = f"-U{text[1:]}" if text.startswith("-") else f"-D{text}"
        (undecided if conditions else words).append(word)
    words += [text for text, conditions in unit.flags if not conditions and "<" not in text.partition("=")[0]]
    undecided += [text for text, conditions in unit.flags if conditions and text.startswith("-D")]
    found = read_flags(words, _absolute(root, posixpath.dirname(unit.reason.file)))
    return replace(found, origin=unit.reason.file, undecided=tuple(undecided))


def _absolute(root: Path, path: str) -> Path:
    return Path(os.path.normpath(root / path))
