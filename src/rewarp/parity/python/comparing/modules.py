"""Modules of back ends that stand for each other: one name bound to either, or files of one name in the back ends' folders.

`self._kernels = kernels_gpu` here and `self._kernels = kernels_cl` there: what is taken from `_kernels` both must have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewarp.parity.names.backends import neutral
from rewarp.parity.python.following.follower import Follower
from rewarp.parity.python.reading.facts import ModuleFacts, owner_of
from rewarp.parity.units import Coverage, Place, Side, Status, Unit

_LIBRARIES = {
    "cupy": "cuda", "cupyx": "cuda", "pycuda": "cuda", "skcuda": "cuda", "pyopencl": "opencl", "dpnp": "xpu", "dpctl": "xpu",
    "mlx": "metal", "torch_npu": "cann", "habana_frameworks": "hpu", "torch_musa": "musa", "wgpu": "webgpu", "hip": "rocm",
}  # fmt: skip
"""Whose library it is."""


class _Pair(NamedTuple):
    """Two files that stand for each other, and why."""

    a: str
    b: str
    where: Place | None = None
    """Where one name is bound to both; None for files that only their names pair."""
    called: tuple[str, str] = ("", "")
    """The function of either that the name is bound to; empty where it is bound to the modules."""


def owner_of_module(module: ModuleFacts) -> str | None:
    """The back end that a file is of: by its path, else by whose library alone it imports."""
    known = {_LIBRARIES[name] for name in module.libraries if name in _LIBRARIES}
    return owner_of(module.path, "") or (known.pop() if len(known) == 1 else None)


class Modules:
    """The modules of two back ends, file by file."""

    def __init__(self, follower: Follower, files: Mapping[str, bytes], a: str, b: str) -> None:
        self._follower, self._files, self._a, self._b = follower, files, a, b
        self._known = follower.tree.modules
        self._owners = {path: owner_of_module(module) for path, module in self._known.items()}
        self._shared = {path for path, owner in self._owners.items() if owner is None}
        self.found_by: list[str] = []

    def units(self) -> Iterator[Unit]:
        """Each function once: what one name asks of both first."""
        told: set[tuple[str, str]] = set()
        for pair, names in self._bound():
            self.found_by.append(f"modules {pair.a} and {pair.b}, bound to one name")
            yield from self._of_pair(pair, names, told)
        calls = self._calls()
        for one, other in self._twins():
            pair = _Pair(one, other)
            there = self._known[other].functions
            names = {name: calls[name] for name in self._known[one].functions if name in there and name[:1] != "_"}
            if names:
                self.found_by.append(f"modules {one} and {other}, by their names")
            yield from self._of_pair(pair, names, told)

    def coverage(self, units: list[Unit]) -> Coverage:
        """The public functions of A's own modules; those that code with units in it names are reached by it."""
        places = {(place.path, place.line) for unit in units for place in unit.a.evidence}
        files, words = self.named(units)
        seen: dict[str, bool] = {}
        for path, module in sorted(self._known.items()):
            for name, body in module.functions.items() if self._owners[path] == self._a else ():
                if name[:1] != "_" and name != "main":
                    is_reached = words[name.encode()] > (path in files)
                    is_unit = any((path, line) in places for line in (body.line, module.lines.get(name, 0)))
                    seen[f"{name} ({path})"] = is_unit or is_reached
        return Coverage.of("functions", seen)

    def named(self, units: list[Unit]) -> tuple[set[str], Counter[bytes]]:
        """A's own files with units in them, and the words that stand there."""
        paths = {place.path for unit in units for place in unit.a.evidence}
        files = {path for path in paths if self._owners.get(path) == self._a}
        return files, Counter(word for path in files for word in re.findall(rb"[A-Za-z_]\w*", self._files[path]))

    def _calls(self) -> Counter[str]:
        """What code of nobody's own calls, by name."""
        return Counter(
            name.decode()
            for path in self._shared
            for name in re.findall(rb"(?<!def )\b([A-Za-z_]\w*)[ \t]*[(\[]", self._files[path])
        )

    def _bound(self) -> Iterator[tuple[_Pair, Mapping[str, int]]]:
        """Pairs of modules that one name in shared code is bound to, with what is taken from that name."""
        for path in sorted(self._shared):
            for name, targets in self._known[path].bound.items():
                owned: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
                for target, line in targets.items():
                    source, _, last = target.partition(":")
                    for file in self._follower.tree.files(path, source, last):
                        owned[self._owners[file] or ""].setdefault(file, (last, line))
                if len(owned[self._a]) != 1 or len(owned[self._b]) != 1:
                    continue
                ((one, (mine, line)),), ((other, (theirs, _)),) = owned[self._a].items(), owned[self._b].items()
                is_function = mine in self._known[one].functions
                called = (mine, theirs) if is_function else ("", "")
                taken = Counter({mine: 1}) if is_function else self._taken_from(path, name)
                yield _Pair(one, other, Place(path, line, name), called), taken

    def _taken_from(self, path: str, name: str) -> Counter[str]:
        """The attributes of a name in its file, and of an attribute of that name in all shared files."""
        here = re.findall(rb"\b%s\.([A-Za-z_]\w*)" % name.encode(), self._files[path])
        others = re.compile(rb"\b(?:self|cls)\.%s\.([A-Za-z_]\w*)" % name.encode())
        here += [one for file in self._shared - {path} for one in others.findall(self._files[file])]
        return Counter(one.decode() for one in here)

    def _twins(self) -> Iterator[tuple[str, str]]:
        """Files whose paths differ in whose they are, and in nothing else."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for path in self._known:
            if owner_of(path, "") in (self._a, self._b):
                plain = "/".join(neutral(part) for part in path.removesuffix(".py").split("/"))
                found[plain][str(self._owners[path])].append(path)
        for owned in found.values():
            if len(owned[self._a]) == 1 and len(owned[self._b]) == 1:
                yield owned[self._a][0], owned[self._b][0]

    def _of_pair(self, pair: _Pair, names: Mapping[str, int], told: set[tuple[str, str]]) -> Iterator[Unit]:
        for name, users in names.items():
            if (pair.a, name) in told or name not in self._known[pair.a].functions:
                continue
            told.add((pair.a, name))
            twin = pair.called[1] or self._twin(pair.b, name)
            if twin not in self._known[pair.b].functions and owner_of("", name) == self._a:
                continue  # by its name A's own: what B has in its place nothing tells
            kind = "bound function" if pair.where else "twin function"
            a, b = self._side(pair.a, name, self._a, pair.where), self._side(pair.b, twin, self._b, pair.where)
            yield Unit(kind, pair.a, name, a, b, scored=users > 0, users=users)

    def _twin(self, path: str, name: str) -> str:
        """A function by the same name, but for whose it is."""
        there = self._known[path].functions
        return name if name in there else next((one for one in there if neutral(one) == neutral(name)), name)

    def _side(self, path: str, name: str, backend: str, where: Place | None) -> Side:
        module = self._known[path]
        above = (where,) if where else ()
        body = self._follower.called(path, name) if name in module.functions else None
        if body is not None:
            place = Place(path, module.lines.get(name, body.line), name)
            return Side(body.status, f"{name} {body.why}", (*above, place))
        if module.names & {name, "*"}:
            return Side(Status.UNKNOWN, f"{path} has {name} from elsewhere", above)
        why = f"{path} has no {name}; whether the code gets there on {backend} is not known"
        return Side(Status.UNKNOWN, why, above)
