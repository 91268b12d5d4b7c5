"""What `rewarp parity flow --json` writes as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from rewarp.parity.call_graph import Edge
from rewarp.schema import AtLeast, OneOf

Line = Annotated[int, AtLeast(1)]


class Place(TypedDict):
    path: str
    line: Line


class Kernels(Place):
    name: str


class Node(TypedDict):
    function: str
    edge: Annotated[str, "how sure it is whom the call means", OneOf(Edge)]
    call: Annotated[Place, "where the call stands; of the entry, where it is defined"]
    definition: Place | None
    kernels: Annotated[list[Kernels], "that it launches itself"]
    calls: Annotated[list[Node], "those that lead to a kernel"]
    other_calls: Annotated[int, "calls into the project from which no kernel was reached", AtLeast(0)]
    others: Annotated[list[str], "whom they call"]
    external: Annotated[list[str], "calls that nothing in the tree defines"]
    note: Annotated[str, "what was cut off here, and why"]


class Side(TypedDict):
    backend: str
    flow: Annotated[Node | None, "null where there is no such function"]


class Document(TypedDict):
    """The output of `rewarp parity flow --json`. Fields may be added within version 1; none is removed or changes its meaning."""

    schema: Literal["rewarp.parity-flow/1"]
    entry: str
    a: Side
    b: Side
    notes: list[str]
