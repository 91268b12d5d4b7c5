"""Whether a change leaves a name unbound on the target, as a gate one line too low does."""

from __future__ import annotations

from rewarp.errors import UnreadableSource
from rewarp.project.gates import Unbound, platform_for, unbound
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.workspace.documents import python_file


def newly_unbound(path: str, before: bytes, after: bytes, target: Target) -> list[Unbound]:
    """The names that the target reads in the new text without having bound them, and did not in the old one."""
    try:
        old, new = (unbound(python_file(SourceFile(path, data)), platform_for(target)) for data in (before, after))
    except (UnreadableSource, RecursionError):
        return []
    known = {(item.name, item.scope) for item in old}
    return [item for item in new if (item.name, item.scope) not in known]
