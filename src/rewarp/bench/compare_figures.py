"""Two results figure by figure: ratios with intervals, verdicts, and the figures that are not to be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from rewarp.bench import stats
from rewarp.bench.compare_spread import MEDIAN_STEP, RUN_TIME, TIME_TO_TRAIN, Spread, basis, of_ratio, of_run
from rewarp.bench.hardware import number
from rewarp.bench.result import Result, Sourced, unknown


class FigureVerdict(Enum):
    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    CANNOT_TELL = "can't tell"


@dataclass(frozen=True)
class Kind:
    """One kind of figure, and whether more of it is better."""

    name: str
    title: str
    unit: str
    higher_is_better: bool = True
    speed: bool = False
    """Whether it gets a verdict: how many times as fast."""


_TOKENS = Kind("tokens_per_s", "tokens/s", "tokens/s", speed=True)
_TOKENS_PER_DEVICE = Kind("tokens_per_s_per_device", "tokens/s per device", "tokens/s", speed=True)
_STEPS = Kind("steps_per_s", "steps/s", "steps/s", speed=True)
_STEP_TIME = Kind(MEDIAN_STEP, "typical step (median)", "s", higher_is_better=False, speed=True)
_TFLOPS = Kind("tflops_per_device", "TFLOP/s per device", "TFLOP/s", speed=True)
_BANDWIDTH = Kind("bandwidth_bytes_per_s", "bandwidth", "bytes/s", speed=True)
_TIME_TO_TRAIN = Kind(TIME_TO_TRAIN, "time to train (olympic mean)", "s", higher_is_better=False, speed=True)
_RUN_TIME = Kind(RUN_TIME, "time of the run", "s", higher_is_better=False, speed=True)
_SPEEDS = (_TIME_TO_TRAIN, _RUN_TIME, _TOKENS, _TOKENS_PER_DEVICE, _BANDWIDTH, _TFLOPS, _STEPS, _STEP_TIME)
_CONTEXT = (
    Kind("mfu", "MFU, of the dense peak", "share"),
    Kind("mfu_of_matmul", "MFU, of the best measured matmul", "share"),
    Kind("bandwidth_share", "bandwidth, of the data sheet's", "share"),
    Kind("memory_bytes", "memory of one device", "bytes", higher_is_better=False),
    Kind("cost_per_million_tokens", "cost of a million tokens", "USD", higher_is_better=False),
    Kind("joules_per_token", "energy of a token", "J", higher_is_better=False),
    Kind("requests_per_s", "requests/s", "requests/s"),
    Kind("median_ttft_s", "time to the first token (median)", "s", higher_is_better=False),
    Kind("p99_ttft_s", "time to the first token (99th percentile)", "s", higher_is_better=False),
    Kind("median_tpot_s", "time per output token (median)", "s", higher_is_better=False),
    Kind("median_itl_s", "time between tokens (median)", "s", higher_is_better=False),
    Kind("median_e2e_s", "time of a request (median)", "s", higher_is_better=False),
)
FIGURES: Mapping[str, Kind] = {kind.name: kind for kind in (*_SPEEDS, *_CONTEXT)}
_MAIN = {
    "mlperf": (_TIME_TO_TRAIN, _RUN_TIME),
    "training": (_TOKENS,),
    "inference": (_TOKENS,),
    "matmul": (_TFLOPS,),
    "attention": (_TFLOPS,),
    "bandwidth": (_BANDWIDTH,),
    "collective": (_BANDWIDTH,),
}
SPEEDS = tuple(kind.name for kind in _SPEEDS)
_BY_STEP = (_STEPS.name, _STEP_TIME.name)
_LEAST_RATIO = 1e-9
_CLAIMED = "as reported"
"""How the source of a figure begins that nothing here bears out."""
_OTHER_STEP = "a step is not the same work in both"
_LATENCIES = tuple(kind.name for kind in _CONTEXT if kind.name.startswith(("median_", "p99_")))
_CONCERNS = {
    "mfu-over-100": ("mfu", "mfu_of_matmul", "tflops_per_device", "tokens_per_s_per_device"),
    "bandwidth-over-peak": ("bandwidth_bytes_per_s", "bandwidth_share"),
    "memory-over-total": ("memory_bytes",),
    "device-not-believed": ("mfu", "mfu_of_matmul"),
    **dict.fromkeys(("latency-implausible", "percentiles-disordered", "negative-latency"), _LATENCIES),
    # The figure that is compared is computed from batch, sequence and time; the claim is what is wrong.
    "reported-rate-multiplied": (),
}
"""The figures an error forbids. An error that is not here forbids them all."""


@dataclass(frozen=True)
class Figure:
    """One figure of two results."""

    name: str
    title: str
    unit: str
    baseline: Sourced
    run: Sourced
    ratio: float | None
    """Of a speed: how many times as fast the run is, over the steps that count in both. Else: run / baseline."""
    low: float | None = None
    high: float | None = None
    verdict: FigureVerdict | None = None
    """None where the figure is not a speed."""
    why: str = ""


def compare_figures(
    baseline: Result, run: Result, *, same_step: bool, margin: float, level: float, main: str | None = None
) -> list[Figure]:
    """Every figure that one of the two has, the main one first. ``same_step``: a step is the same work in both."""
    main = main or main_figure(baseline, run, same_step=same_step)
    spreads: dict[str, Spread | str] = {}
    found = []
    for kind in FIGURES.values():
        pair = value_of(baseline, kind.name), value_of(run, kind.name)
        if not same_step and kind.name in _BY_STEP:
            pair = (unknown(_OTHER_STEP), unknown(_OTHER_STEP))
        if kind.name != main and not pair[0].known and not pair[1].known:
            continue
        figure = _plain_figure(baseline, run, kind, pair)
        if kind.speed and figure.ratio is not None:
            of = basis(kind.name, baseline, run)
            if of not in spreads:
                spreads[of] = of_ratio(baseline, run, kind.name, same_step=same_step)
            spread = spreads[of] if all(map(_is_computed, pair)) else _claimed(spreads[of])
            figure = _judged(figure, spread, margin, level)
        found.append(figure)
    return sorted(found, key=lambda figure: figure.name != main)


def main_figure(baseline: Result, run: Result, *, same_step: bool) -> str | None:
    """The figure the verdict is about: what the kind of benchmark measures, else steps per second."""
    candidates = [
        kind for kind in (*_MAIN.get(baseline.kind, ()), _STEPS, *_SPEEDS) if same_step or kind.name not in _BY_STEP
    ]
    for wanted in (_is_computed, _is_known):
        for kind in candidates:
            if wanted(value_of(baseline, kind.name)) and wanted(value_of(run, kind.name)):
                return kind.name
    return None


def _is_known(fact: Sourced) -> bool:
    return fact.known


def _is_computed(fact: Sourced) -> bool:
    """Not merely claimed by a log or a tool."""
    return fact.known and not fact.source.startswith(_CLAIMED)


def value_of(result: Result, name: str) -> Sourced:
    """A figure of a result by its name; unknown with the reason where there is none."""
    summary = result.summary
    if name == _STEP_TIME.name:
        median = (summary.get("time_s") or {}).get("median")
        return Sourced(median, f"median of {summary.get('used')} steps") if median else unknown("no step times")
    if name == _STEPS.name:
        total, used = stats.time_of_used(summary), summary.get("used")
        return Sourced(used / total, f"computed: {used} steps / their time") if total and used else unknown("no times")
    if name == "memory_bytes":
        peak = (summary.get("memory_bytes") or {}).get("max")
        return Sourced(peak, "highest by step") if peak else result.reported.get(name, unknown("no step says it"))
    fact = result.derived.get(name) or result.reported.get(name)
    if fact is None:
        return unknown("not a figure of this benchmark")
    return fact if number({name: fact}, name) is not None else unknown(fact.source)


def concerned(result: Result, name: str, fact: Sourced) -> str | None:
    """Why a figure is not to be used: a warning of the severity `error` that is about it."""
    for warning in result.warnings:
        if warning.severity != "error":
            continue
        # What a log merely claims is not borne out by anything here.
        if name in _CONCERNS.get(warning.code, (name,)) or fact.source.startswith(_CLAIMED):
            return str(warning.what)
    return None


def judge(low: float, high: float, margin: float) -> FigureVerdict:
    """By the whole interval: inside the margin, beyond it on one side, or neither."""
    if low >= 1 + margin:
        return FigureVerdict.FASTER
    if high <= 1 / (1 + margin):
        return FigureVerdict.SLOWER
    if 1 / (1 + margin) < low and high < 1 + margin:
        return FigureVerdict.SAME
    return FigureVerdict.CANNOT_TELL


def _plain_figure(baseline: Result, run: Result, kind: Kind, pair: tuple[Sourced, Sourced]) -> Figure:
    """The two values and their ratio, where both are known and may be used."""
    verdict = FigureVerdict.CANNOT_TELL if kind.speed else None
    shown = Figure(kind.name, kind.title, kind.unit, *pair, None, verdict=verdict)
    sides = ("the baseline", baseline, pair[0]), ("the run", run, pair[1])
    for words, _, fact in sides:
        if not fact.known:
            return replace(shown, why=f"not known of {words}: {fact.source}")
    for words, result, fact in sides:
        if error := concerned(result, kind.name, fact):
            return replace(shown, why=f"not compared, {words} has an error: {error}")
    ratio = pair[1].value / pair[0].value
    if not _LEAST_RATIO < ratio < 1 / _LEAST_RATIO:
        return replace(shown, why="the two are too far apart for a ratio: one of them cannot be right")
    return replace(shown, ratio=1 / ratio if kind.speed and not kind.higher_is_better else ratio)


def _claimed(spread: Spread | str) -> str:
    """Why a figure that is merely claimed has no interval: step times, where there are any, are not what it is of."""
    return spread if isinstance(spread, str) else "no interval: the figure is as reported, not of these step times"


def _judged(figure: Figure, spread: Spread | str, margin: float, level: float) -> Figure:
    if isinstance(spread, str) or figure.ratio is None:
        return replace(figure, why=str(spread))
    baseline, run = (_over_shared(fact, speed) for fact, speed in zip((figure.baseline, figure.run), spread.speeds))
    ratio = figure.ratio * spread.speeds[1] / spread.speeds[0]
    low, high = _ends(sorted(ratio * part for part in spread.replicates), level)
    verdict = judge(low, high, margin)
    return Figure(figure.name, figure.title, figure.unit, baseline, run, ratio, low, high, verdict, why=spread.method)


def _over_shared(fact: Sourced, speed: float) -> Sourced:
    """A rate over the steps that count in both runs, so that the ratio is that of the figures beside it."""
    if speed == 1:
        return fact
    return Sourced(fact.value * speed, f"{fact.source}; of the steps that count in both runs")


def _ends(ordered: Sequence[float], level: float) -> tuple[float, float]:
    return stats.percentile(ordered, (1 - level) / 2), stats.percentile(ordered, (1 + level) / 2)


def own_intervals(result: Result) -> dict[str, tuple[float, float]]:
    """Of every speed of one run that has one, at the usual level."""
    spreads: dict[str, Spread | str] = {}
    found = {}
    for kind in _SPEEDS:
        fact = value_of(result, kind.name)
        if not _is_computed(fact):
            continue
        of = basis(kind.name, result)
        spread = spreads[of] if of in spreads else spreads.setdefault(of, of_run(result, kind.name))
        if isinstance(spread, str):
            continue
        drawn = (fact.value * part if kind.higher_is_better else fact.value / part for part in spread.replicates)
        found[kind.name] = _ends(sorted(drawn), stats.LEVEL)
    return found
