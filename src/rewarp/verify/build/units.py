"""What there is to compile in a tree: its translation units, each with the flags that its build gives it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.lang import parsers
from rewarp.project.modules import PythonModules
from rewarp.verify.build.cmake import CMakeFlags, read_cmake
from rewarp.verify.build.flags import NO_FLAGS, Flags, read_flags, split
from rewarp.verify.build.includes import IncludeGraph
from rewarp.verify.build.makefile import makefile_flags
from rewarp.verify.build.setup_py import setup_flags
from rewarp.workspace import Folder, find_files

DEVICE_SUFFIXES = (".cu", ".hip")
_MAYBE = (".cpp", ".cc", ".cxx")
_DEVICE_CODE = re.compile(rb"\b__global__\b|\bhipLaunchKernelGGL\b")
_HIP = re.compile(rb"hip/hip_runtime")
_DATABASE = "compile_commands.json"
_SETUP_FILES = re.compile(r"(?:^|/)(?:setup|build|_?extension)[\w-]*\.py$")
_MAKEFILES = ("makefile", "gnumakefile", "makefile.hip", "makefile.amd")


@dataclass(frozen=True)
class Unit:
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
    units: tuple[Unit, ...]
    files: tuple[str, ...]
    """All files, as far as git does not ignore them."""
    set_aside: tuple[tuple[str, str], ...]
    """Files that look like units and are none, with the reason."""


def read_tree(target: Path, extra: Flags = NO_FLAGS, exclude: Iterable[str] = ()) -> Tree:
    """The units below a folder, or the one that a file is. ``extra`` flags are for all of them, and come last."""
    if not target.exists():
        raise UsageError(f"{target} does not exist")
    wanted = None if target.is_dir() else Path(os.path.abspath(target))
    root = _project_of(wanted) if wanted else Path(os.path.abspath(target))
    build = BuildFiles(root, _list(root, wanted, tuple(exclude)))
    paths = {_absolute(root, path): path for path in build.paths}
    graph = IncludeGraph(paths)
    found: list[Unit] = []
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
        found.append(Unit(path, file, flags, reach.guessed, reach.files))
    included = {file for unit in found for file in unit.reached if file != unit.file}
    aside |= {unit.path: "other files include it" for unit in found if unit.file in included and wanted is None}
    units = tuple(unit for unit in found if unit.path not in aside)
    return Tree(root, units, tuple(sorted(build.paths)), tuple(sorted(aside.items())))


def _project_of(file: Path) -> Path:
    """The repository around a file, whose headers and build files belong to it; else its folder."""
    return next((folder for folder in file.parents if (folder / ".git").exists()), file.parent)


def _list(root: Path, wanted: Path | None, exclude: tuple[str, ...]) -> list[str]:
    """Files by their path in the tree. Around a single file outside of any repository only its folder is read: below
    it may lie anything."""
    if wanted and not (root / ".git").exists():
        return sorted(name for name in os.listdir(root) if (root / name).is_file())
    listing = find_files(root, exclude)
    found = [entry.path for entry in listing.files] + listing.unread
    # A file that is asked for is compiled even where git ignores it.
    asked = [wanted.relative_to(root).as_posix()] if wanted else []
    return sorted({*found, *asked})


class BuildFiles:
    """What the build files of a tree say about its sources; each kind is read when first asked for."""

    def __init__(self, root: Path, paths: list[str]) -> None:
        self.root = root
        self.paths = paths

    def is_unit(self, file: Path) -> bool:
        """Whether a file holds device code that is compiled on its own."""
        if file.suffix in DEVICE_SUFFIXES or file in self._database or file in self._cmake(True).as_hip:
            return file.suffix in DEVICE_SUFFIXES or file.suffix in _MAYBE
        if file.suffix not in _MAYBE:
            return False
        try:
            data = file.read_bytes()
        except OSError:
            return False
        return bool(_DEVICE_CODE.search(data) and _HIP.search(data))

    def flags(self, file: Path) -> Flags:
        """The flags of a source: of the build file that names it, else of the nearest that speaks for its folder."""
        hip = file.suffix != ".cu"
        return (
            self._database.get(file)
            or self._named_by_cmake(file, hip)
            or self._setup.get(file)
            or self._makefile(file)
            or self._folder(file, hip)
            or NO_FLAGS
        )

    # --- one property a build system -------------------------------------------------

    @cached_property
    def _database(self) -> dict[Path, Flags]:
        """From every compilation database, those of build folders that git ignores too."""
        places = {_absolute(self.root, path) for path in self.paths if path.rpartition("/")[2] == _DATABASE}
        places |= {place for place in (self.root / _DATABASE, *self.root.glob(f"*/{_DATABASE}")) if place.is_file()}
        found: dict[Path, Flags] = {}
        for place in sorted(places):
            for file, flags in read_database(place).items():
                found.setdefault(file, flags.from_file(self._name(place)))
        # One that speaks of the host's files only says nothing about device code.
        return {file: flags for file, flags in found.items() if file.suffix in DEVICE_SUFFIXES or _is_hip(flags)}

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

    def _named_by_cmake(self, file: Path, hip: bool) -> Flags | None:
        flags = self._cmake(hip).by_source.get(file)
        return flags.from_file("CMakeLists.txt") if flags else None

    @cached_property
    def _setup(self) -> dict[Path, Flags]:
        found: dict[Path, Flags] = {}
        scripts = [path for path in self.paths if _SETUP_FILES.search(path)]
        tree = Folder(self.root)
        modules = PythonModules(tree)
        for path in scripts:
            for file, flags in setup_flags(tree, self.root, path, modules).items():
                found.setdefault(file, flags.from_file(path))
        return found

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


def read_database(file: Path) -> dict[Path, Flags]:
    """The flags of each source in a ``compile_commands.json``; nothing for one that is broken."""
    try:
        entries = parsers.from_json(file.read_bytes())
    except (OSError, ValueError):
        return {}
    found: dict[Path, Flags] = {}
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            continue
        folder = Path(os.path.normpath(file.parent / str(entry.get("directory", "."))))
        words = _arguments(entry)
        source = Path(os.path.normpath(folder / entry["file"]))
        found.setdefault(source, read_flags(words, folder))
    return found


def _arguments(entry: dict[str, Any]) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [str(word) for word in arguments[1:]]
    return split(str(entry.get("command", "")))[1:]


def _is_hip(flags: Flags) -> bool:
    return any(option.startswith("-D__HIP_PLATFORM_AMD__") for option in flags.options)


def _absolute(root: Path, path: str) -> Path:
    return Path(os.path.normpath(root / path))
