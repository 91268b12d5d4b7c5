"""What there is to run in a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.source import SourceFile
from rewarp.translation.lexing import lex
from rewarp.verify.build.flags import NO_FLAGS, Flags
from rewarp.verify.build.units import CompileUnit, Tree, read_tree

_MAIN = re.compile(rb"\bmain\s*\(")
_MAYBE_MAIN = re.compile(rb"\b(?:int|auto)\s+main\s*\([^;{}]{0,1000}\)\s*(?:->\s*int\s*|noexcept\s*)*\{")


@dataclass(frozen=True)
class Program:
    """A source with a main function."""

    path: str
    """In the tree, with ``/``."""
    unit: CompileUnit

    @property
    def name(self) -> str:
        return self.unit.file.stem


@dataclass(frozen=True)
class Programs:
    tree: Tree
    programs: tuple[Program, ...]
    others: tuple[CompileUnit, ...]
    """Units without a main function: programs may need them."""


def find_programs(root: Path, extra: Flags = NO_FLAGS, exclude: Iterable[str] = ()) -> Programs:
    """The programs below a folder, or the one that a file is."""
    tree = read_tree(root, extra, exclude)
    whole = tree if root.is_dir() else read_tree(tree.root, extra, exclude)
    found = tuple(Program(unit.path, unit) for unit in tree.units if has_main(unit.file))
    others = tuple(unit for unit in whole.units if not has_main(unit.file))
    return Programs(whole, found, others)


def has_main(file: Path) -> bool:
    """Whether a file defines main, outside of comments and strings."""
    try:
        data = file.read_bytes()
        if not _MAIN.search(data):
            return False
        source = SourceFile(file.name, data)
        hidden = lex(source.view).hidden
    except (OSError, RewarpError):
        return False
    return any(not _covered(match.start(), hidden) for match in _MAYBE_MAIN.finditer(source.view))


def _covered(offset: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= offset < end for start, end in spans)
