"""Base classes with an implementation for each back end: methods side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from rewarp.parity.names.backends import backend_of, neutral, words
from rewarp.parity.python.comparing.operations import chosen_units
from rewarp.parity.python.following.follower import Follower
from rewarp.parity.python.following.hierarchy import Hierarchy
from rewarp.parity.python.reading.facts import ClassFacts, Method, owner_of
from rewarp.parity.python.reading.operation_choices import Table
from rewarp.parity.units import Place, Side, Status, Unit

_FEW = 3
_WORKS = "has a body that does work"
_CHANGES = {"cuda": frozenset({"rocm"})}
"""PyTorch's ROCm builds answer to `torch.cuda`: a class for CUDA may serve them."""
Families = dict[str, dict[str, list[ClassFacts]]]


class Comparison:
    """Two back ends of one project."""

    def __init__(self, follower: Follower, a: str, b: str, users: Mapping[str, int]) -> None:
        self.follower, self.a, self.b, self.users = follower, a, b, users
        self.tree: Hierarchy = follower.tree
        self.units: list[Unit] = []
        self.found_by: list[str] = []
        self._told: set[tuple[tuple[str, str], ...]] = set()

    def run(self) -> None:
        for base, by_backend in self._bases().items():
            if self.a not in by_backend:
                continue
            ones, others = by_backend[self.a], by_backend.get(self.b, [])
            if others:
                self._paired(base, ones, others)
            elif len(by_backend) > 1:
                self._absent(base, ones)

    def _bases(self) -> dict[ClassFacts, dict[str, list[ClassFacts]]]:
        """For each base class that no back end owns, the last classes of each back end that derive from it."""
        owners = {item: owner_of(item.path, item.name) for classes in self.tree.by_name.values() for item in classes}
        inner = {base for item, owner in owners.items() if owner for base in self.tree.bases(item)}
        found: dict[ClassFacts, dict[str, list[ClassFacts]]] = defaultdict(lambda: defaultdict(list))
        for item, owner in owners.items():
            if owner is None or item in inner:
                continue
            for base in self.tree.ancestors(item):
                if owners.get(base) is None and base.methods:
                    found[base][owner].append(item)
        return found

    def _paired(self, base: ClassFacts, ones: list[ClassFacts], others: list[ClassFacts]) -> None:
        by_name: dict[str, tuple[list[ClassFacts], list[ClassFacts]]] = defaultdict(lambda: ([], []))
        for side, classes in enumerate((ones, others)):
            for item in classes:
                by_name[neutral(item.name)][side].append(item)
        pairs = {name: pair for name, pair in by_name.items() if all(pair)}
        if not pairs and len(ones) <= _FEW and len(others) <= _FEW and all(map(_named, (*ones, *others))):
            pairs = {neutral(base.name): (ones, others)}
        for name, (mine, theirs) in pairs.items():
            owner = base.name if len(pairs) == 1 else f"{base.name} ({name})"
            names = ", ".join(item.name for item in (*mine, *theirs))
            known = len(self.units)
            self._methods(owner, base, mine, theirs)
            if len(self.units) > known:
                self.found_by.append(f"class {base.name} ({base.path}): {names}")

    def _methods(self, owner: str, base: ClassFacts, ones: list[ClassFacts], others: list[ClassFacts]) -> None:
        """The methods that the base class declares, and once for each pair those that it does not."""
        found = [
            Unit("method", owner, name, *self._both(base, ones, others, name, True), users=self.users.get(name, 0))
            for name in dict.fromkeys(method.name for method in base.methods if _is_public(method.name))
        ]
        if all(unit.a.status is unit.b.status is Status.DEFAULT for unit in found):
            found = []  # a mixin that neither back end touches
        self.units += found
        pair = tuple(sorted({(item.path, item.name) for item in (*ones, *others)}))
        if pair in self._told:
            return
        self._told.add(pair)
        above = {method.name for item in (*ones, *others) for base in self.tree.ancestors(item) for method in base.methods
                 if owner_of(base.path, base.name) is None}  # fmt: skip
        extra = dict.fromkeys(method.name for item in ones for method in item.methods if _is_public(method.name))
        for name in extra:
            if name not in above:
                side_a, side_b = self._both(base, ones, others, name, False)
                self.units.append(Unit("own method", ones[0].name, name, side_a, side_b, scored=False))
        if len(ones) == len(others) == 1:
            members: tuple[Method | Table, ...] = (*ones[0].methods, *ones[0].tables)
            for name in dict.fromkeys(one.name for one in members if _is_public(one.name)):
                self.units += chosen_units(self.follower, owner, ones[0], others[0], name)

    def _both(
        self, base: ClassFacts, ones: list[ClassFacts], others: list[ClassFacts], name: str, declared: bool
    ) -> tuple[Side, Side]:
        a, b = self._joined(base, ones, name, declared), self._joined(base, others, name, declared)
        if a.status.does_something and b.status is Status.DEFAULT and b.why.endswith(_WORKS):
            # Its own or what it inherits: both do the work.
            b = replace(b, status=Status.IMPLEMENTED, why=b.why.replace("only ", "inherits ", 1))
        return a, b

    def _joined(self, base: ClassFacts, classes: list[ClassFacts], name: str, declared: bool) -> Side:
        """Several classes of one back end: what all of them do, or partial where only some do it."""
        sides = [(item, self._side(base, item, name, declared)) for item in classes]
        does = [pair for pair in sides if pair[1].status.does_something]
        lacks = [pair for pair in sides if not pair[1].status.does_something]
        if does and lacks:
            item, other = lacks[0]
            why = f"only in {', '.join(one.name for one, _ in does)}; {item.name}: {other.why}"
            return Side(Status.PARTIAL, why, (*does[0][1].evidence, *other.evidence))
        order = list(Status)
        return max(sides, key=lambda pair: order.index(pair[1].status))[1]

    def _side(self, base: ClassFacts, item: ClassFacts, name: str, declared: bool) -> Side:
        found = self.tree.lookup(item, name)
        here = Place(item.path, item.line, f"class {item.name}")
        if found is None:
            why = f"{item.name} has no {name}" if not declared else f"{item.name} only hands {name} on"
            return Side(Status.MISSING, why, (here,))
        holder, method = found
        body = self.follower.followed(holder.path, item, method.body)
        evidence: tuple[Place, ...] = (here, Place(holder.path, method.line, f"{holder.name}.{name}"))
        if body.line != method.line:
            evidence = (*evidence, Place(holder.path, body.line, body.why))
        if owner_of(holder.path, holder.name) is not None:
            return Side(body.status, f"{holder.name}.{name} {body.why}", evidence)
        if holder is not base and base not in self.tree.ancestors(holder) and holder not in self.tree.ancestors(base):
            return Side(body.status, f"from the mixin {holder.name}: {body.why}", evidence)
        if method.abstract:
            return Side(Status.MISSING, f"{item.name} leaves {holder.name}.{name} abstract", evidence)
        fails = body.status in (Status.ERROR, Status.STUB)
        status = body.status if fails else Status.DEFAULT
        return Side(status, f"only {holder.name}.{name}, which {body.why}", evidence)

    def _absent(self, base: ClassFacts, ones: list[ClassFacts]) -> None:
        """B has no class of a family that several back ends have: does it use A's?"""
        for item in ones:
            place = Place(item.path, item.line, f"class {item.name}")
            side_a = Side(Status.IMPLEMENTED, f"{item.name} derives from {base.name}", (place,))
            user = self._user_of(item)
            if user is not None:
                side_b = Side(Status.IMPLEMENTED, f"{self.b} uses {item.name}", (user, place))
            elif self.b in _CHANGES.get(self.a, ()):
                why = f"no class of {self.b}; PyTorch for {self.b} answers to torch.{self.a}, so {item.name} may serve"
                side_b = Side(Status.UNKNOWN, why)
            else:
                side_b = Side(Status.MISSING, f"no class of {self.b} derives from {base.name}")
            self.units.append(Unit("class", base.name, neutral(item.name), side_a, side_b))

    def _user_of(self, item: ClassFacts) -> Place | None:
        """A file of B's that names a class of A's."""
        for path, module in self.tree.modules.items():
            if item.name in module.mentions and owner_of(path, "") == self.b:
                return Place(path, module.mentions[item.name], item.name)
        return None


def _named(item: ClassFacts) -> bool:
    """Whether a class says whose it is by its own name, or its file by nothing else."""
    stem = item.path.removesuffix(".py").rpartition("/")[2]
    return backend_of(item.name) is not None or stem in words()


def _is_public(name: str) -> bool:
    return not name.startswith("_")
