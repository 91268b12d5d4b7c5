"""A comparison of benchmarks as one page: ratios, step times, losses, memory, MFU and the roofline, drawn by its script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewarp.bench import stats
from rewarp.bench.compare import Compared, Comparison, Pair
from rewarp.bench.compare_figures import FIGURES, SPEEDS, value_of
from rewarp.bench.hardware import field, number, precision_of
from rewarp.bench.result import Result, Sourced, unknown
from rewarp.report import page
from rewarp.report.bench_compare import document, quantity, sentence
from rewarp.verdict import plural

_MOST_POINTS = 1200
"""Of one line: more than a screen has columns."""
_WIDTHS = {"bf16": 2, "fp16": 2, "tf32": 4, "fp32": 4}
"""Bytes of an element, where factors and product have the same type."""
_ABOUT = {
    "tokens_per_s": "Total tokens / total time after the warm-up.",
    "steps_per_s": "Steps / their time after the warm-up; how many tokens a step has is not known of every run.",
    "time_to_train_s": "Shorter is better.",
}


@dataclass(frozen=True)
class Head:
    """The head of a page that is not about a comparison alone."""

    headline: str
    said: tuple[str, ...]
    notes: tuple[str, ...]


def html(comparison: Comparison, head: Head | None = None) -> str:
    data: dict[str, Any] = {**document(comparison)}
    pairs = list(comparison.pairs)
    data["summary"] = [line for group, pair in pairs if (line := _line(group, pair, alone=len(pairs) == 1))]
    data["banners"] = [
        {"kind": banner["kind"], "text": f"{group['runs'][pair['run']]['label']}: {banner['text']}"}
        for group in data["benchmarks"]
        for pair in group["pairs"]
        for banner in pair["banners"]
    ]
    every = [run.result for group in comparison.groups for run in group.runs]
    every += [item.result for item in comparison.unmatched]
    for group, shown in zip(comparison.groups, data["benchmarks"]):
        shown.update(_pictures(group))
        # Below the heading the benchmark is one, and its runs are told apart by their files.
        by_file = len({run.file for run in group.runs}) == len(group.runs)
        for run, item in zip(group.runs, shown["runs"]):
            item.update(_run_pictures(run.result, every), label=run.file if by_file else run.label)
    data["title"] = "bench compare" if head is None else "bench"
    if head is not None:
        data["headline"] = head.headline
        data["summary"] = [*head.said, *data["summary"]]
        data["notes"] = [*head.notes, *(data["notes"] if pairs else ())]
        data["verdict"] = "same" if not pairs else data["verdict"]
    for shown in data["benchmarks"]:
        shown["titles"] = {name: FIGURES[name].title for run in shown["runs"] for name in run["figures"]}
    return page.fill("bench.html", data)


def _line(group: Compared, pair: Pair, *, alone: bool) -> str:
    """One pair in a sentence or two; what the headline says is not said again."""
    figure, said = pair.main, "" if alone else f"{sentence(group, pair)}. "
    if figure is None:
        return said
    values = figure.baseline.value, figure.run.value
    one, two = (quantity(value, figure.unit, values) for value in values)
    if figure.low is None:
        return f"{said}{two} against {one}; {figure.why}."
    return f"{said}{two} against {one}; interval of the ratio {figure.low:.3f} to {figure.high:.3f} ({figure.why})."


def _pictures(group: Compared) -> dict[str, Any]:
    """What the pictures of one benchmark have in common."""
    names = [pair.main.name for pair in group.pairs if pair.main]
    if not group.pairs:
        names = [name for name in SPEEDS if value_of(group.runs[0].result, name).known][:1]
    common = [name for name in names if all(value_of(run.result, name).known for run in group.runs)]
    main = FIGURES[(common or names)[0]] if names else None
    tops = [top for run in group.runs if (top := _usual_top(run.result)) is not None]
    return {
        "main": {
            "name": main.name if main else None,
            "title": main.title if main else "",
            "unit": main.unit if main else "",
            "about": _ABOUT.get(main.name, "") if main else "",
        },
        "step_time_top": max(tops) if tops else None,
    }


def _settled(result: Result) -> tuple[list[int], list[float]]:
    """Steps after the warm-up that have a time."""
    last = (result.summary.get("warm_up") or {}).get("last")
    pairs = [
        (step, time)
        for step, time in zip(result.series.step, result.series.figures("time_s"))
        if time is not None and time > 0 and (last is None or step > last)
    ]
    return [step for step, _ in pairs], [time for _, time in pairs]


def _usual_top(result: Result) -> float | None:
    """The longest settled step that is no outlier: one slow first step must not flatten the picture."""
    _, times = _settled(result)
    far = set(stats.outliers(times))
    return max((time for place, time in enumerate(times) if place not in far), default=None)


def _run_pictures(result: Result, every: Sequence[Result]) -> dict[str, Any]:
    warm_up = result.summary.get("warm_up") or {}
    steps, times = _settled(result)
    far = {steps[place] for place in stats.outliers(times)}
    lines = {name: _line_of(result, name) for name in ("time_s", "loss", "tokens_per_s")}
    if lines["time_s"]["step"]:
        lines["time_s"]["outlier"] = [step in far for step in lines["time_s"]["step"]]
    count = field(result.device, "count").value
    return {
        "device_words": str(field(result.device, "name").value or "device not known"),
        "devices_words": "not known" if count is None else str(count),
        "precision_words": str(field(result.configuration, "precision").value or "not known"),
        "warm_up_words": f"{plural(warm_up['steps'], 'step')}: {warm_up['why']}" if warm_up else "no step times",
        "warm_up_until": warm_up.get("last"),
        "memory_room": number(result.device, "memory_bytes"),
        "lines": lines,
        "roof": _roof(result, every),
    }


def _line_of(result: Result, column: str) -> dict[str, Any]:
    pairs = [(s, v) for s, v in zip(result.series.step, result.series.figures(column)) if v is not None]
    kept = thinned([value for _, value in pairs], _MOST_POINTS)
    return {"step": [pairs[place][0] for place in kept], "value": [pairs[place][1] for place in kept]}


def thinned(values: Sequence[float], most: int) -> list[int]:
    """Places to draw: all, or the lowest and the highest of each stretch, so that no peak is lost."""
    if len(values) <= most:
        return list(range(len(values)))
    stretches = most // 2
    kept: set[int] = {0, len(values) - 1}
    for stretch in range(stretches):
        places = range(stretch * len(values) // stretches, (stretch + 1) * len(values) // stretches)
        kept.update((min(places, key=values.__getitem__), max(places, key=values.__getitem__)))
    return sorted(kept)


def _roof(result: Result, every: Sequence[Result]) -> dict[str, Any]:
    """What the device can reach, by the tables and as measured, and where the run lies."""
    tflops, intensity = value_of(result, "tflops_per_device"), _intensity(result)
    return {
        "peak_tflops": number(result.device, "peak_tflops"),
        "bandwidth": number(result.device, "bandwidth_bytes_per_s"),
        "measured_tflops": number(result.device, "matmul_tflops") or _best(result, every, "matmul"),
        "measured_bandwidth": _best(result, every, "bandwidth"),
        "tflops": tflops.value,
        "intensity": intensity.value,
        "intensity_why": intensity.source,
    }


def _intensity(result: Result) -> Sourced:
    """Floating-point operations for each byte that goes to memory or comes from it."""
    flops, moved = (number(result.configuration, name) for name in ("flops_per_step", "bytes_per_step"))
    if flops and moved:
        return Sourced(flops / moved, "computed: operations / bytes of a step")
    size = number(result.configuration, "size")
    width = _WIDTHS.get(precision_of(field(result.configuration, "precision").value) or "")
    if result.kind == "matmul" and size and width:
        return Sourced(2 * size / (3 * width), "computed: each matrix read or written once, the least there can be")
    return unknown("its memory traffic was not measured")


def _best(result: Result, every: Sequence[Result], kind: str) -> float | None:
    """The best that a micro-benchmark among the results reached on the same device."""
    name = field(result.device, "name")
    figure = "tflops_per_device" if kind == "matmul" else "bandwidth_bytes_per_s"
    same = [other for other in every if other.kind == kind and name.known and field(other.device, "name") == name]
    if kind == "matmul":
        precision = field(result.configuration, "precision").value
        same = [other for other in same if field(other.configuration, "precision").value == precision]
    return max((fact.value for other in same if (fact := value_of(other, figure)).known), default=None)
