"""The mender of files, told how Gaudi is asked for; and the proof, told of the gate that the port adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rewarp.errors import UnreadableSource
from rewarp.findings import Finding
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Outcome, Place
from rewarp.port.gaudi import opened
from rewarp.port.gaudi.gate import gate_change
from rewarp.port.gaudi.spelling import spellings
from rewarp.port.model import Gate, PortPhase
from rewarp.port.python.mending import FileMender, Mended
from rewarp.port.python.proof import Doubt, Proofs
from rewarp.port.tree import Tree

_NO_TORCH = "the file does not import torch at its top, so that nothing in it can tell the platform"


class GaudiMender(FileMender):
    """Mends one file for Gaudi. The gate goes before ``first``, the first place that any phase changes."""

    first = 0
    every: Mapping[str, PythonFix] = {}
    """The fixes of all phases."""

    def mend(self, findings: Sequence[Finding]) -> Mended:
        try:
            view = self._view(self.data)
        except UnreadableSource as error:
            return Mended(self.data, refused=[(finding, error.reason) for finding in findings])
        result = Mended(self.data, refused=[(finding, _NO_TORCH) for finding in findings])
        for way in spellings(view, self.context.gate, self.first):
            if result.done and way.edits:
                break  # one name for the gate is enough
            result.refused = []
            self._rounds(result, way, findings)
        return result

    def _outcome(self, place: Place) -> Outcome | None:
        return opened.mended(place, self.every)


class GaudiProofs(Proofs):
    """The tree before the port, and after it with the gate's own file."""

    def __init__(self, tree: Tree, gate: Gate | None) -> None:
        planned = gate_change(tree, gate, PortPhase.DETECTION) if gate else None
        self._tree = tree
        self._added = {planned.path: planned.after} if planned and planned.after is not None else {}

    def doubt(self, path: str, before: bytes, after: bytes) -> Doubt | None:
        """Asked of the file as it was before any phase: what an earlier one left names a gate that is new."""
        return super().doubt(path, self._tree.read(path) or b"", after)
