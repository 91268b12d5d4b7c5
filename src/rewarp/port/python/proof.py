"""Whether an NVIDIA user's program stays as it was: asked before a change is proposed, not after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rewarp.port.changes import PortContext
from rewarp.port.python.gate import planned_file
from rewarp.port.tree import Tree
from rewarp.verify.isolation.file_verdict import IsolationVerdict, Side
from rewarp.verify.isolation.python import compare

_NOT_THE_GATE = ("compiled", "the source of", "relied on", "may not be PyTorch", "what torch says")


class Doubt(NamedTuple):
    """Why a change is not proved, and the line of the new text where that shows."""

    why: str
    line: int | None = None

    @property
    def stays(self) -> bool:
        """Whether another spelling of the gate would meet it as well."""
        return any(word in self.why for word in _NOT_THE_GATE)


class Proofs:
    """The tree before the port and after it, as far as the files around a changed one matter."""

    def __init__(self, tree: Tree, context: PortContext) -> None:
        self._tree = tree
        self._added: dict[str, bytes] = {}
        if context.gate is not None:
            planned = planned_file(tree, context.gate)
            if planned is not None and planned.after is not None:
                self._added[planned.path] = planned.after

    def doubt(self, path: str, before: bytes, after: bytes) -> Doubt | None:
        """Why a change is not proved harmless; None where it is."""
        verdict = compare(path, before, after, self)
        if verdict.verdict is IsolationVerdict.IDENTICAL:
            return None
        line = next((place.line_after for place in verdict.places if place.line_after), None)
        return Doubt(verdict.why or verdict.verdict.value, line)

    # --- the TreeView that the comparer asks ------------------------------------------------

    def read(self, path: str, side: Side) -> bytes | None:
        return self._added[path] if side == "after" and path in self._added else self._tree.read(path)

    def paths(self, side: Side) -> Sequence[str]:
        added = self._added.keys() if side == "after" else ()
        return sorted({*self._tree.paths(), *added})
