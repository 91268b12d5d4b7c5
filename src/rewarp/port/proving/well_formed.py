"""What a part of the port gives, held against the tree before it is taken: no change may break a file that was whole."""

from __future__ import annotations

import posixpath

from rewarp.errors import RewarpError
from rewarp.lang import parsers
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext
from rewarp.port.python.unbound import newly_unbound
from rewarp.port.tree import Tree
from rewarp.project.gates import Unbound


def well_formed(result: PhaseResult, tree: Tree, context: PortContext) -> PhaseResult:
    """A part's result without what changes nothing; a change that breaks a file becomes a note to a person."""
    changes: list[Change] = []
    manual = [item for item in result.manual if item.phase in context.phases]
    for change in result.changes:
        if change.phase not in context.phases:
            continue
        if _leaves(change.path):
            raise RewarpError(f"a part of the port wants to write to {change.path}, outside the project")
        before = tree.read(change.path)
        if change.after == before:
            continue
        if kind_of_path(change.path) is Kind.PYTHON and _parses(before) and not _parses(change.after):
            why = "the change that rewarp made did not parse, and was dropped"
            manual.append(Manual(change.path, None, change.phase, change.why, why, ", ".join(change.rules)))
        elif lost := _lost(change, before, context):
            why = f"{lost.name} would be read on {context.target.title} before it is bound"
            manual.append(Manual(change.path, lost.line, change.phase, change.why, why, ", ".join(change.rules)))
        else:
            changes.append(change)
    return PhaseResult(changes, manual)


def _lost(change: Change, before: bytes | None, context: PortContext) -> Unbound | None:
    """A name that a change of a Python file leaves unbound on the target."""
    if kind_of_path(change.path) is not Kind.PYTHON or before is None or change.after is None:
        return None
    return next(iter(newly_unbound(change.path, before, change.after, context.target)), None)


def _leaves(path: str) -> bool:
    """Whether a path does not lie in the tree, or lies in git's own folder."""
    parts = path.split("/")
    return posixpath.normpath(path) != path or path.startswith("/") or parts[0] in ("..", ".git", ".", "")


def _parses(data: bytes | None) -> bool:
    if data is None:
        return True
    try:
        parsers.python(data)
    except (SyntaxError, ValueError):
        return False
    return True
