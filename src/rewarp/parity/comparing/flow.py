"""Call flow: from an entry to the kernels it launches, on both back ends.

Without types a call is resolved (one definition is meant), guessed (several may be, or the receiver is unknown) or
external (nothing in the tree defines it). Depth, width and size are bounded, and where a bound cut something off, the
node says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rewarp.errors import UsageError
from rewarp.parity.call_graph import Edge, Graph, Step
from rewarp.parity.cpp.reading.program import SUFFIXES as CPP_SUFFIXES
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.reading import sources
from rewarp.parity.units import Place

if TYPE_CHECKING:
    from rewarp.workspace import Tree

DEPTH = 8
_READ = (*CPP_SUFFIXES, ".rs", ".py", ".metal", ".wgsl", ".comp", ".cl", ".inc", ".ptx", ".cmake", ".toml")
_WIDTH = 12
_NODES = 1500
_CANDIDATES = 12


@dataclass(frozen=True)
class Node:
    """One function on the way to a kernel."""

    title: str
    edge: Edge
    call: Place
    definition: Place | None
    kernels: tuple[tuple[str, Place], ...] = ()
    children: tuple[Node, ...] = ()
    """The calls that lead to a kernel."""
    others: tuple[str, ...] = ()
    """Calls into the project from which no kernel was reached."""
    external: tuple[str, ...] = ()
    """Calls that nothing in the tree defines."""
    note: str = ""
    """What was cut off here, and why."""
    launches: bool = False
    """Whether a kernel is launched here or further down."""

    @property
    def other_calls(self) -> int:
        return len(self.others)


@dataclass(frozen=True)
class Flow:
    """One entry on both sides."""

    entry: str
    a: str
    b: str
    of_a: Node | None
    of_b: Node | None
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether both sides reach a kernel."""
        return all(node is not None and node.launches for node in (self.of_a, self.of_b))


def read(tree: Tree) -> tuple[dict[str, bytes], dict[str, str]]:
    """The sources of a tree, and those that could not be had, with the reason."""
    wanted = (path for path in tree.files() if path.endswith(_READ) or path.endswith("CMakeLists.txt"))
    return sources.read(tree, wanted)


def flow(
    files: Mapping[str, bytes], entry: str, a: str, b: str, depth: int = DEPTH, unread: Mapping[str, str] | None = None
) -> Flow:
    """Traces an entry on both back ends; raises UsageError where nothing, or too much, is called so."""
    if depth < 1:
        raise UsageError("--depth must be at least 1")
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself")
    for graph_a, graph_b in _graphs(files, a, b):
        starts_a, starts_b = graph_a.entries(entry), graph_b.entries(entry)
        if starts_a or starts_b:
            found = _traced(entry, a, b, graph_a, graph_b, starts_a, starts_b, depth)
            missing = f"{len(unread)} files were not read: what they define counts as external" if unread else ""
            return replace(found, notes=(*found.notes, missing)) if missing else found
    known = {name for one, other in _graphs(files, a, b) for graph in (one, other) for name in graph.names()}
    raise UsageError(f"nothing is called {entry!r} here{_near(entry, known)}")


def _graphs(files: Mapping[str, bytes], a: str, b: str) -> Iterable[tuple[Graph, Graph]]:
    """For each language that the tree has, the two sides' calls."""
    if any(path.endswith(".rs") for path in files):
        from rewarp.parity.rust.graph import graphs as rust_graphs

        yield rust_graphs(files, a, b)
    from rewarp.parity.cpp.graph import graphs as cpp_graphs
    from rewarp.parity.python.graph import graphs as python_graphs

    yield cpp_graphs(files, a, b)
    yield python_graphs(files, a, b)


def _near(entry: str, known: set[str]) -> str:
    last = entry.replace("::", ".").rpartition(".")[2]
    found = difflib.get_close_matches(last, sorted(known), n=6, cutoff=0.6)
    found += sorted(name for name in known if last.lower() in name.lower() and name not in found)[: 6 - len(found)]
    return f"; near it: {', '.join(found)}" if found else ""


def _traced(
    entry: str, a: str, b: str, graph_a: Graph, graph_b: Graph, starts_a: list[Step], starts_b: list[Step], depth: int
) -> Flow:
    notes: list[str] = []
    one = _start(entry, a, b, starts_a, notes)
    other = _start(entry, b, a, starts_b, notes)
    if one is None and other is not None:
        one = _counterpart(graph_a, other, a, notes)
    if other is None and one is not None:
        other = _counterpart(graph_b, one, b, notes)
    if one is None and other is None:
        elsewhere = ", ".join(_where(step) for step in [*starts_a, *starts_b][:_CANDIDATES])
        raise UsageError(f"{entry!r} is neither {a}'s nor {b}'s nor shared: {elsewhere}")
    of_a = _Tracer(graph_a, depth).trace(one) if one else None
    of_b = _Tracer(graph_b, depth).trace(other) if other else None
    return Flow(entry, a, b, of_a, of_b, tuple(notes))


def _start(entry: str, backend: str, other: str, steps: list[Step], notes: list[str]) -> Step | None:
    """The one function of a side that an entry means: its own before a shared one."""
    own = [step for step in steps if step.owner == backend]
    # Where the other back end has it under this very name, a shared function of the same name is something else.
    shared = [step for step in steps if step.owner is None]
    if not own and any(step.owner == other for step in steps) and not shared:
        return None
    found = list({(step.title, step.definition): step for step in own or shared}.values())
    titles = {step.title for step in found}
    if len(titles) > 1 and own and entry not in titles and "." in entry.replace("::", "."):
        # A method of a base class was named, and several classes of the back end have it.
        notes.append(f"{entry} on {backend}: {found[0].title}; also {', '.join(sorted(titles - {found[0].title}))}")
        return found[0]
    if len(titles) > 1 or len({step.definition and step.definition.path for step in found}) > 1:
        listed = "; ".join(_where(step) for step in found[:_CANDIDATES])
        more = f" and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
        raise UsageError(f"{entry!r} may mean several functions of {backend}: {listed}{more}; say which (Owner::name)")
    return found[0] if found else None


def _counterpart(graph: Graph, step: Step, backend: str, notes: list[str]) -> Step | None:
    """The other side's function: the same name but for the back end."""
    wanted = neutral(step.title)
    last = neutral(step.title.replace("::", ".").rpartition(".")[2])
    names = [name for name in graph.names() if neutral(name) == last and backend_of(name) in (backend, None)]
    found = [item for name in dict.fromkeys(names) for item in graph.entries(name) if item.owner == backend]
    exact = [item for item in found if neutral(item.title) == wanted] or found
    if not exact:
        notes.append(f"no function of {backend} corresponds to {step.title}")
        return None
    if len(exact) > 1:
        notes.append(f"{step.title} on {backend}: {exact[0].title} of {len(exact)} that correspond by name")
    else:
        notes.append(f"{step.title} on {backend}: {exact[0].title}, by name")
    return exact[0]


def _where(step: Step) -> str:
    place = step.definition or step.call
    return f"{step.title} ({place.path}:{place.line})"


class _Tracer:
    """One side, from its entry down."""

    def __init__(self, graph: Graph, depth: int) -> None:
        self.graph, self.depth = graph, depth
        self.left = _NODES
        self.seen: dict[tuple[str, str, int], bool] = {}
        """Functions that were met, and whether they lead to a launch; not yet, for one that is still followed."""

    def trace(self, step: Step, level: int = 0) -> Node:
        self.left -= 1
        if step.definition is None:
            return Node(step.title, step.edge, step.call, None)
        here = (step.title, step.definition.path, step.definition.line)
        if here in self.seen:
            leads = self.seen[here]
            return Node(step.title, step.edge, step.call, step.definition, note="as above", launches=leads)
        self.seen[here] = False
        kernels = tuple(dict.fromkeys(self.graph.kernels(step)))
        callees = self.graph.callees(step)
        external = tuple(dict.fromkeys(callee.title for callee in callees if callee.definition is None))
        inner = list({callee.title: callee for callee in reversed(callees) if callee.definition}.values())[::-1]
        notes: list[str] = []
        if level >= self.depth or self.left <= 0:
            if inner:
                notes.append(f"{len(inner)} calls not followed: " + ("depth" if level >= self.depth else "size"))
            inner = []
        traced = [self.trace(callee, level + 1) for callee in inner]
        # What was cut off may lead to a launch as well.
        leading = [node for node in traced if node.launches or node.children or "not followed" in node.note]
        if kernels or any(node.launches for node in leading):
            cut = [node for node in leading if not node.launches]
            leading = [node for node in leading if node.launches]
            if cut:
                notes.append(f"{len(cut)} calls not followed to the end")
        if len(leading) > _WIDTH:
            notes.append(f"{len(leading) - _WIDTH} more calls lead on: width")
        shown = tuple(sorted(leading, key=lambda node: not node.launches)[:_WIDTH])
        others = tuple(node.title for node in traced if node not in leading)
        self.seen[here] = bool(kernels) or any(node.launches for node in leading)
        return Node(
            title=step.title,
            edge=step.edge,
            call=step.call,
            definition=step.definition,
            kernels=kernels,
            children=shown,
            others=others,
            external=external,
            note="; ".join(notes),
            launches=self.seen[here],
        )
