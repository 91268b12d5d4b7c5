"""What stands in a port's way outside the sources that are here: submodules that are not, and pins of a torch that no build
for AMD goes back to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from rewarp.errors import UnreadableSource
from rewarp.lang.document import Requirement
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.requirements import RequirementsFile
from rewarp.port.changes import Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.tree import Tree
from rewarp.project.role_names import is_aside
from rewarp.project.submodules import unread_submodules
from rewarp.source import SourceFile

_FIRST_FOR_ROCM = Version("1.8")
"""The first torch with wheels for ROCm (https://pytorch.org/blog/pytorch-for-amd-rocm-platform-now-available-as-python-package/)."""
_PIN = re.compile(r"torch\s*={2,3}\s*([\w.+-]+)")
_MODULES = ".gitmodules"


def run(tree: Tree, context: PortContext) -> PhaseResult:
    return PhaseResult(manual=barriers(tree) if context.target.name == "rocm" else [])


def barriers(tree: Tree) -> list[Manual]:
    """A note for each that is sure to stop the project."""
    return [*_submodules(tree), *_pins(tree)]


def _submodules(tree: Tree) -> Iterator[Manual]:
    own = [path for path in tree.paths() if kind_of_path(path) is Kind.PYTHON and not is_aside(path)]
    for item in unread_submodules(tree.files, own):
        if item.imported:
            what = f"{item.path}, which {item.imported} imports, is a submodule whose files are not here"
            why = "it was not read, and needs a port of its own where it builds CUDA code"
            yield Manual(_MODULES, None, PortPhase.ENVIRONMENT, what, why, stops=True)


def _pins(tree: Tree) -> Iterator[Manual]:
    for path in tree.paths():
        if kind_of_path(path) is not Kind.REQUIREMENTS or is_aside(path):
            continue
        source = SourceFile(path, tree.read(path) or b"")
        try:
            asked = RequirementsFile(source, Kind.REQUIREMENTS).requirements
        except UnreadableSource:
            continue
        for item in filter(_is_too_old, asked):
            line = source.view.count(b"\n", 0, item.where.start) + 1
            what = f"{item.text} is older than any torch for ROCm, of which {_FIRST_FOR_ROCM} is the first"
            why = "say which newer torch the project runs with"
            yield Manual(path, line, PortPhase.ENVIRONMENT, what, why, stops=True)


def _is_too_old(item: Requirement) -> bool:
    pinned = _PIN.fullmatch(item.text.partition(";")[0].strip())
    try:
        return pinned is not None and Version(pinned[1].rstrip(".*")) < _FIRST_FOR_ROCM
    except InvalidVersion:
        return False
