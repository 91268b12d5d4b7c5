"""The mender of files, told how Gaudi is asked for; and the proof, told of the gate that the port adds."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from rewarp.errors import UnreadableSource
from rewarp.findings import Finding
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.port.changes import Gate, PortPhase
from rewarp.port.gaudi import flow, newly_reached
from rewarp.port.gaudi.gate import gate_change
from rewarp.port.gaudi.spelling import spellings
from rewarp.port.python.mending import FileMender, Mended
from rewarp.port.python.proof import Doubt, Proofs
from rewarp.port.tree import Tree
from rewarp.registry import Trait, is_about

_NO_TORCH = "the file does not import torch at its top, so that nothing in it can tell the platform"


class GaudiMender(FileMender):
    """Mends one file for Gaudi. The gate goes before ``first``, the first place that any phase changes."""

    first = 0
    every: Mapping[str, PythonFix] = {}
    """The fixes of all phases."""
    receivers: Mapping[str, str] = {}
    """What is tested for "cuda" only, by the name it goes under, and where."""

    def mend(self, findings: Sequence[Finding]) -> Mended:
        try:
            view = self._view(self.data)
        except UnreadableSource as error:
            return Mended(self.data, refused=[(finding, error.reason) for finding in findings])
        result = Mended(self.data, refused=[(finding, _NO_TORCH) for finding in findings])
        for way in spellings(view, self.context.gate, self.first, self.imports):
            if result.done and way.edits:
                break  # one name for the gate is enough
            result.refused = []
            self._rounds(result, way, findings)
        return result

    def _outcome(self, place: Place) -> Outcome | None:
        outcome = newly_reached.mended(place, self.every)
        if isinstance(outcome, Mend) and is_about(place.finding.rule, Trait.MAKES_DEVICE_STRING):
            return self._if_received(place, outcome)
        return outcome

    def _if_received(self, place: Place, outcome: Mend) -> Outcome:
        """A device string is changed where whoever tests it knows the other name: the whole way, or none of it."""
        node = next((node for node in place.nodes if isinstance(node, (ast.Constant, ast.JoinedStr))), None)
        name = flow.goes_to(place.document, node) if node is not None else flow.ANY
        if name is None or not self.receivers:
            return outcome
        where = next(iter(self.receivers.values())) if name == flow.ANY else self.receivers.get(name)
        if where is None:
            return outcome
        return Refused(f'{where} tests it for "cuda" and does not know "hpu": let that accept it first')


class GaudiProofs(Proofs):
    """The tree before the port, and after it with the gate's own file."""

    def __init__(self, tree: Tree, gate: Gate | None) -> None:
        planned = gate_change(tree, gate, PortPhase.DETECTION) if gate else None
        self._tree = tree
        self._added = {planned.path: planned.after} if planned and planned.after is not None else {}

    def doubt(self, path: str, before: bytes, after: bytes) -> Doubt | None:
        """Asked of the file as it was before any phase: what an earlier one left names a gate that is new."""
        return super().doubt(path, self._tree.read(path) or b"", after)
