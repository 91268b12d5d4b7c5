"""The units of compilation databases: ``compile_commands.json``, as CMake, Bear and others write it."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewarp.lang import parsers
from rewarp.project.build.command_line import CommandLine, read_words, split_words
from rewarp.project.build.units import BuildUnit, Part, Reason
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.workspace import Folder, Tree

NAME = "compile_commands.json"
_HIP = "__HIP_PLATFORM_AMD__"


def read_databases(tree: Tree, platform: Platform) -> Part:
    """From every database, those of build folders that git ignores too."""
    return Part.joined(_read(tree, platform, name, data) for name, data in databases(tree))


def databases(tree: Tree) -> Iterator[tuple[str, bytes]]:
    listed = [path for path in tree.files() if posixpath.basename(path) == NAME]
    yield from ((path, tree.read(path) or b"") for path in listed)
    if isinstance(tree, Folder):
        for place in sorted((tree.root / NAME, *tree.root.glob(f"*/{NAME}"))):
            name = place.relative_to(tree.root).as_posix()
            if name not in listed and place.is_file():
                try:
                    yield name, place.read_bytes()
                except OSError:
                    continue


def _read(tree: Tree, platform: Platform, path: str, data: bytes) -> Part:
    try:
        entries = parsers.from_json(data)
    except ValueError as error:
        return Part(systems=(path,), unread=((Reason(path, 1), f"it cannot be read: {error}"),))
    root = os.path.abspath(tree.root) if isinstance(tree, Folder) else ""
    units: list[BuildUnit] = []
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("file"), str):
            unit = _unit(entry, path, root)
            if unit is not None and unit.source in tree.entries and _is_for(platform, unit):
                units.append(unit)
    return Part(tuple(units), (path,))


def _unit(entry: dict[str, Any], path: str, root: str) -> BuildUnit | None:
    folder = os.path.normpath(os.path.join(root, posixpath.dirname(path), str(entry.get("directory", "."))))
    place = os.path.relpath(folder, root or ".").replace(os.sep, "/") if folder else "."
    arguments = entry.get("arguments")
    words = (
        [str(word) for word in arguments] if isinstance(arguments, list) else split_words(str(entry.get("command", "")))
    )
    found = read_words(words, place) if words else None
    if found is None:
        found = CommandLine(posixpath.basename(words[0]) if words else "", (), (), (), (), "")
    source = os.path.normpath(os.path.join(folder, entry["file"]))
    source = os.path.relpath(source, root or ".").replace(os.sep, "/")
    return BuildUnit(
        source,
        str(entry.get("output", "") or Path(source).stem),
        NAME,
        found.language(source),
        Reason(path, 1),
        defines=found.defines,
        flags=found.flags,
        includes=found.includes,
    )


def _is_for(platform: Platform, unit: BuildUnit) -> bool:
    """A database is of one build: what is compiled as CUDA there says nothing about a build for ROCm."""
    is_hip = unit.language == "HIP" or any(define.text.startswith(_HIP) for define in unit.defines)
    of = ROCM if is_hip else NVIDIA if unit.language == "CUDA" else None
    return of is None or of is platform
