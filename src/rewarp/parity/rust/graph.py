"""The call graph of a Rust workspace, for call flow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rewarp.parity.call_graph import Edge, Graph, Step
from rewarp.parity.rust import workspace_of
from rewarp.parity.rust.comparing.workspace import Workspace
from rewarp.parity.rust.following.follow import Frame
from rewarp.parity.rust.following.paths import Step as Call
from rewarp.parity.rust.following.values import HOLE, Value
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.units import Place


def graphs(files: Mapping[str, bytes], a: str, b: str) -> tuple[Graph, Graph]:
    workspace = workspace_of(files, a, b)
    return RustGraph(workspace, a), RustGraph(workspace, b)


class RustGraph:
    """The calls of one back end's build."""

    def __init__(self, workspace: Workspace, backend: str) -> None:
        self.graph = CallGraph(workspace, backend)

    def names(self) -> Iterable[str]:
        return {*self.graph.index.methods, *self.graph.index.free}

    def entries(self, name: str) -> list[Step]:
        return [self._step(found) for found in self.graph.entries(name)]

    def callees(self, step: Step) -> list[Step]:
        found = [self._own_method(step, found) or self._step(found) for found in self.graph.callees(step.what)]
        # A call on the line that names a kernel is how it is loaded and launched.
        launched = {(place.path, place.line) for _, place in self.kernels(step)}
        return [item for item in found if (item.call.path, item.call.line) not in launched]

    def _own_method(self, step: Step, found: Call) -> Step | None:
        """`storage.matmul(…)` inside a shared `matmul`: the back end's own `matmul`, as far as the name tells."""
        name = re.sub(r"(?<!\W)\W*\(.*", "", found.what).rpartition(".")[2].rpartition("::")[2]
        if found.function is not None or step.owner is not None or name != step.title.rpartition("::")[2]:
            return None
        own = [self._step(item) for item in self.graph.entries(name)]
        own = [item for item in own if item.owner == self.graph.backend]
        return replace(own[0], edge=Edge.GUESSED, call=found.place) if len(own) == 1 else None

    def kernels(self, step: Step) -> list[tuple[str, Place]]:
        found = self.graph.kernels(step.what)
        name = step.title.rpartition("::")[2]
        return found if step.owner else [item for item in found if item[0].rstrip("()") != name]

    def _step(self, found: Call) -> Step:
        function = found.function
        definition = Place(function.path, function.line, function.title) if function else None
        owner = self.graph.index.backend(function) if function else None
        return Step(found.what, found.edge, found.place, definition, owner, found)


class CallGraph:
    """The calls of one back end's build."""

    def __init__(self, workspace: Workspace, backend: str) -> None:
        self.index, self.backend = workspace.index, backend
        self._follower = workspace.follower(backend)
        self._frames: dict[Call, Frame] = {}

    def entries(self, name: str) -> list[Call]:
        """The functions that `matmul`, `CudaStorage::matmul` or `BackendStorage::matmul` may mean, dummies left out."""
        owner, _, own = name.rpartition("::")
        owner = owner.rpartition("::")[2]
        found = [*self.index.methods.get(own, ()), *self.index.free.get(own, ())]
        found += [
            f for ts in self.index.traits.values() for t in ts for f in t.functions if f.name == own and f.has_body
        ]
        fitting = [f for f in found if not owner or owner in (f.owner, f.trait) or owner in f.module]
        return [self._entry(f) for f in dict.fromkeys(fitting) if not self.index.is_dummy(f)]

    def _entry(self, function: Function) -> Call:
        place = Place(function.path, function.line, f"fn {function.name}")
        arguments = tuple(Value(subject=f"#{place}") for place in range(function.arity))
        receiver = Value(type=function.owner, subject="#-1") if function.takes_self else Value()
        return Call(Edge.RESOLVED, place, function, function.title, receiver, arguments)

    def callees(self, call: Call) -> list[Call]:
        """The calls that a function makes, in order, each with how sure it is whom it means."""
        return list(dict.fromkeys(self._frame(call).record.steps)) if call.function is not None else []

    def kernels(self, call: Call) -> list[tuple[str, Place]]:
        """The kernels that a function itself asks for, by name or by pattern, and where it launches."""
        if call.function is None:
            return []
        record = self._frame(call).record
        asked = [(ask.names[0].replace(HOLE, "*"), ask.chain[0]) for ask in record.asks if len(ask.chain) == 1]
        return [*dict.fromkeys(asked), *((place.text, place) for place in record.launches)]

    def _frame(self, call: Call) -> Frame:
        if call not in self._frames:
            assert call.function is not None
            self._follower.unit = call.function.name
            frame = Frame(self._follower, call.function, call.receiver, call.arguments, "", call.generics)
            frame.run()
            self._frames[call] = frame
        return self._frames[call]
