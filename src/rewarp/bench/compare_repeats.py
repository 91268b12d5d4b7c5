"""Several runs of one benchmark on one side: one result, in which every run counts as one measurement."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from rewarp.bench import processes
from rewarp.bench.comparability import Likeness, checks
from rewarp.bench.derive import derive
from rewarp.bench.result import Result, Series
from rewarp.bench.summary import summarise

RUNS = "runs"
"""Where the provenance of a result says how many runs are in it."""


def one_of(results: tuple[Result, ...], name: str) -> Result | None:
    """The runs as one result; None where they are not the same benchmark, or have no times."""
    if len(results) < 2 or any(map(_differ, *zip(*combinations(results, 2)))):
        return None
    times = [result.summary.get("time_s", {}).get("mean") for result in results]
    if None in times:
        return None
    columns: dict[str, list[float | None]] = {"time_s": times}
    tokens = [result.summary.get("total_tokens") for result in results]
    if None not in tokens:
        columns["tokens"] = [total / result.summary["used"] for total, result in zip(tokens, results)]
    first = results[0]
    joined = replace(
        first,
        name=name,
        series=Series(tuple(range(1, len(results) + 1)), columns),
        warnings=tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        provenance={**first.provenance, RUNS: len(results)},
    )
    return derive(summarise(joined, is_settled=True))


def _differ(first: Result, second: Result) -> bool:
    """Whether they are known to be two benchmarks, or two kinds of run."""
    return first.kind != second.kind or any(
        check.must and check.likeness is Likeness.DIFFERS for check in checks(first, second)
    )


def runs_in(result: Result) -> int:
    """How many runs a result is of, or processes; 0 for a plain one."""
    several = processes.count_in(result.series)
    return int(result.provenance.get(RUNS) or 0) or (several if several > 1 else 0)
