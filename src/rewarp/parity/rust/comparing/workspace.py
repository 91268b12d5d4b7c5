"""The two back ends of a workspace: who owns what, who stands beside whom, and the kernels that exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rewarp.parity.kernels import Inventory
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.rust.comparing.verdict import Account, account
from rewarp.parity.rust.following.follower import Follower
from rewarp.parity.rust.reading.cfg import folder_backend, gate_of, is_implementation
from rewarp.parity.rust.reading.facts import Function, Type
from rewarp.parity.rust.reading.index import Index
from rewarp.parity.rust.reading.std_methods import OF_ALL_TYPES
from rewarp.parity.units import Place, Side, Status

_CALLED = re.compile(rb"(?<!fn )\b(?:(\w+)(?:::<[^<>();]*>)?::)?([a-z_]\w*)(?:::<[^<>();]*>)?\(")
_MOST_CALLS = 100
"""More calls than this of a name that the standard library has as well are mostly the library's."""
_MOST_OWNERS = 8
"""More types than this that have a method of one name: a call of that name says little."""


@dataclass
class Workspace:
    """One tree under two back ends."""

    index: Index
    a: str
    b: str
    kernels: Mapping[str, Inventory]
    _followers: dict[str, Follower] = field(default_factory=dict)
    _users: Counter[str] | None = None

    def follower(self, backend: str) -> Follower:
        if backend not in self._followers:
            self._followers[backend] = Follower(self.index, backend, self._exists(backend), doubt=self._doubt(backend))
        return self._followers[backend]

    def _exists(self, backend: str) -> _Exists:
        return _Exists(self.kernels.get(backend))

    def _doubt(self, backend: str) -> Callable[[str], str]:
        found = self.kernels.get(backend)
        return found.doubt if found is not None else lambda name: ""

    def account(self, backend: str, functions: Iterable[Function], shared: frozenset[str] = frozenset()) -> Account:
        return account(self.follower(backend), tuple(functions), shared)

    def users(self, name: str, *owners: str) -> int:
        """How many calls outside the two back ends' own code a name has; a common name counts with its owner's only."""
        if self._users is None:
            self._users = Counter()
            for path, data in self.index.files.items():
                if path in self.index.facts and backend_of_path(self.index, path) is None:
                    for owner, called in _CALLED.findall(data):
                        self._users[called.decode()] += 1
                        if owner:
                            self._users[f"{owner.decode()}::{called.decode()}"] += 1
        if self._is_common(name, self._users[name]):
            return sum(self._users[f"{owner}::{name}"] for owner in dict.fromkeys(owners))
        return self._users[name]

    def _is_common(self, name: str, calls: int) -> bool:
        """Whether calls by the bare name are mostly those of others: `new`, `clone`."""
        if name in OF_ALL_TYPES and calls > _MOST_CALLS:
            return True
        return len({function.owner for function in self.index.methods.get(name, ())}) > _MOST_OWNERS

    def paired(self, types: Iterable[Type]) -> list[tuple[Type, Type | None]]:
        """Types of A, each with the type of B that has the same name but for the back end."""
        own = [kind for kind in types if not self.index.is_dummy(kind) and is_implementation(kind.path)]
        of_b: dict[str, Type] = {}
        for kind in own:
            if backend_of(kind.name) == self.b:
                of_b.setdefault(neutral(kind.name), kind)
        return [(kind, of_b.get(neutral(kind.name))) for kind in own if backend_of(kind.name) == self.a]


def backend_of_path(index: Index, path: str) -> str | None:
    """The back end that a whole file belongs to."""
    return folder_backend(path) or gate_of(index.condition(path))


@dataclass
class _Exists:
    """Whether a kernel exists: asked of what the sources define."""

    inventory: Inventory | None
    _known: dict[str, bool | None] = field(default_factory=dict)

    def __call__(self, name: str) -> bool | None:
        if name not in self._known:
            self._known[name] = self._look(name)
        return self._known[name]

    def _look(self, name: str) -> bool | None:
        found = self.inventory
        if found is None or not found.kernels or "\0" in name:
            # A back end without sources here has them elsewhere, or none: nobody can tell.
            return None
        if "*" in name:
            if not name.strip("*_"):
                return None
            return bool(found.matching(name)) or (None if found.opaque else False)
        if found.has(name):
            return True
        return None if found.is_unknown(name) else False


def missing(why: str, *evidence: Place) -> Side:
    return Side(Status.MISSING, why, evidence)


def present(why: str, *evidence: Place) -> Side:
    return Side(Status.IMPLEMENTED, why, evidence)
