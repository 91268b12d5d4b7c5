"""Call flow as text, side by side, as JSON and as a Mermaid chart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rewarp.escape import mermaid
from rewarp.parity.call_graph import Edge
from rewarp.parity.comparing.flow import Flow, Node
from rewarp.report.documents import parity_flow as documents

if TYPE_CHECKING:
    from rich.tree import Tree

    from rewarp.report.console import Console

SCHEMA: Final = "rewarp.parity-flow/1"
_WIDE = 150
"""Columns from which two trees fit side by side."""
_CALLS_SHOWN = 8
_PLACES_SHOWN = 4


def document(flow: Flow) -> documents.Document:
    return {
        "schema": SCHEMA,
        "entry": flow.entry,
        "a": {"backend": flow.a, "flow": None if flow.of_a is None else _node(flow.of_a)},
        "b": {"backend": flow.b, "flow": None if flow.of_b is None else _node(flow.of_b)},
        "notes": list(flow.notes),
    }


def render_json(flow: Flow) -> str:
    return json.dumps(document(flow), indent=1) + "\n"


def _node(node: Node) -> documents.Node:
    definition = node.definition
    return {
        "function": node.title,
        "edge": node.edge.value,
        "call": {"path": node.call.path, "line": node.call.line},
        "definition": {"path": definition.path, "line": definition.line} if definition else None,
        "kernels": [{"name": name, "path": place.path, "line": place.line} for name, place in node.kernels],
        "calls": [_node(child) for child in node.children],
        "other_calls": node.other_calls,
        "others": list(node.others),
        "external": list(node.external),
        "note": node.note,
    }


def show(flow: Flow, console: Console) -> None:
    from rich.columns import Columns
    from rich.table import Table

    trees = [(flow.a, _tree(flow.a, flow.of_a)), (flow.b, _tree(flow.b, flow.of_b))]
    if console.width >= _WIDE:
        table = Table(box=None, expand=True, show_header=False)
        for _ in trees:
            table.add_column(ratio=1, overflow="fold")
        table.add_row(*(tree for _, tree in trees))
        console.print(table)
    else:
        console.print(Columns([tree for _, tree in trees], width=max(console.width - 2, 20)))
    for note in flow.notes:
        console.print(note, style="dim")
    console.print(
        "→ resolved  ⇢ guessed  ▶ launch. Calls that lead to no launch are counted, not shown. Static: nothing was run.",
        style="dim",
    )


def _tree(backend: str, node: Node | None) -> Tree:
    from rich.tree import Tree

    from rewarp.report.console import Text

    root = Tree(Text(backend, style="bold"))
    if node is None:
        root.add(Text("no such function", style="red"))
    else:
        _grow(root, node)
        if not node.launches:
            called = [*node.others, *node.external]
            more = f" and {len(called) - _CALLS_SHOWN} more" if len(called) > _CALLS_SHOWN else ""
            calls = f"; it calls {', '.join(called[:_CALLS_SHOWN])}{more}" if called else ""
            root.add(Text(f"no kernel launch was reached{calls}", style="red"))
    return root


def _grow(tree: Tree, node: Node) -> None:
    from rewarp.report.console import Text

    arrow = "⇢" if node.edge is Edge.GUESSED else "→"
    line = Text(f"{arrow} {node.title} ")
    line.append(f"{node.call.path}:{node.call.line}", style="dim")
    rest = [f"{node.other_calls} other calls"] if node.other_calls else []
    rest += [f"{len(node.external)} external"] if node.external else []
    rest += [node.note] if node.note else []
    if rest:
        line.append(f" ({', '.join(rest)})", style="dim")
    branch = tree.add(line)
    for name, lines in _launches(node).items():
        launch = Text(f"▶ {name} ", style="green")
        launch.append(_shortened(lines), style="dim")
        branch.add(launch)
    for child in node.children:
        _grow(branch, child)


def _shortened(places: list[str]) -> str:
    """`a.cu:1, :2 and 3 more`: a file is named once."""
    file = places[0].rpartition(":")[0]
    shown = [places[0], *(place.removeprefix(file) for place in places[1:_PLACES_SHOWN])]
    more = f" and {len(places) - _PLACES_SHOWN} more" if len(places) > _PLACES_SHOWN else ""
    return ", ".join(shown) + more


def _launches(node: Node) -> dict[str, list[str]]:
    """The launches of one function, by kernel."""
    found: dict[str, list[str]] = {}
    for name, place in node.kernels:
        where = f"{place.path}:{place.line}"
        if where not in found.setdefault(name, []):
            found[name].append(where)
    return found


def render_mermaid(flow: Flow) -> str:
    """Two subgraphs; a guessed edge is dotted, a kernel has a rounded box."""
    lines = ["flowchart TD"]
    for side, backend, node in (("a", flow.a, flow.of_a), ("b", flow.b, flow.of_b)):
        lines.append(f'  subgraph side_{side}["{mermaid(backend)}"]')
        if node is None:
            lines.append(f'    {side}0["no such function"]')
        else:
            lines += [f"    {line}" for line in _Chart(side).lines(node)]
        lines.append("  end")
    return "\n".join(lines) + "\n"


class _Chart:
    def __init__(self, side: str) -> None:
        self.side = side
        self.known: dict[str, str] = {}

    def _name(self, title: str) -> tuple[str, bool]:
        """The chart's name for a box, and whether it is new."""
        new = title not in self.known
        return self.known.setdefault(title, f"{self.side}{len(self.known)}"), new

    def lines(self, node: Node) -> Iterable[str]:
        name, new = self._name(node.title)
        if new:
            yield f'{name}["{mermaid(node.title)}"]'
        for kernel, places in _launches(node).items():
            box, fresh = self._name(f"kernel {kernel}")
            if fresh:
                yield f'{box}(["{mermaid(kernel)}"])'
            yield f'{name} ==>|"{mermaid(places[0])}"| {box}'
        for child in node.children:
            yield from self.lines(child)
            arrow = "-.->" if child.edge is Edge.GUESSED else "-->"
            yield f'{name} {arrow}|"{mermaid(child.call.path)}:{child.call.line}"| {self._name(child.title)[0]}'
