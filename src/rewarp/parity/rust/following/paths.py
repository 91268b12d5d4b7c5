"""Paths through a function body: which data types come through, by what the path has done, and which end in an error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rewarp.parity.call_graph import Edge
from rewarp.parity.rust.following.values import UNKNOWN, Generics, Value
from rewarp.parity.rust.reading.facts import Function
from rewarp.parity.units import Place

CPU = 1
"""The CPU's own code did it, or the whole storage was fetched."""
FETCHED = 2
SENT = 4
LAUNCHED = 8
UNSEEN = 16
"""Went through something that could not be seen through."""
NO_KERNEL = 32
"""Asked for a kernel that exists nowhere."""
CUT = 128
"""Called what was being followed already: such a way ends only where another does."""
WORKED = 64
"""Called anything at all."""

Live = dict[int, int]
"""Data types by what their ways have done."""


def is_cpu(done: int) -> bool:
    """Whether a way ends in work of the CPU, not of the device."""
    return not done & LAUNCHED and bool(done & CPU or (done & FETCHED and done & SENT))


def marked(live: Live, mark: int) -> Live:
    return merged(({done | mark: mask} for done, mask in live.items()))


def only(live: Live, dtypes: int) -> Live:
    return {done: mask & dtypes for done, mask in live.items() if mask & dtypes}


def merged(lives: Iterable[Live]) -> Live:
    found: Live = {}
    for live in lives:
        for done, mask in live.items():
            found[done] = found.get(done, 0) | mask
    return found


def after(live: Live, called: Live) -> Live:
    """The ways on after a call that itself has ways."""
    found: Live = {}
    for done, mask in live.items():
        for more, through in called.items():
            if mask & through:
                found[done | more] = found.get(done | more, 0) | (mask & through)
    return found


def reach(live: Live) -> int:
    """The data types that come through at all."""
    found = 0
    for mask in live.values():
        found |= mask
    return found


@dataclass(frozen=True)
class Exit:
    """A way that ends in an error."""

    dtypes: int
    chain: tuple[Place, ...]
    is_todo: bool = False
    is_impossible: bool = False
    """No arm takes the type: it cannot be there."""
    is_for_type: bool = False
    """The data type alone decides, whatever other ways it has."""


@dataclass(frozen=True)
class Gap:
    """A named case that always ends in an error: `ReduceOp::ArgMin`."""

    what: str
    dtypes: int
    chain: tuple[Place, ...]


@dataclass(frozen=True)
class Ask:
    """A kernel that host code asks for by name."""

    names: tuple[str, ...]
    """The spellings one of which has to exist."""
    dtypes: int
    exists: bool | None
    """None where nobody can tell."""
    chain: tuple[Place, ...]


@dataclass(frozen=True)
class Run:
    """What following a function found."""

    live: Live
    exits: tuple[Exit, ...] = ()
    gaps: tuple[Gap, ...] = ()
    asks: tuple[Ask, ...] = ()
    unseen: tuple[Place, ...] = ()
    told: int = 0
    """The data types that were named where the followed value was looked at."""
    looked_at: frozenset[str] = frozenset()
    """The parameters whose data type decides something."""
    tied: frozenset[frozenset[str]] = frozenset()
    """Parameters that must have the same data type."""
    equal: frozenset[frozenset[str]] = frozenset()
    """Of these, those that are compared, and that end in an error where they differ: one's types are the other's."""
    fetches: tuple[tuple[Place, ...], ...] = ()
    """Where the CPU comes in."""
    value: Value = UNKNOWN
    says_todo: bool = False
    edges: frozenset[tuple[str, str, int]] = frozenset()
    """Every call: how sure, what, line."""


@dataclass(frozen=True)
class Step:
    """One call that a function makes, with all that is known of what it hands over."""

    edge: Edge
    place: Place
    function: Function | None
    """None for a call into third-party code."""
    what: str
    receiver: Value = UNKNOWN
    arguments: tuple[Value, ...] = ()
    generics: Generics = frozenset()


@dataclass
class Record:
    """What is gathered while a function is followed."""

    exits: list[Exit] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    unseen: list[Place] = field(default_factory=list)
    fetches: list[tuple[Place, ...]] = field(default_factory=list)
    looked_at: set[str] = field(default_factory=set)
    tied: set[frozenset[str]] = field(default_factory=set)
    equal: set[frozenset[str]] = field(default_factory=set)
    edges: set[tuple[str, str, int]] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    """The calls of the function itself, in order."""
    launches: list[Place] = field(default_factory=list)
    """Where the function itself hands work to the device."""
    returned: list[Live] = field(default_factory=list)
    values: list[tuple[Value, int]] = field(default_factory=list)
    """What it gives back, for which data types."""
    told: int = 0
    says_todo: bool = False

    def take(self, run: Run, place: Place, dtypes: int) -> None:
        """All that a called function found, seen from here."""
        self.exits += [
            replace(e, dtypes=e.dtypes & dtypes, chain=(place, *e.chain)) for e in run.exits if e.dtypes & dtypes
        ]
        self.gaps += [
            replace(g, dtypes=g.dtypes & dtypes, chain=(place, *g.chain)) for g in run.gaps if g.dtypes & dtypes
        ]
        self.asks += [
            replace(a, dtypes=a.dtypes & dtypes, chain=(place, *a.chain)) for a in run.asks if a.dtypes & dtypes
        ]
        self.unseen += run.unseen
        self.fetches += [(place, *chain) for chain in run.fetches]
        self.looked_at |= run.looked_at
        self.tied |= run.tied
        self.equal |= run.equal
        self.edges |= run.edges
        self.told |= run.told

    def run(self, live: Live, value: Value) -> Run:
        return Run(
            live,
            _fewest(self.exits),
            _nearest(self.gaps),
            tuple(dict.fromkeys(self.asks))[:_MOST_ASKS],
            tuple(dict.fromkeys(self.unseen))[:_MOST],
            self.told,
            frozenset(self.looked_at),
            frozenset(self.tied),
            frozenset(self.equal),
            tuple({chain[-1]: chain for chain in reversed(self.fetches)}.values())[::-1][:_MOST],
            value,
            self.says_todo,
            frozenset(self.edges),
        )


_MOST = 24
_MOST_ASKS = 400


def _nearest(gaps: list[Gap]) -> tuple[Gap, ...]:
    """One gap for each case and place."""
    found: dict[object, Gap] = {}
    for gap in gaps:
        found.setdefault((gap.what, gap.chain[-1]), gap)
    return tuple(found.values())[:_MOST]


def _fewest(exits: list[Exit]) -> tuple[Exit, ...]:
    """Enough exits that every data type which has one keeps one, the nearest first."""
    kept: list[Exit] = []
    seen: dict[tuple[bool, bool], int] = {}
    for found in sorted(exits, key=lambda item: len(item.chain)):
        kind = (found.is_impossible, found.is_for_type)
        before = seen.get(kind, 0)
        if found.dtypes & ~before or len(kept) < _MOST // 4:
            kept.append(found)
            seen[kind] = before | found.dtypes
    return tuple(kept)
