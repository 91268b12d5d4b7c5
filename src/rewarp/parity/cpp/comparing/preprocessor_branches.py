"""One source for several back ends: functions whose body the preprocessor chooses.

`void copy(…) { #if defined(USE_CUDA) cudaMemcpy(…); #elif defined(USE_HIP) hipMemcpy(…); #endif }`: what is chosen for
either stands beside the other. Only what names the back end itself counts as its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.parity import deadline
from rewarp.parity.cpp.comparing.interfaces import side_of
from rewarp.parity.cpp.following.bodies import BodyVerdict, classify
from rewarp.parity.cpp.reading.declarations import CppFile, Function
from rewarp.parity.cpp.reading.program import Program, is_embedded, is_wanted, owner_of_path
from rewarp.parity.cpp.reading.reader import Readings
from rewarp.parity.cpp.reading.tokens import ELSE_UNKNOWN, END_UNKNOWN, IF_UNKNOWN, Macros, macros_of
from rewarp.parity.kernels.sources import names_backend
from rewarp.parity.names.backends import backend_of
from rewarp.parity.units import Status, Unit

_DEVICE = frozenset({"__device__", "__global__", "kernel", "__kernel"})
_RUNTIMES = {"cuda": re.compile(r"cu[A-Z]\w*|cub|nccl\w*|nv\w+"), "rocm": re.compile(r"roc[a-z]+\w*|rccl\w*|hsa_\w+")}
"""What a back end's own libraries call their functions, beside names with the back end in them."""
_Key = tuple[str, str, tuple[str, ...]]


def candidates(files: Mapping[str, bytes], a: str, b: str) -> list[str]:
    """Files of nobody's own that tell the two apart."""
    found = []
    for path, data in files.items():
        if is_wanted(path) and owner_of_path(path) is None and not is_embedded(data):
            text = b"\n".join(test["asked"] for test in CONDITION_LINE.finditer(data)).decode("latin-1")
            if names_backend(text, b) and (names_backend(text, a) or names_backend(data.decode("latin-1"), a)):
                found.append(path)
    return sorted(found)


def units(
    files: Mapping[str, bytes], a: Program, b: Program, readings: Readings, users: Mapping[str, int]
) -> tuple[list[Unit], list[str]]:
    """One unit for each function of such a file whose body differs, and is A's own for A."""
    found: list[Unit] = []
    for path in candidates(files, a.backend, b.backend):
        deadline.check()
        try:
            one = readings.read(path, files[path], _strict(a.backend, b.backend))
            # Who compiles the other's sources may be built with its switches set.
            shares = b.shares == a.backend
            other = readings.read(path, files[path], macros_of(b.backend) if shares else _strict(b.backend, a.backend))
        except UnreadableSource:
            continue
        if one is not other and one.tokens.unmatched is other.tokens.unmatched is None:
            found += _of_file(one, other, a, b, users)
    return found, [f"functions that the preprocessor chooses: {len(found)}"] if found else []


def _strict(backend: str, other: str) -> Macros:
    """Who is told apart from another is not built with the other's switches."""
    known: Callable[[str], bool | None] = macros_of(backend)
    return lambda name: False if backend_of(name) == other else known(name)


def _of_file(one: CppFile, other: CppFile, a: Program, b: Program, users: Mapping[str, int]) -> Iterator[Unit]:
    theirs = _functions(other)
    for key, function in _functions(one).items():
        twin = theirs.get(key)
        if a.backend in (backend_of(function.name), backend_of(function.owner)):
            continue  # by its name A's own
        if not _names(function, a.backend) or (twin is not None and _words(twin) == _words(function)):
            continue
        side = side_of(classify(a, function))
        chosen = side_of(_chosen(b, twin))
        reached = max(0, users.get(function.name, 0) - 1)  # its definition looks like a call
        yield Unit("conditional function", function.path, function.qualified, side, chosen, users=reached)


def _chosen(b: Program, twin: Function | None) -> BodyVerdict:
    if twin is None:
        return BodyVerdict(Status.UNKNOWN, f"what is compiled for {b.backend} does not define it", ())
    verdict = classify(b, twin)
    own = {b.backend, b.shares or b.backend}
    if verdict.status.does_something and not any(_names(twin, backend) for backend in own):
        return verdict._replace(status=Status.UNKNOWN, why=f"what is compiled for {b.backend} names nothing of its own")
    if verdict.status is Status.NO_OP:
        return verdict._replace(status=Status.UNKNOWN, why=f"does nothing where it is compiled for {b.backend}")
    return verdict


def _functions(file: CppFile) -> dict[_Key, Function]:
    """Those with a body that are not for kernels to call; of one that is there twice nothing is sure."""
    found: dict[_Key, Function] = {}
    twice: set[_Key] = set()
    for one in file.functions:
        if one.body is not None and not one.flags & _DEVICE:
            key = (one.owner, one.name, one.signature)
            twice |= {key} & found.keys()
            found[key] = one
    return {key: one for key, one in found.items() if key not in twice}


def _words(function: Function) -> list[str]:
    assert function.body is not None
    marks = (IF_UNKNOWN, ELSE_UNKNOWN, END_UNKNOWN)
    return [text for text in function.tokens.list[slice(*function.body)] if text not in marks]


def _names(function: Function, backend: str) -> bool:
    """Whether a body names something of a back end's own."""
    runtime = _RUNTIMES.get(backend)
    return any(backend_of(text) == backend or (runtime and runtime.fullmatch(text)) for text in _words(function))
