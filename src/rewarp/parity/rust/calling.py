"""Who calls whom, for whoever draws the way from an entry to a kernel."""

from __future__ import annotations

from rewarp.parity.rust.facts import Function
from rewarp.parity.rust.follow import Frame
from rewarp.parity.rust.index import Edge
from rewarp.parity.rust.paths import Step
from rewarp.parity.rust.values import HOLE, Value
from rewarp.parity.rust.workspace import Workspace
from rewarp.parity.units import Place


class CallGraph:
    """The calls of one back end's build."""

    def __init__(self, workspace: Workspace, backend: str) -> None:
        self.index, self.backend = workspace.index, backend
        self._follower = workspace.follower(backend)
        self._frames: dict[Step, Frame] = {}

    def entries(self, name: str) -> list[Step]:
        """The functions that `matmul`, `CudaStorage::matmul` or `BackendStorage::matmul` may mean, dummies left out."""
        owner, _, own = name.rpartition("::")
        owner = owner.rpartition("::")[2]
        found = [*self.index.methods.get(own, ()), *self.index.free.get(own, ())]
        found += [
            f for ts in self.index.traits.values() for t in ts for f in t.functions if f.name == own and f.has_body
        ]
        fitting = [f for f in found if not owner or owner in (f.owner, f.trait) or owner in f.module]
        return [self._entry(f) for f in dict.fromkeys(fitting) if not self.index.is_dummy(f)]

    def _entry(self, function: Function) -> Step:
        place = Place(function.path, function.line, f"fn {function.name}")
        arguments = tuple(Value(subject=f"#{place}") for place in range(function.arity))
        receiver = Value(type=function.owner, subject="#-1") if function.takes_self else Value()
        return Step(Edge.RESOLVED, place, function, function.title, receiver, arguments)

    def callees(self, step: Step) -> list[Step]:
        """The calls that a function makes, in order, each with how sure it is whom it means."""
        return list(dict.fromkeys(self._frame(step).record.steps)) if step.function is not None else []

    def kernels(self, step: Step) -> list[tuple[str, Place]]:
        """The kernels that a function itself asks for, by name or by pattern, and where it launches."""
        if step.function is None:
            return []
        record = self._frame(step).record
        asked = [(ask.names[0].replace(HOLE, "*"), ask.chain[0]) for ask in record.asks if len(ask.chain) == 1]
        return [*dict.fromkeys(asked), *((place.text, place) for place in record.launches)]

    def _frame(self, step: Step) -> Frame:
        if step not in self._frames:
            assert step.function is not None
            self._follower.unit = step.function.name
            frame = Frame(self._follower, step.function, step.receiver, step.arguments, "", step.generics)
            frame.run()
            self._frames[step] = frame
        return self._frames[step]
