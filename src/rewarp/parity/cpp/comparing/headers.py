"""Folders that are twins: a header of A's beside one of B's that has the same name but for whose it is.

`cuda/memory_resource.hpp` and `hip/memory_resource.hpp`, `nvidia/cudnn_binary.hpp` and `amd/miopen_binary.hpp`: what such a
header offers is compared by name, class by class and function by function.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from rewarp.parity.cpp.comparing.interfaces import Hierarchy, is_told, side_of
from rewarp.parity.cpp.following.bodies import BodyVerdict, classify, joined
from rewarp.parity.cpp.reading.declarations import Class, CppFile, Function
from rewarp.parity.cpp.reading.program import Program, owner_of_path
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.units import Place, Status, Unit

_HEADER = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_SOURCE = (".c", ".cc", ".cpp", ".cxx", ".cu", ".hip", ".m", ".mm")
_DRIVER = re.compile(r"[Cc]u(?=[A-Z][a-z])")
"""CUDA's short prefix: `CuMemAlloc` beside `HipMemAlloc`."""
_LANGUAGE = re.compile(r"(\.hip|\.cu|\.dp)?\.(h|hh|hpp|hxx|cuh|c|cc|cpp|cxx|cu|hip|m|mm)$", re.I)
_OWN_TYPE = re.compile(r"(?:float|double|half|int|long|short|char|bool|size_t|u?int\d+_t|signed)+\**")
_FOR_DEVICE = re.compile(r"__(device|global|kernel)\b")
_DEVICE = frozenset({"__device__", "__global__", "static", "friend", "typedef", "operator"})


def units(a: Program, b: Program, users: Mapping[str, int]) -> tuple[list[Unit], list[str]]:
    """One unit for each class and function that A's header of a pair offers."""
    ours, theirs = _files(a, _HEADER), _files(b, _HEADER)
    paired = [name for name in ours if name in theirs]
    classes_b, functions_b = _classes(b), _functions(b)
    helpers = _called_by_own(a)
    tree = Hierarchy(a)
    found: list[Unit] = []
    for name in paired:
        taken = _Taken(b, theirs[name])
        for file in ours[name]:
            for item in file.classes:
                if _is_offered(item.name) and item.methods and not item.arguments and not _has_interface(tree, item):
                    twins = classes_b.get(_plain(item.name)) or taken.classes(_plain(item.name))
                    found.append(_class_unit(a, b, item, twins, users))
                    found += _method_units(a, b, item, twins, users)
            offered: dict[str, list[Function]] = defaultdict(list)
            for function in file.functions:
                if not function.owner and not _is_device_s(a, function) and _is_offered(function.name):
                    offered[_plain(function.name)].append(function)
            for plain, overloads in offered.items():
                if _is_shared(a, overloads[0]):
                    continue
                others = functions_b.get(plain) or taken.functions(plain)
                found.append(_function_unit(a, b, overloads, others, users, helpers))
    found += _in_sources(a, b, functions_b, {unit.name for unit in found}, users)
    once = {unit.key: unit for unit in found}
    return list(once.values()), [f"headers that are twins: {len(paired)}"] if once else []


def _files(program: Program, suffixes: tuple[str, ...]) -> dict[str, list[CppFile]]:
    """The files of a back end's own, by their paths without whose they are."""
    found: dict[str, list[CppFile]] = defaultdict(list)
    for file in program.files:
        if owner_of_path(file.path) == program.backend and file.path.lower().endswith(suffixes):
            parts = _LANGUAGE.sub("", file.path).split("/")
            found["/".join(neutral(part) if backend_of(part) else part for part in parts)].append(file)
    return found


def _is_offered(name: str) -> bool:
    return len(name) > 2 and not name.isupper() and not name.startswith(("_", "~"))


def _is_shared(program: Program, function: Function) -> bool:
    """Whether a back end's header only declares what code of nobody's own defines."""
    bodies = [one for one in program.by_name.get(function.name, ()) if not one.owner]
    return bool(bodies) and all(owner_of_path(one.path) is None for one in bodies)


def _has_interface(tree: Hierarchy, item: Class) -> bool:
    """Whether a class implements what no back end owns: then its methods are compared one by one."""
    return any(
        owner_of_path(base.path) is None and any("virtual" in method.flags for method in base.methods)
        for base in tree.ancestors(item.name)
    )


def _is_device_s(program: Program, function: Function) -> bool:
    """Whether a function is for kernels to call, or only for its file; a macro of the tree may say so."""
    words = function.flags & program.macros.keys()
    return bool(function.flags & _DEVICE) or any(_FOR_DEVICE.search(program.macros[word].body) for word in words)


def _plain(name: str) -> str:
    if _DRIVER.match(name):
        plain = neutral(name[2:])
    else:
        plain = neutral(name) if backend_of(name) else name.lower()
    return plain.removesuffix("impl").rstrip("_") or plain


def _classes(program: Program) -> dict[str, list[Class]]:
    found: dict[str, list[Class]] = defaultdict(list)
    for name, items in program.classes.items():
        found[_plain(name)] += [item for item in items if owner_of_path(item.path) == program.backend]
    return found


def _functions(program: Program) -> dict[str, list[Function]]:
    """Functions of the back end's own by name, those with a body first: it has a header of its own for them, so that
    neither another back end's nor what all share is meant."""
    found: dict[str, list[Function]] = defaultdict(list)
    for file in program.files:
        if owner_of_path(file.path) == program.backend:
            for function in file.functions:
                if not function.owner:
                    found[_plain(function.name)].append(function)
    return {name: sorted(functions, key=lambda one: one.body is None) for name, functions in found.items()}


class _Taken:
    """What B's header of a pair brings from code that no back end owns, by including it: `../generic/array.h`."""

    def __init__(self, b: Program, headers: list[CppFile]) -> None:
        by_name: dict[str, list[CppFile]] = defaultdict(list)
        for file in b.files:
            if owner_of_path(file.path) is None:
                by_name[file.path.rpartition("/")[2]].append(file)
        self._files: dict[str, CppFile] = {}
        waiting = list(headers)
        while waiting:
            for name in waiting.pop().tokens.includes:
                for file in by_name.get(name, ()):
                    if file.path not in self._files:
                        self._files[file.path] = file
                        waiting.append(file)

    def classes(self, name: str) -> list[Class]:
        return [one for file in self._files.values() for one in file.classes if _plain(one.name) == name]

    def functions(self, name: str) -> list[Function]:
        found = [one for file in self._files.values() for one in file.functions if _plain(one.name) == name]
        return sorted((one for one in found if not one.owner), key=lambda one: one.body is None)


def _called_by_own(program: Program) -> frozenset[str]:
    """The functions that the back end's own code calls."""
    found: set[str] = set()
    for file in program.files:
        if owner_of_path(file.path) == program.backend:
            declared, texts = {one.at for one in file.functions}, file.tokens.list
            found.update(
                text for at, text in enumerate(texts) if at not in declared and texts[at + 1 : at + 2] in (["("], ["<"])
            )
    return frozenset(found)


def _is_public(path: str, name: str, users: Mapping[str, int], helpers: frozenset[str] = frozenset()) -> bool:
    """Whether code of no back end needs it: it calls it, or the header is what the project installs and the back end's own
    code does not call it. The rest are a back end's own helpers, which another need not have."""
    return users.get(name, 0) > 0 or ("include" in path.split("/") and name not in helpers)


def _class_unit(a: Program, b: Program, item: Class, twins: list[Class], users: Mapping[str, int]) -> Unit:
    missing = BodyVerdict(Status.MISSING, f"{b.backend} has no class that corresponds to {item.name}", ())
    sides = side_of(_class(a, item)), side_of(_class(b, twins[0]) if twins else missing)
    return Unit("twin class", item.path, _plain(item.name), *sides, _is_public(item.path, item.name, users))


def _method_units(a: Program, b: Program, item: Class, twins: list[Class], users: Mapping[str, int]) -> Iterator[Unit]:
    """The methods that code of no back end calls, where both have a class of one name, so that this code may mean either."""
    twin = next((one for one in twins if one.name == item.name), None)
    for name in dict.fromkeys(one.name for one in item.methods) if twin else ():
        if users.get(name, 0) and name not in (item.name, "operator") and _is_offered(name):
            sides = (side_of(_method(program, item.name, name)) for program in (a, b))
            one, other = sides
            yield Unit("twin method", item.name, name, one, other, is_told(one, other), users[name])


def _method(program: Program, owner: str, name: str) -> BodyVerdict:
    bodies = [one for one in program.by_name.get(name, ()) if one.owner == owner and program.owns(one.path)]
    if not bodies:
        return BodyVerdict(Status.MISSING, f"{program.backend}'s {owner} has no {name}", ())
    return joined([(one.qualified, classify(program, one)) for one in bodies])


def _in_sources(
    a: Program, b: Program, functions_b: Mapping[str, list[Function]], told: Container[str], users: Mapping[str, int]
) -> Iterator[Unit]:
    """The functions of sources that are twins: `cuda/math.cu` and `hip/math.hip`; scored where code of no back end calls them."""
    theirs = _files(b, _SOURCE)
    for name, files in _files(a, _SOURCE).items():
        overloads = Counter(one.name for file in files for one in file.functions if one.body and not one.owner)
        for function in (one for file in files if name in theirs for one in file.functions):
            plain = _plain(function.name)
            if function.owner or function.body is None or plain in told or _is_device_s(a, function):
                continue
            if not _is_offered(function.name):
                continue
            others = _nearest(function, functions_b.get(plain, ()), {file.path for file in theirs[name]})
            missing = BodyVerdict(
                Status.MISSING, f"{b.backend} has no function that corresponds to {function.name}", ()
            )
            sides = side_of(classify(a, function)), side_of(_overloads(b, others, [function]) if others else missing)
            reached = users.get(function.name, 0)
            title = f"{plain}({', '.join(function.signature)})" if overloads[function.name] > 1 else plain
            yield Unit("twin function", function.path, title, *sides, is_told(*sides) and reached > 0, reached)


def _nearest(function: Function, others: Iterable[Function], twins: Container[str]) -> list[Function]:
    """Those with a body first, then those of the twin file, then those with the very parameters: overloads differ."""
    return sorted(
        others, key=lambda one: (one.body is None, one.path not in twins, one.signature != function.signature)
    )


def _class(program: Program, item: Class) -> BodyVerdict:
    """A class does something where one of its methods does."""
    place = Place(item.path, item.line, item.name)
    bodies = [
        one
        for one in program.functions
        if one.owner == item.name and owner_of_path(one.path) in (program.backend, None)
    ]
    verdicts = [classify(program, one) for one in bodies]
    if any(one.status.does_something for one in verdicts):
        return BodyVerdict(Status.IMPLEMENTED, f"{item.name} has methods that do work", (place,))
    if not verdicts:
        return BodyVerdict(Status.UNKNOWN, f"no body of a method of {item.name} was found", (place,))
    return verdicts[0]._replace(evidence=(place, *verdicts[0].evidence))


def _function_unit(
    a: Program,
    b: Program,
    ours: list[Function],
    others: list[Function],
    users: Mapping[str, int],
    helpers: frozenset[str],
) -> Unit:
    function = ours[0]
    own = next((one for one in a.by_name.get(function.name, ()) if a.owns(one.path) and not one.owner), function)
    missing = BodyVerdict(Status.MISSING, f"{b.backend} has no function that corresponds to {function.name}", ())
    sides = side_of(classify(a, own)), side_of(_overloads(b, others, ours) if others else missing)
    scored = is_told(*sides) and _is_public(function.path, function.name, users, helpers)
    return Unit("twin function", function.path, _plain(function.name), *sides, scored, users.get(function.name, 0))


def _overloads(b: Program, others: list[Function], ours: list[Function]) -> BodyVerdict:
    """B's function; a part of it where A's header has overloads for which B has none that could take the same: of that many
    parameters, and, where A's are of C++'s own types, of these."""
    verdict = classify(b, others[0])
    lost = [one for one in ours if not any(_takes(other, one) for other in others)]
    if verdict.status is Status.IMPLEMENTED and lost:
        there = len(ours) - len(lost)
        if not there and len(others) >= len(ours):
            return verdict._replace(why=f"{verdict.why}, with other parameters")
        why = f"has {there} of {len(ours)} overloads; not ({', '.join(lost[0].signature)})"
        return verdict._replace(status=Status.PARTIAL, why=why)
    return verdict


def _takes(other: Function, one: Function) -> bool:
    wanted, there = one.signature, other.signature
    if len(there) < len(wanted):
        return False
    if other.is_template or not all(map(_OWN_TYPE.fullmatch, wanted)):
        return True
    return there[: len(wanted)] == wanted
