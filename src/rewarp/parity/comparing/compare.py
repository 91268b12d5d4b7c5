"""Two back ends of one tree, compared: which analysers apply, what they found, and what could not be read."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from rewarp.errors import UnreadableSource, UsageError
from rewarp.files import cache_folder
from rewarp.parity import deadline
from rewarp.parity.deadline import OutOfTime
from rewarp.parity.kernels import is_wanted
from rewarp.parity.names.backends import backend_of, canonical, in_paths, pair
from rewarp.parity.names.pairs import Pairs
from rewarp.parity.names.product import Product
from rewarp.parity.reading import sources
from rewarp.parity.reading.store import Progress, Store, using
from rewarp.parity.settings import Settings, load
from rewarp.parity.units import Analysis, Coverage, Parity, Problem, Side, Status, Unit, out_of_time
from rewarp.workspace import Tree

Analyse = Callable[[Mapping[str, bytes], str, str], Analysis]


@dataclass(frozen=True)
class Language:
    """Sources of one language, and the module that compares them."""

    name: str
    suffixes: tuple[str, ...]
    module: str

    def analyse(self) -> Analyse:
        found: Analyse = importlib.import_module(self.module).analyse
        return found


LANGUAGES = (
    Language("Rust", (".rs",), "rewarp.parity.rust"),
    Language("C++", (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cu", ".cuh", ".hip", ".m", ".mm"), "rewarp.parity.cpp"),
    Language("Python", (".py",), "rewarp.parity.python"),
)  # fmt: skip
_ALSO_READ = (".glsl", ".toml")
_BUILT_FOR_HIP = re.compile(rb"\b(?:USE_ROCM|USE_HIP|__HIP\w*|hip/hip_runtime\w*)\b")


def compare(
    tree: Tree,
    a: str | None = None,
    b: str | None = None,
    *,
    settings: Settings | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
    limit: float | None = None,
    progress: Progress = lambda done, total: None,
) -> Parity:
    """What back end B does of what back end A does; the settings of the tree say which, where nothing is given.

    ``limit``: seconds after which what was found by then is given, without a score."""
    settings = settings or load(tree)
    asked = [canonical(one) if one else None for one in (a or settings.a, b or settings.b)]
    if asked[0] and asked[0] == asked[1]:
        raise UsageError(f"{asked[0]} cannot be compared with itself")
    files, unread = sources.read(tree, (path for path in tree.files() if _is_read(path) and settings.takes(path)))
    product = Product.of(files)
    plain = product.masked(files)
    a, b, chosen = _sides(asked[0], asked[1], plain)
    pairs = Pairs.of(settings.pairs, a, b)
    masked = pairs.masked(plain)
    store = Store(cache_folder() if use_cache else None, jobs or os.cpu_count() or 1, progress)
    with contextlib.closing(store), _no_collector(), deadline.limited(limit):
        found = [product.unmasked(pairs.unmasked(_analysed(language, masked, a, b, store))) for language in LANGUAGES]
    units = list(map(shown_lacking, renamed(once([analysis.units for analysis in found]), settings.renames)))
    problems = [problem for analysis in found for problem in analysis.problems]
    return Parity(
        root=tree.name,
        a=a,
        b=b,
        units=tuple(sorted(told_apart(units), key=lambda unit: (unit.kind, unit.owner, unit.name))),
        problems=tuple(_in_order([*problems, *_unread_sources(unread, a, b)])),
        unread=dict(sorted(unread.items())),
        found_by=tuple(dict.fromkeys([*chosen, *(line for analysis in found for line in analysis.found_by)])),
        coverage=_joined(found),
    )


def _sides(a: str | None, b: str | None, files: Mapping[str, bytes]) -> tuple[str, str, list[str]]:
    """The two back ends, and how those were found that nobody asked for."""
    if a and b:
        return a, b, []
    has = in_paths(files)
    if "rocm" not in has and any(_BUILT_FOR_HIP.search(data) for data in files.values()):
        has["rocm"] = 1  # its code is CUDA's, read by HIP's compiler: no path says so
    one, other = pair(a, b, has)
    if {one, other} == {"cuda", "rocm"}:
        return one, other, []
    counts = ", ".join(f"{count} of {name}" for name, count in has.most_common())
    return one, other, [f"the back ends that paths name, --a and --b choose others: {counts}"]


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Facts hold no reference cycles, so the collector would only walk them in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_source(path: str) -> bool:
    return any(path.endswith(language.suffixes) for language in LANGUAGES)


def _is_read(path: str) -> bool:
    return _is_source(path) or path.endswith(_ALSO_READ) or is_wanted(path)


def _analysed(language: Language, files: Mapping[str, bytes], a: str, b: str, store: Store) -> Analysis:
    """What one language's analyser says; nothing where the tree has no file of it."""
    if not any(path.endswith(language.suffixes) for path in files):
        return Analysis([], [], [], [])
    digests = (
        blake2b(path.encode("utf-8", "surrogateescape") + b"\0" + data).digest() for path, data in sorted(files.items())
    )
    key = store.key(f"{language.module}.analyse", a, b, b"".join(digests))

    def analysed() -> Analysis:
        with using(store):
            return language.analyse()(files, a, b)

    try:
        return store.kept(key, analysed, lambda found: not any(one.is_time for one in found.problems))
    except OutOfTime:
        return Analysis([], [out_of_time(f"the {language.name} sources")], [], [])
    except Exception as error:
        # What it would have said is not known, so nothing may be scored; the other languages still are compared.
        what = str(error) if isinstance(error, UnreadableSource) else f"a defect of rewarp ({error!r})"
        return Analysis([], [Problem("", 0, f"the {language.name} sources were not compared: {what}", True)], [], [])


def _joined(analyses: Iterable[Analysis]) -> tuple[Coverage, ...]:
    """What all languages saw, by what it is."""
    found: dict[str, Coverage] = {}
    for one in (one for analysis in analyses for one in analysis.coverage if one.total):
        found[one.what] = found[one.what] + one if one.what in found else one
    return tuple(found.values())


def _unread_sources(unread: Mapping[str, str], a: str, b: str) -> Iterable[Problem]:
    """Sources that could not be had; one of either back end leaves nothing to score."""
    for path, reason in unread.items():
        if _is_source(path):
            blocks = any(backend_of(part) in (a, b) for part in path.split("/"))
            yield Problem(path, 0, f"not read: {reason}", blocks_score=blocks)


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Each once, those that block a score first."""
    return sorted(
        set(problems), key=lambda problem: (not problem.blocks_score, problem.path, problem.line, problem.what)
    )


def once(by_language: Iterable[list[Unit]]) -> list[Unit]:
    """Units of several languages; what one told of a file (kernels, mostly), a later one does not tell again."""
    units: list[Unit] = []
    for found in by_language:
        told = {(unit.kind, _file(unit)) for unit in units}
        units += [unit for unit in found if _file(unit) is None or (unit.kind, _file(unit)) not in told]
    return units


def _file(unit: Unit) -> str | None:
    """The file in which A does it."""
    return unit.a.evidence[-1].path if unit.a.evidence else None


def renamed(units: list[Unit], renames: Mapping[str, str]) -> list[Unit]:
    """Units that only A has, joined with those that only B has under the name that the settings give."""
    if not renames:
        return units
    only_b = {(unit.kind, unit.name): unit for unit in units if _is_missing(unit.a) and not _is_missing(unit.b)}
    joined: list[Unit] = []
    used: set[str] = set()
    for unit in units:
        twin = only_b.get((unit.kind, renames.get(unit.name, "")))
        if twin is not None and _is_missing(unit.b):
            used.add(twin.key)
            unit = replace(unit, b=twin.b, users=max(unit.users, twin.users))
        joined.append(unit)
    return [unit for unit in joined if unit.key not in used]


_NAMES_ALONE = frozenset({"twin function", "twin method", "twin class", "field", "inherent method"})
"""Kinds that nothing which both back ends stand behind asks for: what A has by a name B may have by another."""
_MAY_DO = (Status.MISSING, Status.NO_OP, Status.DEFAULT)


def shown_lacking(unit: Unit) -> Unit:
    """A unit whose name B lacks is a gap only where something that both stand behind asks for it; else it is unknown."""
    by_name = unit.kind in _NAMES_ALONE and unit.b.status is Status.MISSING
    if not unit.a.status.does_something or not (by_name or (not unit.scored and unit.b.status in _MAY_DO)):
        return unit
    why = f"{unit.b.why}; nothing that both stand behind asks for it: it may go by another name, or not be needed"
    return replace(unit, b=replace(unit.b, status=Status.UNKNOWN, why=why))


def _is_missing(side: Side) -> bool:
    return side.status is Status.MISSING


def told_apart(units: Iterable[Unit]) -> list[Unit]:
    """Units by keys that are theirs alone: those that share one get the file they stand in, and at last a number."""
    found = list(units)
    shared = Counter(unit.key for unit in found)
    seen: Counter[str] = Counter()
    apart = []
    for unit in found:
        places = (*unit.a.evidence, *unit.b.evidence)
        if shared[unit.key] > 1 and places:
            unit = replace(unit, owner=f"{unit.owner} ({places[0].path})")
        seen[unit.key] += 1
        apart.append(unit if seen[unit.key] == 1 else replace(unit, owner=f"{unit.owner} ({seen[unit.key]})"))
    return apart
