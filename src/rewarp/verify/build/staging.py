"""Where units are compiled: HIP sources in their place, CUDA sources as rewarp translates them, in a tree of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rewarp.errors import UnreadableSource
from rewarp.findings import Failed
from rewarp.source import SourceFile
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.model import SUPPORT_HEADER
from rewarp.translation.output import mirror
from rewarp.translation.tree import TranslatedTree, translate_sources
from rewarp.verify.build.units import Tree, Unit


@dataclass(frozen=True)
class Staged:
    """A unit at the place where it is compiled."""

    unit: Unit
    source: Path
    options: tuple[str, ...]
    translated: bool
    """By rewarp, for this check."""
    trouble: str = ""
    """Why it could not be translated."""


@contextmanager
def staged(tree: Tree, *, translate: bool = True) -> Iterator[tuple[Path, list[Staged]]]:
    """Every unit ready to compile, and the folder that translations lie in; it goes away with the context."""
    with TemporaryDirectory(prefix="rewarp-build-") as folder:
        # Diagnostics and lists of headers name real paths.
        base = Path(os.path.realpath(folder))
        translations = _translated(tree) if translate else TranslatedTree(tree.root, ())
        changed = frozenset(tree.root / file.path for file in translations.changed)
        failed = {tree.root / item.path: item.reason for item in translations.failed}
        if changed:
            _write(translations, base)
        yield base, [_stage(unit, tree.root, base, changed, failed) for unit in tree.units]


def _translated(tree: Tree) -> TranslatedTree:
    """What CUDA units read, translated; all other files are as they are."""
    reached = {file for unit in tree.units if unit.file.suffix != ".hip" for file in unit.reached}
    sources: list[tuple[SourceFile, Lexed]] = []
    unreadable: list[Failed] = []
    others: list[tuple[str, Path]] = []
    inside = {file.relative_to(tree.root).as_posix() for file in reached if file.is_relative_to(tree.root)}
    for path in sorted(inside.union(tree.files)):
        file = Path(os.path.normpath(tree.root / path))
        if file not in reached or file.name == SUPPORT_HEADER:
            others.append((path, file))
            continue
        try:
            source = SourceFile(path, file.read_bytes())
            sources.append((source, lex(source.view)))
        except OSError as error:
            unreadable.append(Failed(path, f"cannot be read: {error.strerror}"))
        except UnreadableSource as error:
            unreadable.append(Failed(path, error.reason, error.line))
    return translate_sources(tree.root, sources, others=others, left_out=unreadable)


def _stage(unit: Unit, root: Path, base: Path, changed: frozenset[Path], failed: dict[Path, str]) -> Staged:
    speaks_cuda = unit.file.suffix != ".hip" and not unit.reached.isdisjoint(changed)
    if unit.file not in changed and _speaks_hip(unit.file):
        speaks_cuda = False
    if unit.file in failed:
        return Staged(unit, unit.file, (), False, failed[unit.file])
    if not speaks_cuda:
        return Staged(unit, unit.file, _options(unit, (root, root)), False)
    return Staged(unit, base / unit.path, _options(unit, (root, base)), True)


def _speaks_hip(file: Path) -> bool:
    try:
        return b"hip/hip_runtime" in file.read_bytes()
    except OSError:
        return False


def _write(tree: TranslatedTree, out: Path) -> None:
    """What was translated. The rest is found in its place, after this."""
    for new in mirror(tree, out):
        if new.data is not None:
            new.file.parent.mkdir(parents=True, exist_ok=True)
            new.file.write_bytes(new.data)


def _options(unit: Unit, move: tuple[Path, Path]) -> tuple[str, ...]:
    """The unit's flags, with folders of the tree where the unit is compiled. The folders that were meant come last:
    what git ignores, or lies above the tree, is only there."""
    flags = unit.flags
    options = ["-w", *flags.options]
    for folder in flags.includes:
        options += ["-I", str(_moved(folder, *move))]
    for header in flags.forced:
        options += ["-include", str(_moved(header, *move))]
    for folder in unit.guessed:
        options += ["-idirafter", str(_moved(folder, *move))]
    if move[0] != move[1]:
        for folder in (unit.file.parent, *flags.includes):
            options += ["-idirafter", str(folder)]
    return tuple(options)


def _moved(path: Path, old: Path, new: Path) -> Path:
    return new / path.relative_to(old) if path.is_relative_to(old) else path
