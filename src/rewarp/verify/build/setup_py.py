"""Flags in setup.py: what its extensions are compiled with on ROCm; what only NVIDIA's build compiles, with NVIDIA's."""

from __future__ import annotations

import os
from pathlib import Path

from rewarp.project.build import BuildUnit
from rewarp.project.build.setup_script import read_setup
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.project.modules import PythonModules
from rewarp.verify.build.flags import Flags, read_flags
from rewarp.workspace import Tree


def setup_flags(tree: Tree, root: Path, path: str, modules: PythonModules | None = None) -> dict[Path, Flags]:
    """The flags of each source that a setup.py, or a file like it, compiles."""
    found: dict[Path, Flags] = {}
    for platform in (ROCM, NVIDIA):
        for unit in read_setup(tree, path, platform, modules).units:
            if "<" not in unit.source:
                found.setdefault(Path(os.path.normpath(root / unit.source)), _flags(unit, root))
    return found


def _flags(unit: BuildUnit, root: Path) -> Flags:
    defines = [
        ("-U" + given.text[1:] if given.text.startswith("-") else "-D" + given.text, given) for given in unit.defines
    ]
    words = [f"-I{given.text}" for given in unit.includes if _is_sure(given.text, given.conditions)]
    words += [word for word, given in defines if _is_sure(word, given.conditions)]
    words += [given.text for given in unit.flags if _is_sure(given.text, given.conditions)]
    flags = read_flags(words, root)
    # A macro under a condition would change what the code means.
    undecided = tuple(word for word, given in defines if given.conditions)
    return Flags(flags.includes, flags.forced, flags.options, undecided=undecided)


def _is_sure(text: str, conditions: tuple[str, ...]) -> bool:
    return not conditions and not text.startswith("<") and "<" not in text.partition("=")[0]
