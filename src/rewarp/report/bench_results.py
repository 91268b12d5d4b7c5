"""Results of ``rewarp bench`` as one page, each by itself, those that can be compared side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rewarp.bench import stats
from rewarp.bench.compare import Compared, Comparison, Settings
from rewarp.bench.compare_inputs import Run
from rewarp.bench.result import Result
from rewarp.report import bench_page
from rewarp.verdict import plural

_READING = (
    "Rates are total work / total time after the warm-up; rates are never averaged, outliers count.",
    "Intervals are 95 %: of several processes they tell how one run differs from the next, of one run how its steps vary.",
)


def html(results: Sequence[Result], comparison: Comparison | None = None, said: Sequence[str] = ()) -> str:
    """``comparison`` holds those that were compared; ``said`` are sentences for the head of the page."""
    compared = comparison.groups if comparison else ()
    shown = {id(run.result) for group in compared for run in group.runs}
    alone = [_alone(result) for result in results if id(result) not in shown]
    settings, level = (comparison.settings, comparison.level) if comparison else (Settings(), stats.LEVEL)
    everything = Comparison(settings, level, (*compared, *alone))
    return bench_page.html(everything, bench_page.Head(headline(results), tuple(said), _READING))


def headline(results: Sequence[Result]) -> str:
    devices = list(
        dict.fromkeys(str(name.value) for result in results if (name := result.device.get("name")) and name.known)
    )
    where = f" on {devices[0]}" if len(devices) == 1 else f" on {len(devices)} kinds of device" if devices else ""
    return f"{plural(len(results), 'result')}{where}"


def _alone(result: Result) -> Compared:
    files = list(result.provenance.get("files", ()))
    run = Run(result.name, str(files[-1]) if files else "measured here", result, result.name, result.name)
    return Compared(result.name, result.kind, (run,), ())
