"""Support for the target that a project has already: what it says of itself, and where its code checks for the target."""

from __future__ import annotations

from rewarp.port.tree import Tree
from rewarp.project.overview import look
from rewarp.project.support import Way
from rewarp.targets import Target

_SHOWN = 2


def support_there(tree: Tree, target: Target) -> tuple[str, ...]:
    """Where it stands, ``file:line``; nothing where the project does not both say so and ask for it in its code."""
    if target.name != "rocm":
        return ()
    found = look(tree.files, target.name, _SHOWN + 1).support
    told, asked = found.by(Way.PACKAGING, Way.CI, Way.DOCUMENTATION), found.by(Way.CODE)
    if not told or not asked:
        return ()
    return tuple(dict.fromkeys(f"{item.file}:{item.line}" for item in (*told[:_SHOWN], *asked[:_SHOWN])))
