"""New headers that are of no use once what includes them was dropped."""

from __future__ import annotations

from rewarp.files import is_below
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.port.changes import Change
from rewarp.port.cpp.translation import SHIM_FOLDER
from rewarp.port.dropping.copies import is_copy
from rewarp.port.tree import Tree
from rewarp.source import SourceFile


def without_unreached(tree: Tree, changes: list[Change]) -> list[Change]:
    """The changes without new headers that none of the sources includes."""
    after = tree.with_changes(changes)
    new = {
        c.path: c
        for c in changes
        if kind_of_path(c.path) in CPP_KINDS
        and c.path not in tree
        and not is_copy(c)
        and not is_below(c.path, SHIM_FOLDER)
    }
    sources = [path for path in after.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, after.read(path) or b"") for path in sources)
    reached = includes.reached(path for path in sources if path not in new)
    unreached = [change for path, change in new.items() if path not in reached]
    return [change for change in changes if change not in unreached]
