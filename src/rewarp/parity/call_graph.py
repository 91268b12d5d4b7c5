"""The call graph of one back end, as the analyser of each language gives it: for the way from an entry to its kernels.

Without types a call is resolved (one definition is meant), guessed (several may be, or the receiver is unknown) or
external (nothing in the tree defines it).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from rewarp.parity.units import Place


class Edge(Enum):
    """How sure it is whom a call means."""

    RESOLVED = "resolved"
    GUESSED = "guessed"
    EXTERNAL = "external"


@dataclass(frozen=True)
class Step:
    """A call, or the entry itself."""

    title: str
    """The function: `CudaStorage::matmul`."""
    edge: Edge
    call: Place
    """Where the call stands; of the entry, where it is defined."""
    definition: Place | None
    """None for an external one."""
    owner: str | None
    """The back end whose code it is."""
    what: Any = None
    """The graph's own handle."""


class Graph(Protocol):
    """The calls of one back end's build, in one language."""

    def entries(self, name: str) -> list[Step]: ...

    def callees(self, step: Step) -> list[Step]: ...

    def kernels(self, step: Step) -> list[tuple[str, Place]]:
        """What a function itself launches."""
        ...

    def names(self) -> Iterable[str]: ...
