"""What parity says: units of two back ends of one code base, side by side, each with its evidence.

It is static parity: "implemented" means that the source holds a way that ends in the back end's own
code or kernel. It never means "works".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Status(Enum):
    """What one back end does for one unit; the best first."""

    IMPLEMENTED = "implemented"
    PARTIAL = "partial"
    """Some data types or branches end in an error."""
    CONDITIONAL_CPU = "conditional CPU fallback"
    CPU_ONLY = "CPU only"
    DEFAULT = "default"
    """Only what the trait or base class brings; nothing of the back end's own."""
    NO_OP = "no-op"
    STUB = "stub"
    ERROR = "always an error"
    MISSING = "missing"
    UNKNOWN = "unknown"
    """Could not be told; scores nothing."""

    @property
    def does_something(self) -> bool:
        """Whether a user gets a result that the back end itself computed, at least for some inputs."""
        return self in (Status.IMPLEMENTED, Status.PARTIAL, Status.CONDITIONAL_CPU)


@dataclass(frozen=True)
class Place:
    """A line of evidence."""

    path: str
    line: int
    text: str = ""
    """The line itself, or what stands there in a few words."""


@dataclass(frozen=True)
class Edges:
    """How the calls behind a verdict were followed."""

    resolved: int = 0
    guessed: int = 0
    external: int = 0


@dataclass(frozen=True)
class Side:
    """One back end's view of one unit."""

    status: Status
    why: str
    evidence: tuple[Place, ...] = ()
    """The call chain that shows it, outermost first."""
    dtypes: Mapping[str, Status] = field(default_factory=dict)
    """Status by data type over the call closure; empty where data types play no part."""
    kernels: tuple[str, ...] = ()
    """Kernels that the host code asks for."""
    missing_kernels: tuple[str, ...] = ()
    """Of these, the ones that exist nowhere."""
    edges: Edges = Edges()


@dataclass(frozen=True)
class Unit:
    """One thing that both back ends should do."""

    kind: str
    """`trait method`, `operation`, `kernel`, `match arm`, `virtual method`, `registry entry` …; scored kind by kind."""
    owner: str
    """The trait, interface, class, enum or file it belongs to."""
    name: str
    a: Side
    b: Side
    scored: bool = True
    """Fields and inherent methods are shown, not scored."""
    users: int = 0
    """How many places of the code base outside the back ends reach it: what users hit first."""

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.owner}::{self.name}"


@dataclass(frozen=True)
class Problem:
    """Something in scope that could not be read or seen through."""

    path: str
    line: int
    what: str
    blocks_score: bool = False
    """A parse error in scope, or a trait without any implementation: no score can be computed."""

    @property
    def is_time(self) -> bool:
        """Whether only more time is wanting."""
        return self.what.startswith(_OUT_OF_TIME)


_OUT_OF_TIME = "the time limit was reached"


def out_of_time(what: str, *, blocks_score: bool = True) -> Problem:
    """What was not compared before the time was over."""
    return Problem("", 0, f"{_OUT_OF_TIME} (--limit): {what} were not compared to the end", blocks_score)


@dataclass(frozen=True)
class Coverage:
    """How much of what a back end has the units stand for: a score of a handful says nothing about the rest."""

    what: str
    """`kernels`, `functions`, `classes` …: of the leading back end's own."""
    total: int
    seen: int
    unseen: tuple[str, ...] = ()
    """The first of those that no unit stands for."""

    @classmethod
    def of(cls, what: str, unseen_by_name: Mapping[str, bool]) -> Coverage:
        """From names, each with whether a unit stands for it."""
        unseen = [name for name, seen in unseen_by_name.items() if not seen]
        return cls(what, len(unseen_by_name), len(unseen_by_name) - len(unseen), tuple(unseen[:MOST_UNSEEN]))

    def __add__(self, other: Coverage) -> Coverage:
        unseen = (*self.unseen, *other.unseen)[:MOST_UNSEEN]
        return Coverage(self.what, self.total + other.total, self.seen + other.seen, unseen)


MOST_UNSEEN = 200
"""Names that are kept of what was not seen."""


class Analysis(NamedTuple):
    """What the analyser of one language says."""

    units: list[Unit]
    problems: list[Problem]
    found_by: list[str]
    """How the pairs were found."""
    coverage: list[Coverage]


@dataclass(frozen=True)
class Parity:
    """Two back ends of one tree, compared."""

    root: str
    a: str
    b: str
    units: tuple[Unit, ...]
    problems: tuple[Problem, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Files that should have been read and were not, with the reason (missing blob, not UTF-8, too large)."""
    found_by: tuple[str, ...] = ()
    """How the pairs were found: `trait BackendStorage: CudaStorage, RocmStorage (by name)`."""
    coverage: tuple[Coverage, ...] = ()
