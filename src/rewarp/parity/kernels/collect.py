"""The kernels of one back end, gathered from every file that can hold one."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b

from rewarp.lang.cpp import conditions
from rewarp.lang.cpp.includes import Headers
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.lang.cpp.preprocessor import Resolve
from rewarp.parity import deadline
from rewarp.parity.kernels import other_languages
from rewarp.parity.kernels.definitions import CUDA, DIALECTS, Definitions
from rewarp.parity.kernels.inventory import ONLY_CUDA, How, Inventory, Kernel
from rewarp.parity.kernels.sharing import DONOR, TAKERS, Shared, says_what_is_built, shared
from rewarp.parity.kernels.sources import (
    BINARIES,
    C_FAMILY,
    WITH_STRINGS,
    is_build_file,
    is_test,
    language_of,
    names_backend,
    owner,
    suffix,
)
from rewarp.parity.kernels.unit import KernelSource
from rewarp.parity.units import Place, Problem, out_of_time
from rewarp.targets.rocm import ROCM

_ROOTS = frozenset({".cu", ".hip", ".metal", ".cl", ".mu"})
_UNNAMED = {"xpu": "SYCL", "cann": "Ascend C"}
"""Back ends whose kernels are lambdas or are built by a tool of their own: there is no name to find."""
_NVCC = re.compile(r"__CUDACC__|__NVCC__|__CUDA__")
_NO_KERNELS = re.compile(
    r"(?:PYBIND11|REGISTER|C10|AT|NB|CUTE|CUTLASS|BENCHMARK|TEST|EXPORT)_\w+|\w*TORCH_\w*|STATIC_ASSERT"
)
"""Macros of other libraries that are known to define no kernel."""
_OTHERS_HEADER = re.compile(r"(?:cu|hip|roc|nv|nccl|rccl|thrust|cub|cute|torch|ATen|c10|pybind11|std|math)", re.I)
"""Headers of toolkits and libraries: they define no kernels of this tree."""
_BEHIND_MACRO = re.compile(rb"^[ \t]*(?:[A-Z]\w*_)?KERNEL\w*[ \t]+void[ \t]+(\w+)[ \t]*\(", re.M)
_MOST_EVIDENCE = 40
_MOST_RECENT = 8


def inventory(files: Mapping[str, bytes], backend: str) -> Inventory:
    """The kernels that a back end's sources define, as its compiler would see them."""
    relevant = {path: data for path, data in sorted(files.items()) if _matters(path, data)}
    digest = blake2b(backend.encode())
    for path, data in relevant.items():
        for part in (os.fsencode(path), data):
            digest.update(len(part).to_bytes(8, "big") + part)
    # Every analyser asks, and most commits of a history touch no kernel.
    key = digest.digest()
    if key not in _recent:
        while len(_recent) >= _MOST_RECENT:
            del _recent[next(iter(_recent))]
        found = _counted(relevant, backend)
        if any(problem.is_time for problem in found.problems):
            return found
        _recent[key] = found
    return _recent[key]


_recent: dict[bytes, Inventory] = {}


def _matters(path: str, data: bytes) -> bool:
    """Whether a file holds kernels or macros, or says what is built."""
    if suffix(path) in C_FAMILY or language_of(path) or is_build_file(path):
        return True
    if suffix(path) not in WITH_STRINGS:
        return False
    return b".cu" in data or b"-D" in data or says_what_is_built(data) or other_languages.may_hold_kernels(data)


def _counted(files: Mapping[str, bytes], backend: str) -> Inventory:
    taken = shared(files, backend)
    gathered = _Gathered(files, backend, taken)
    gathered.read_sources()
    gathered.read_other_languages()
    gathered.read_strings()
    places = sorted(set(taken.files.values()), key=lambda place: (place.path, place.line))[:_MOST_EVIDENCE]
    return Inventory(
        backend,
        dict(sorted(gathered.kernels.items())),
        tuple(sorted(set(gathered.problems), key=lambda problem: (problem.path, problem.line, problem.what))),
        DONOR if taken.files else None,
        tuple(places),
        frozenset(taken.files),
        {posixpath.dirname(path): place for path, place in taken.untold.items() if path not in taken.files},
        gathered.elsewhere(),
        frozenset(gathered.opaque),
    )


class _Gathered:
    def __init__(self, files: Mapping[str, bytes], backend: str, taken: Shared) -> None:
        self.files, self.backend, self.taken = files, backend, taken
        self.kernels: dict[str, Kernel] = {}
        self.problems: list[Problem] = list(taken.problems)
        self.opaque: set[str] = set()
        self.dialect = DIALECTS.get(backend, CUDA)
        self.platform = _platform(backend, taken)
        self.folders = {part for path in files for part in path.split("/")[:-1]}
        self.resolve = _resolver(files, backend, bool(taken.files))
        if backend in _UNNAMED:
            self._hidden("", 0, f"kernels of {_UNNAMED[backend]} have no names that could be looked for")

    def read_sources(self) -> None:
        """C-family sources: what is compiled by itself first, then headers with kernels that nothing included."""
        reached: set[str] = set()
        markers = tuple(marker.encode() for marker in self.dialect.markers)
        roots = [path for path in sorted(self.files) if self._is_root(path)]
        # Those that hold kernels themselves go first: time may be short.
        roots.sort(key=lambda path: not any(marker in self.files[path] for marker in markers))
        for at, path in enumerate(roots):
            if deadline.is_over():
                self._unread(roots[at:], markers)
                return
            reached |= self._read_unit(path)
        for path in sorted(self.files):
            if deadline.is_over():
                self._unread([path], markers)
                return
            if path in reached or suffix(path) not in C_FAMILY or is_test(path) or not self._is_mine(path):
                continue
            if any(marker in self.files[path] for marker in markers) and "kernel" not in self.dialect.markers:
                self._read_unit(path)

    def _unread(self, paths: list[str], markers: tuple[bytes, ...]) -> None:
        """There was no time for these; names from those that hold kernels are unknown."""
        holding = [path for path in paths if any(marker in self.files[path] for marker in markers)]
        self.problems.append(
            out_of_time(f"{len(paths)} sources of {self.backend}'s kernels", blocks_score=bool(holding))
        )
        if holding:
            self.opaque.add("*")

    def _is_root(self, path: str) -> bool:
        if suffix(path) not in _ROOTS or is_test(path):
            return False
        if path in self.taken.files:
            return True
        return owner(path) == self.backend and (self.dialect is CUDA or language_of(path) == self.backend)

    def _is_mine(self, path: str) -> bool:
        if owner(path) is not None:
            return owner(path) == self.backend
        return self.backend == DONOR or names_backend(path, self.backend) or self._asks_for_me(path)

    def _asks_for_me(self, path: str) -> bool:
        """Whether a source that no back end owns names this one in a condition: `#if defined(X_CUDA) || defined(X_HIP)`."""
        tests = CONDITION_LINE.finditer(self.files[path]) if self.dialect is CUDA else ()
        asked = (test["asked"] for test in tests if not test["word"].endswith(b"ndef"))
        return any(names_backend(condition.decode("latin-1"), self.backend) for condition in asked)

    def elsewhere(self) -> dict[str, Place]:
        """Kernels behind a macro of the project's own, in sources that no back end owns."""
        found: dict[str, Place] = {}
        for path, data in sorted(self.files.items()):
            if suffix(path) in C_FAMILY and owner(path) is None and not is_test(path):
                for match in _BEHIND_MACRO.finditer(data):
                    line = data.count(b"\n", 0, match.start()) + 1
                    found.setdefault(
                        match[1].decode("latin-1"), Place(path, line, "behind a macro of the project's own")
                    )
        return found

    def _read_unit(self, path: str) -> set[str]:
        """Read one translation unit; the files that it reached."""
        return self._read(path, self.files, self._add, self.problems.append)

    def _read(
        self,
        path: str,
        files: Mapping[str, bytes],
        add: Callable[[Kernel], None],
        say: Callable[[Problem], None],
    ) -> set[str]:
        definitions = Definitions(self.dialect)
        unit = KernelSource(definitions, self.platform, self.resolve, files)
        unit.read(path)
        definitions.end(path)
        for kernel in definitions.kernels.values():
            if not self._is_only_another_s(kernel):
                add(kernel)
        for problem in [*definitions.problems, *(Problem(*one) for one in unit.unread)]:
            say(problem)
        self.opaque |= definitions.opaque | ({"*"} if unit.has_unknown_names else set())
        unseen = sorted(filter(self._is_of_the_tree, unit.unseen_includes))
        for where, token, words in definitions.calls if unseen else ():
            if words and not _NO_KERNELS.fullmatch(token.text):
                what = f"{token.text} is defined nowhere in the tree ({unseen[0]} is not there): kernels that it may"
                say(Problem(where, token.line, f"{what} define are not known"))
                self.opaque.update(words)
        return unit.reached

    def _is_only_another_s(self, kernel: Kernel) -> bool:
        """Whether a source that no back end owns defines it under a condition that names others only."""
        if owner(kernel.path) is not None or self.backend == DONOR:
            return False
        named = any(names_backend(kernel.condition, one) for one in (DONOR, *TAKERS) if one != self.backend)
        return named and not names_backend(kernel.condition, self.backend)

    def _is_of_the_tree(self, include: str) -> bool:
        """Whether an include that was not found looks like a file of this tree, not like one of a library."""
        folder = include.lstrip("./").rpartition("/")[0].partition("/")[0]
        return not _OTHERS_HEADER.match(include) and (not folder or folder in self.folders)

    def _add(self, kernel: Kernel) -> None:
        known = self.kernels.get(kernel.name)
        if known is None or (known.condition and not kernel.condition) or (kernel.is_symbol and not known.is_symbol):
            self.kernels[kernel.name] = kernel

    def _hidden(self, path: str, line: int, what: str) -> None:
        self.problems.append(Problem(path, line, what))
        self.opaque.add("*")

    def read_other_languages(self) -> None:
        readers: dict[str, Callable[[str, bytes], Iterable[Kernel]]] = {
            ".wgsl": other_languages.wgsl,
            ".comp": other_languages.glsl,
            ".ptx": other_languages.ptx,
        }
        for path, data in sorted(self.files.items()):
            if is_test(path) or language_of(path) != self.backend:
                continue
            if reader := readers.get(suffix(path)):
                for kernel in reader(path, data):
                    self._add(kernel)
            elif suffix(path) in BINARIES:
                self._hidden(path, 1, "compiled kernels: the names inside are not read")

    def read_strings(self) -> None:
        """Kernels in string literals that are compiled at run time."""
        for path, data in sorted(self.files.items()):
            if suffix(path) not in WITH_STRINGS or is_test(path):
                continue
            for code in other_languages.embedded(path, data):
                if _whose(code.text, owner(path)) == self.backend:
                    self._read_string(path, code)

    def _read_string(self, path: str, code: other_languages.Embedded) -> None:
        offset = code.line - 1

        def add(kernel: Kernel) -> None:
            self._add(replace(kernel, path=path, line=kernel.line + offset, how=How.STRING))

        if self.backend == "webgpu":
            for kernel in other_languages.wgsl(path, code.text.encode()):
                add(kernel)
            return
        inside = f"{path}:{code.line}"
        files = {**self.files, inside: code.text.encode()}
        self._read(
            inside, files, add, lambda said: self.problems.append(replace(said, path=path, line=said.line + offset))
        )


def _whose(text: str, path_owner: str | None) -> str | None:
    """The back end that code in a string is for: as its language says, or as the place where it stands."""
    if "__global__" not in text:
        return "webgpu" if "@compute" in text else "opencl" if "__kernel" in text else "metal"
    if "hip/hip_runtime.h" in text:
        return "rocm"
    return path_owner or DONOR


def _platform(backend: str, taken: Shared) -> conditions.Macros:
    """What the compiler of a back end defines; None where it is not decided."""

    def value(name: str) -> conditions.Macro:
        if name in taken.switches:
            return taken.switches[name]
        if name == "__cplusplus":
            return True
        if backend == "rocm":
            if ONLY_CUDA.fullmatch(name):
                return None if taken.has_unseen_build else False
            return ROCM.macro(name)
        if backend == "cuda":
            return True if _NVCC.fullmatch(name) else False if ROCM.macro(name) is True else None
        if backend == "metal":
            return True if name in ("__METAL__", "__METAL_VERSION__", "__APPLE__") else None
        return None

    return value


def _resolver(files: Mapping[str, bytes], backend: str, has_shared: bool) -> Resolve:
    """How an `#include` finds a file of the tree: beside the file first, then wherever the tree has such a path."""
    headers = Headers(files)
    friends = {None, backend, DONOR} if has_shared or backend == DONOR else {None, backend}
    known: dict[tuple[str, str], str | None] = {}

    def resolve(includer: str, name: str, quoted: bool) -> str | None:
        folder = posixpath.dirname(includer)
        key = (folder, name)
        if key not in known:
            known[key] = headers.beside(name, includer) or found(folder, name)
        return known[key]

    def found(folder: str, name: str) -> str | None:
        # Headers that stand in for the donor's own bear its names: whose they are, their folder says.
        others = TAKERS - {backend}
        candidates = [
            path
            for path in headers.namesakes(name)
            if (owner(path) in friends or suffix(path) not in C_FAMILY) and owner(posixpath.dirname(path)) not in others
        ]
        return min(
            candidates, key=lambda path: (owner(path) != backend, -_shared_depth(path, folder), path), default=None
        )

    return resolve


def _shared_depth(path: str, folder: str) -> int:
    depth = 0
    for one, two in zip(path.split("/"), folder.split("/"), strict=False):
        if one != two:
            break
        depth += 1
    return depth
