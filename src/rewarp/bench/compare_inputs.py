"""What is compared: results from files of any kind, and which of them belong together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.bench import json_file
from rewarp.bench.comparability import Likeness, checks
from rewarp.bench.compare_repeats import one_of
from rewarp.bench.derive import derive
from rewarp.bench.result import SCHEMA, Result
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError

_MARK = b'"%b"' % SCHEMA.encode()
_LOOKED_AT = 4096
_TABLES = frozenset(
    "warm_up outliers left_out time_s tokens_per_s tflops_per_device mean_interval median_interval loss memory_bytes "
    "power_w samples_per_s tokens_per_s_per_device".split()
)
_NUMBERS = frozenset("used total_s total_tokens first_step last_step first last mean median low high min max".split())
_WORDS = frozenset("basis why method interval_unknown".split())


@dataclass(frozen=True)
class Run:
    """One result under the name that tables give it."""

    label: str
    source: str
    """The file it came from."""
    result: Result
    file: str
    """What tables call that file."""
    benchmark: str
    """What tables call the result within it."""


@dataclass(frozen=True)
class Benchmark:
    """The same benchmark in several runs, the baseline first."""

    name: str
    kind: str
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Unmatched:
    """A result that was held against nothing."""

    label: str
    why: str
    result: Result


@dataclass(frozen=True)
class Input:
    """A file and what it holds."""

    label: str
    source: str
    results: tuple[Result, ...]


def read(
    paths: Sequence[str],
    read_log: Callable[[str], Iterable[Result]],
    baseline: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Input]:
    """Every file, with statistics, the baseline first: a file of our schema, or what ``read_log`` makes of it."""
    paths = list(paths)
    inside = baseline is not None and baseline not in paths and not os.path.exists(baseline)
    if baseline is not None and not inside:
        where = os.path.abspath(baseline)
        paths = [baseline, *(path for path in paths if os.path.abspath(path) != where)]
    found = []
    for place, (label, path) in enumerate(zip(_labels(paths), paths)):
        progress(place, len(paths))
        found.append(Input(label, path, tuple(results_in(path, read_log))))
        if not found[-1].results:
            raise UsageError(f"{path} holds no result")
    if len(found) == 1:
        found = _each_alone(found[0])
    return _baseline_first(found, baseline) if inside and baseline is not None else found


def _baseline_first(inputs: list[Input], baseline: str) -> list[Input]:
    chosen = [item for item in inputs if baseline in (item.label, item.results[0].name)]
    if len(chosen) != 1:
        names = ", ".join(item.label for item in inputs)
        raise UsageError(f"--baseline {baseline}: no file, and not the name of exactly one of {names}")
    return [*chosen, *(item for item in inputs if item is not chosen[0])]


def results_in(path: str, read_log: Callable[[str], Iterable[Result]]) -> Iterable[Result]:
    """Results in a file, with statistics: one of our schema, or what ``read_log`` makes of it."""
    if not is_ours(path):
        yield from read_log(path)
        return
    for result in json_file.load(path):
        if result.series.step and result.series.thinned == 1:
            # Made again: a file may come from an older version, or from somebody's editor.
            yield derive(summarise(result))
        elif _is_sound(result.summary):
            yield derive(result)
        else:
            raise UsageError(f"{path}: the summary of {result.name!r} is not one of ours")


def _is_sound(table: object) -> bool:
    """Whether a summary that cannot be made again has tables, numbers and words where those are that are used."""
    return isinstance(table, dict) and all(item is None or _fits(name, item) for name, item in table.items())


def _fits(name: str, item: object) -> bool:
    if name in _TABLES:
        return _is_sound(item)
    if name in _NUMBERS:
        return isinstance(item, (int, float))
    return isinstance(item, str) or name not in _WORDS


def is_ours(path: str) -> bool:
    """Whether a file says that it holds results of ours; what it holds else is for the log reader to say."""
    if os.path.isdir(path):
        return False
    try:
        with open(path, "rb") as stream:
            head = stream.read(_LOOKED_AT)
            # Whoever sorts the keys of a file puts its schema last.
            stream.seek(-min(_LOOKED_AT, stream.seek(0, os.SEEK_END)), os.SEEK_END)
            return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK in head + stream.read()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def _labels(paths: Sequence[str]) -> list[str]:
    """The shortest ends of the paths that tell them apart; the same file twice is counted."""
    parts = [Path(path).parts or (path,) for path in paths]
    length = 1
    while length < max(map(len, parts)) and len({own[-length:] for own in parts}) < len(set(parts)):
        length += 1
    labels = ["/".join(own[-length:]) for own in parts]
    seen: dict[str, int] = {}
    for place, label in enumerate(labels):
        seen[label] = seen.get(label, 0) + 1
        if seen[label] > 1:
            labels[place] = f"{label} ({seen[label]})"
    return labels


def match(inputs: Sequence[Input]) -> tuple[list[Benchmark], list[Unmatched]]:
    """The benchmarks of the baseline, which is the first, with their counterparts; and what has none."""
    first, *others = inputs
    strangers = [item for item in others if item.source == first.source and _is_another_kind(first, item)]
    others = [item for item in others if item not in strangers]
    runs: list[list[Run]] = [[_run(first, result)] for result in first.results]
    other_kind = f"another kind of benchmark than {first.label}"
    unmatched = [Unmatched(item.label, other_kind, item.results[0]) for item in strangers]
    for other in others:
        partners = _partners(first.results, other.results)
        for mine, theirs in sorted(partners.items()):
            runs[mine].append(_run(other, other.results[theirs]))
        left = set(range(len(other.results))) - set(partners.values())
        why = f"{first.label} has no benchmark of this kind and configuration, or more than one"
        lonely = [_run(other, other.results[place]) for place in sorted(left)]
        unmatched += [Unmatched(run.label, why, run.result) for run in lonely]
    nowhere = "no other file has this benchmark"
    unmatched += [Unmatched(found[0].label, nowhere, found[0].result) for found in runs if len(found) == 1]
    benchmarks = [Benchmark(found[0].result.name, found[0].result.kind, tuple(found)) for found in runs if found[1:]]
    if not benchmarks and (joined := _as_runs(inputs)):
        return match(joined)
    return benchmarks, unmatched


def _as_runs(inputs: Sequence[Input]) -> list[Input]:
    """Sides whose results are all runs of one benchmark, each as one result; nothing where that is not so."""
    found = []
    for item in inputs:
        # A folder holds a file for each run; in one file, what goes by several names is several benchmarks.
        are_runs = os.path.isdir(item.source) or len({result.name.partition("#")[0] for result in item.results}) == 1
        one = item.results[0] if len(item.results) == 1 else one_of(item.results, item.label) if are_runs else None
        if one is None:
            return []
        found.append(Input(item.label, item.source, (one,)))
    return found if any(len(item.results) > 1 for item in inputs) else []


def _is_another_kind(first: Input, other: Input) -> bool:
    """Of one file with many benchmarks those are compared that can be."""
    return len(first.results) == len(other.results) == 1 and first.results[0].kind != other.results[0].kind


def _each_alone(item: Input) -> list[Input]:
    """One file with several results: these are held against each other."""
    if len(item.results) < 2:
        raise UsageError(f"{item.source} holds one result: there is nothing to compare it with")
    return [Input(f"{item.label}: {_bare_name(item, result)}", item.source, (result,)) for result in item.results]


def _run(item: Input, result: Result) -> Run:
    name = _bare_name(item, result)
    label = item.label if len(item.results) == 1 else f"{item.label}: {name}"
    return Run(label, item.source, result, item.label, name)


def _bare_name(item: Input, result: Result) -> str:
    """Readers put the file into the name of a result, where it is in the label already."""
    return result.name.rpartition(f"{os.path.basename(item.source)}: ")[2] or result.name


def _partners(first: Sequence[Result], second: Sequence[Result]) -> dict[int, int]:
    """Places in the first, with their counterparts in the second: by name, else as the only one that is like it."""
    if len(first) == len(second) == 1:
        return {0: 0}
    found: dict[int, int] = {}
    for fits in (_same_name, _alike, _same_kind):
        left = [place for place in range(len(first)) if place not in found]
        free = [place for place in range(len(second)) if place not in found.values()]
        fitting = {place: [other for other in free if fits(first[place], second[other])] for place in left}
        for place, others in fitting.items():
            rivals = [rival for rival in left if others and others[0] in fitting[rival]]
            if len(others) == 1 and rivals == [place]:
                found[place] = others[0]
    return found


def _same_name(first: Result, second: Result) -> bool:
    return (first.kind, first.name) == (second.kind, second.name)


def _same_kind(first: Result, second: Result) -> bool:
    return first.kind == second.kind


def _alike(first: Result, second: Result) -> bool:
    """Nothing that must be alike is known to differ."""
    return not any(check.must and check.likeness is Likeness.DIFFERS for check in checks(first, second))
