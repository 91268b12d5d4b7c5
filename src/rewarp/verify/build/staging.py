"""Where units are compiled: HIP sources in their place, CUDA sources as rewarp translates them, in a tree of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rewarp.errors import UnreadableSource
from rewarp.files import temporary_folder
from rewarp.findings import Failed
from rewarp.lang.cpp.includes import written_includes
from rewarp.source import SourceFile
from rewarp.toolchain.torch_headers import TorchHeaders, asks_for_torch, installed
from rewarp.translation.changes import SUPPORT_HEADER, Translation
from rewarp.translation.lexing import Lexed, lex
from rewarp.translation.output import mirror
from rewarp.translation.tree import TranslatedTree, translate_sources
from rewarp.verify.build.units import CompileUnit, Tree


@dataclass(frozen=True)
class Staged:
    """A unit at the place where it is compiled."""

    unit: CompileUnit
    source: Path
    options: tuple[str, ...]
    translated: bool
    """By rewarp, for this check."""
    trouble: str = ""
    """Why it could not be translated."""
    torch: TorchHeaders | None = None
    """The headers of torch that it is checked with, where it asks for any and no folder of its own has them."""
    remark: str = ""
    """What of its flags is not as its build says."""


@dataclass(frozen=True)
class Translated:
    """The folder that translations lie in, and how they came to be: it goes away, and the sources stay."""

    base: Path
    by_path: Mapping[str, Translation] = field(default_factory=dict)

    def line(self, path: str, line: int) -> int:
        """The line of the source that a line of its translation was made of."""
        return self.by_path[path].original_line(line) if path in self.by_path else line


class Stage(NamedTuple):
    translated: Translated
    units: list[Staged]


@contextmanager
def staged(tree: Tree, *, translate: bool = True) -> Iterator[Stage]:
    """Every unit ready to compile; what was translated goes away with the context."""
    with temporary_folder("rewarp-build-") as folder:
        # Diagnostics and lists of headers name real paths.
        base = Path(os.path.realpath(folder))
        translations = _translated(tree) if translate else TranslatedTree(tree.root, ())
        changed = frozenset(tree.root / file.path for file in translations.changed)
        failed = {tree.root / item.path: item.reason for item in translations.failed}
        if changed:
            _write(translations, base)
        by_path = {translation.path: translation for translation in translations.translations}
        units = [_stage(unit, tree.root, base, changed, failed) for unit in tree.units]
        yield Stage(Translated(base, by_path), units)


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


def _stage(unit: CompileUnit, root: Path, base: Path, changed: frozenset[Path], failed: dict[Path, str]) -> Staged:
    speaks_cuda = unit.file.suffix != ".hip" and not unit.reached.isdisjoint(changed)
    # A header that the build puts first may be all that a source needs.
    if any(map(_speaks_hip, unit.flags.forced)) or (unit.file not in changed and _speaks_hip(unit.file)):
        speaks_cuda = False
    if unit.file in failed:
        return Staged(unit, unit.file, (), False, failed[unit.file])
    place, home = (base / unit.path, base) if speaks_cuda else (unit.file, root)
    options, torch = _options(unit, (root, home)), _torch_of(unit)
    if torch is None:
        return Staged(unit, place, options, speaks_cuda)
    # Torch's builder is a script of Python; CMake and others give a unit only what the target torch gives.
    own = torch.options(translated=speaks_cuda, by_torch=unit.flags.origin.endswith(".py") or not unit.flags.origin)
    raised, remark = _standard(options, torch)
    return Staged(unit, place, (*own, *options, *raised), speaks_cuda, torch=torch, remark=remark)


def _torch_of(unit: CompileUnit) -> TorchHeaders | None:
    folders = (*unit.flags.includes, *unit.guessed)
    if any((folder / "ATen/ATen.h").is_file() or (folder / "c10/hip").is_dir() for folder in folders):
        return None
    for file in sorted(unit.reached):
        try:
            if asks_for_torch(include.name for include in written_includes(file.read_bytes())):
                return installed()
        except OSError:
            continue
    return None


def _standard(options: Sequence[str], torch: TorchHeaders) -> tuple[tuple[str, ...], str]:
    """An option that says which C++, where the build's own is older than this torch takes; and what to tell of it."""
    asked = next((option for option in reversed(options) if option.startswith("-std=")), "")
    number = asked[-2:]
    if not number.isdigit() or int(number) >= 90 or int(number) >= torch.standard:
        return (), ""
    return (f"-std=c++{torch.standard}",), f"{asked} of its build is older than torch {torch.version} takes"


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


def _options(unit: CompileUnit, move: tuple[Path, Path]) -> tuple[str, ...]:
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
