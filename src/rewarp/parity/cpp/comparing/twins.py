"""What code outside the back ends declares and each back end defines for itself: methods, functions, specialisations.

`Abs::eval_gpu` is declared once and defined in `backend/cuda` and in `backend/metal`; `ParallelFor<…, Cuda>` and
`ParallelFor<…, HIP>` are one template's specialisations. Overloads are units of their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from typing import NamedTuple

from rewarp.parity.cpp.comparing.interfaces import is_told, side_of
from rewarp.parity.cpp.following.bodies import BodyVerdict, classify
from rewarp.parity.cpp.reading.declarations import Class, CppFile, Function
from rewarp.parity.cpp.reading.expressions import call_at
from rewarp.parity.cpp.reading.program import Program, owner_of_path, root_of
from rewarp.parity.names.backends import backend_of, corresponding, neutral
from rewarp.parity.units import Place, Side, Status, Unit

_DEVICE = frozenset({"__device__", "__global__", "kernel", "__kernel", "static"})
_HEADER = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_DEFINES = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")
_FOR_ALL = frozenset(
    "common generic shared default base core device gpu any all impl detail util utils include src".split()
)
"""Folders whose code back ends take, as their names go."""


class Key(NamedTuple):
    """What makes two definitions the same; overloads differ by their parameters."""

    owner: str
    name: str
    parameters: tuple[str, ...]


def units(a: Program, b: Program, users: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each function that nobody's header declares and A, or what A and B share, defines."""
    declared = _declared(a)
    ours, theirs = _definitions(a, declared), _definitions(b, declared)
    own = {key for key, found in ours.items() if any(a.owns(one.path) for one in found)}
    theirs |= _counterparts(a.backend, ours, b.backend, theirs)
    # Methods, and functions, that B has none of are nothing that it takes part in.
    part = {bool(key.owner) for key in own if any(b.owns(one.path) for one in theirs.get(key, ()))}
    own = {key for key in own if bool(key.owner) in part}
    if not own:
        return _specialisations(a, b)
    # A method that some classes have from the back end and others from code that both share is one family.
    families = {key.name for key in own if key.owner}
    rivals = _Rivals(a, b)
    # What a header declares that A's own sources include, and code calls that both share, B should have.
    named = Counter(one.name for file in a.files if owner_of_path(file.path) is None for one in file.functions)
    certain = _declared(a, _included(a), _macros_of_one(a, b))
    asked = {key for key in certain if users.get(key.name, 0) > named[key.name]}
    shared = {key for key in ours if key.owner and key.name in families and key in theirs}
    neither = {key for key in ours if backend_of(key.owner) not in (None, a.backend, b.backend)}
    wanted = [key for key in ours if key in own or (key in shared - neither and not rivals.are(ours[key]))]
    only_a = _only(a, b)
    found = [
        Unit(
            "function" if not key.owner else "method definition",
            key.owner,
            _title(key, wanted),
            *(sides := _both(a, ours[key], b, theirs.get(key, []), only_a, rivals, key in asked)),
            is_told(*sides) and (key in theirs or backend_of(key.owner) != a.backend),
            users.get(key.name, 0),
        )
        for key in sorted(wanted)
    ]
    more, by = _specialisations(a, b)
    return [*found, *more], [f"declared once, defined by each back end: {len(found)} functions", *by]


def _both(
    a: Program,
    ones: list[Function],
    b: Program,
    others: list[Function],
    only_a: frozenset[str],
    rivals: _Rivals,
    is_asked: bool,
) -> tuple[Side, Side]:
    side_a = _defined(a, ones, frozenset())
    if not others and not is_asked:
        why = f"nothing that {b.backend} compiles defines it, and no code that both surely compile calls it"
        return side_of(side_a), side_of(BodyVerdict(Status.UNKNOWN, why, ()))
    is_own = any(a.owns(one.path) for one in ones)
    found = rivals.instead(others) if is_own and others and not any(b.owns(one.path) for one in others) else None
    if not others and (like := _alike(b, ones[0])):
        why = f"{b.backend} has {like.qualified}, which may be the same by another name"
        found = BodyVerdict(Status.UNKNOWN, why, (like.place,))
    return side_of(side_a), side_of(found or _defined(b, others, only_a))


def _alike(b: Program, wanted: Function) -> Function | None:
    """A function of B's own by the same name, of a class whose name says the same: `Encoder` for `EncoderImpl`, or with other
    parameters; or one of nobody's own with as many, that all may use where they have none."""
    owner = wanted.owner.removesuffix("Impl")
    for one in b.by_name.get(wanted.name, ()):
        like = one.owner.removesuffix("Impl") == owner and not one.flags & _DEVICE
        as_many = owner_of_path(one.path) is None and len(one.parameters) == len(wanted.parameters)
        if like and (as_many or b.owns(one.path)):
            return one
    return None


class _Rivals:
    """Folders beside A's that hold one more back end, by another name: `naive`, `arm_common`, `fallback`."""

    def __init__(self, a: Program, b: Program) -> None:
        self._b = b
        roots = {root_of(file.path) for file in a.files if a.owns(file.path)}
        self._around = {root.rpartition("/")[0] for root in roots if backend_of(root.rpartition("/")[2])} - {""}
        self._included = {name for file in b.files if b.owns(file.path) for name in file.tokens.includes}

    def instead(self, functions: list[Function]) -> BodyVerdict | None:
        """What B does where A has a definition of its own and B none: one that nobody owns stands in for builds without A;
        in a folder beside A's it is another back end's, unless B includes from there."""
        folders = sorted({folder for one in functions if (folder := self._folder(one.path))})
        if not folders or any(one.path.lower().endswith(_HEADER) for one in functions):
            return None
        if self.are(functions) and self._included.isdisjoint(one.path.rpartition("/")[2] for one in functions):
            why = f"only {folders[0]}, which stands beside the back ends, has one besides"
            return BodyVerdict(Status.MISSING, why, (functions[0].place,))
        why = f"{self._b.backend} has none of its own, and whether it takes that of {folders[0]} is not known"
        return BodyVerdict(Status.UNKNOWN, why, (functions[0].place,))

    def are(self, functions: list[Function]) -> bool:
        """Whether all of them lie in folders that are back ends by their place, and not by their name for all."""
        folders = [self._folder(one.path).lower() for one in functions]
        return all(folder and folder not in _FOR_ALL for folder in folders)

    def _folder(self, path: str) -> str:
        """The folder beside A's that a file lies in."""
        around = next((one for one in sorted(self._around, key=len, reverse=True) if path.startswith(one + "/")), None)
        rest = path[len(around) + 1 :].split("/") if around else [path]
        return rest[0] if len(rest) > 1 else ""


def _counterparts(
    a: str, ours: Mapping[Key, list[Function]], b: str, theirs: Mapping[Key, list[Function]]
) -> dict[Key, list[Function]]:
    """For methods of classes that say that they are A's own, those of the classes that say the same of B: `HipTimer::wait`
    for `CudaTimer::wait`; of overloads, the one with such parameters, or the only one with as many."""
    named: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in theirs:
        if backend_of(key.owner) == b:
            named[corresponding(key.owner), corresponding(key.name)].append(key)
    found = {}
    for key in ours:
        if backend_of(key.owner) == a and key not in theirs:
            several = named.get((corresponding(key.owner), corresponding(key.name)), [])
            plain = [list(map(corresponding, one.parameters)) for one in several]
            wanted = list(map(corresponding, key.parameters))
            same = [one for one, parameters in zip(several, plain, strict=True) if parameters == wanted]
            same = same or [one for one in several if len(one.parameters) == len(wanted)]
            if len({one.owner for one in several}) == len(same) == 1:
                found[key] = theirs[same[0]]
    return found


def _title(key: Key, keys: Iterable[Key]) -> str:
    several = sum(one.owner == key.owner and one.name == key.name for one in keys) > 1
    return f"{key.name}({', '.join(key.parameters)})" if several else key.name


def _macros_of_one(a: Program, b: Program) -> set[str]:
    """The macros that A's own files define, and nothing that B compiles."""
    ours = {name for file in a.files if a.owns(file.path) for name in _DEFINES.findall(file.tokens.source.view)}
    theirs = {name for file in b.files for name in _DEFINES.findall(file.tokens.source.view)}
    return {name.decode() for name in ours - theirs}


def _declared(
    program: Program, among: Container[str] | None = None, without: Collection[str] = frozenset()
) -> set[Key]:
    """What headers that no back end owns declare and do not define; those of some names alone, where they are given, and
    nothing that only some macros bring."""
    own = {
        name
        for name, classes in program.classes.items()
        if any(item.arguments and program.owns(item.path) for item in classes)
    }
    found: set[Key] = set()
    for file in program.files:
        if owner_of_path(file.path) is None and file.path.lower().endswith(_HEADER):
            if among is not None and file.path.rpartition("/")[2] not in among:
                continue
            for function in file.functions:
                is_plain = function.body is None and "pure" not in function.flags and backend_of(function.name) is None
                # What the back end specialises is compared as a whole.
                if is_plain and function.owner not in own and function.name not in (function.owner, "operator"):
                    if not without or function.tokens.needed(function.at).isdisjoint(without):
                        found.add(_key(function))
    return found


def _included(program: Program) -> set[str]:
    """The names of the headers that the back end's own sources include, and that these do: what another back end's own
    headers declare is nothing that it could define."""
    by_name: dict[str, list[CppFile]] = defaultdict(list)
    for file in program.files:
        if file.path.lower().endswith(_HEADER):
            by_name[file.path.rpartition("/")[2]].append(file)
    found: set[str] = set()
    waiting = [file for file in program.files if owner_of_path(file.path) == program.backend]
    while waiting:
        for name in waiting.pop().tokens.includes:
            if name not in found and name in by_name:
                found.add(name)
                waiting += by_name[name]
    return found


def _key(function: Function) -> Key:
    return Key(function.owner, function.name, function.signature)


def _definitions(program: Program, declared: set[Key]) -> dict[Key, list[Function]]:
    """The definitions that this back end compiles: its own, or, where it has none, what no back end owns."""
    found: dict[Key, list[Function]] = defaultdict(list)
    for function in program.functions:
        key = _key(function)
        if key in declared and not function.flags & _DEVICE and not function.name.startswith("~"):
            owner = owner_of_path(function.path)
            if owner is None or program.owns(function.path):
                found[key].append(function)
    # One program has one definition of each function: a source that defines what the back end's own sources define is
    # what builds without the back end compile.
    others = {
        one.path
        for functions in found.values()
        if any(program.owns(own.path) for own in functions)
        for one in functions
        if not program.owns(one.path) and not one.path.lower().endswith(_HEADER)
    }
    for key, functions in found.items():
        compiled = [one for one in functions if one.path not in others]
        found[key] = [one for one in compiled if program.owns(one.path)] or compiled
    return {key: functions for key, functions in found.items() if functions}


def _only(a: Program, b: Program) -> frozenset[str]:
    """Functions that A defines and nothing that B compiles does."""
    return frozenset(
        name
        for name, functions in a.by_name.items()
        if name not in b.by_name and all(a.owns(function.path) for function in functions)
    )


def _defined(program: Program, functions: list[Function], out_of_reach: frozenset[str]) -> BodyVerdict:
    if not functions:
        return BodyVerdict(Status.MISSING, f"nothing that {program.backend} compiles defines it", ())
    found = []
    for function in functions:
        verdict = classify(program, function)
        lost = None if program.owns(function.path) else _unreachable(function, out_of_reach)
        if lost is not None and verdict.status.does_something:
            why = f"the code that all share calls {lost.text}, which {program.backend} does not define"
            verdict = BodyVerdict(Status.MISSING, why, (function.place, lost))
        found.append((function.qualified, verdict))
    # One of several is compiled: beside the real one, those for builds without the back end.
    order = list(Status)
    return min((verdict for _, verdict in found), key=lambda verdict: order.index(verdict.status))


def _unreachable(function: Function, names: frozenset[str]) -> Place | None:
    """The first call of a function that is out of reach."""
    assert function.body is not None
    for index in range(*function.body):
        if function.tokens.list[index] in names and call_at(function.tokens, index, function.body[1]):
            return Place(function.path, function.tokens.line(index), function.tokens.list[index])
    return None


def _specialisations(a: Program, b: Program) -> tuple[list[Unit], list[str]]:
    """One unit for each specialisation of a class for A, where B has some of the same class."""
    ones, others = _special(a), _special(b)
    shared = {name for name, _ in ones} & {name for name, _ in others}
    known = {""}
    for classes in others.values():
        known |= {_neutral(word) for one in classes for part in one.arguments for word in _WORD.findall(part)}
    found = []
    for (name, arguments), classes in sorted(ones.items()):
        if name not in shared:
            continue
        twin = others.get((name, arguments))
        side_a = _class(classes[0])
        side_b = _class(twin[0]) if twin else _without(b, name, [key for key in others if key not in ones])
        words = [(word, _neutral(word)) for part in classes[0].arguments for word in _WORD.findall(part)]
        lone = next((word for word, plain in words if not (twin or plain in known or word in b.classes)), None)
        if lone is not None:
            why = f"{b.backend} specialises nothing for {lone}, which may be of one back end alone"
            side_b = BodyVerdict(Status.UNKNOWN, why, ())
        title = f"<{', '.join(part or '·' for part in arguments)}>"
        # A type that says that it is A's own, and that B has no counterpart of, is nothing that B could specialise for.
        scored = lone is None or backend_of(lone) != a.backend
        found.append(Unit("specialisation", name, title, side_of(side_a), side_of(side_b), scored))
    return found, [f"specialisations: {', '.join(sorted({unit.owner for unit in found})[:12])}"] if found else []


def _without(b: Program, name: str, left: list[tuple[str, tuple[str, ...]]]) -> BodyVerdict:
    """B has no such specialisation; one of those that A does not have may be it, by another name."""
    if any(other == name for other, _ in left):
        return BodyVerdict(Status.UNKNOWN, f"{b.backend} has {name} for other arguments: it may go by another name", ())
    return BodyVerdict(Status.MISSING, f"{b.backend} has no {name} for the same arguments", ())


def _special(program: Program) -> dict[tuple[str, tuple[str, ...]], list[Class]]:
    found: dict[tuple[str, tuple[str, ...]], list[Class]] = defaultdict(list)
    for name, classes in program.classes.items():
        for item in classes:
            named = [word for part in item.arguments for word in _WORD.findall(part)]
            if any(backend_of(word) == program.backend for word in named) and backend_of(name) is None:
                found[name, tuple(map(_neutral, item.arguments))].append(item)
    return found


def _neutral(argument: str) -> str:
    """An argument without back ends, qualifiers and what it calls its parameters."""
    words = _WORD.findall(re.sub(r"\w+\s*::", "", argument))
    return " ".join(neutral(word) if backend_of(word) else word for word in words).strip()


def _class(item: Class) -> BodyVerdict:
    text = f"{item.name}<{', '.join(item.arguments)}>"
    return BodyVerdict(Status.IMPLEMENTED, "is a specialisation of its own", (Place(item.path, item.line, text),))
