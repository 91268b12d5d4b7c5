"""A comparison of benchmarks as plain data (schema ``rewarp.bench-compare/1``), and in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from rewarp import __version__
from rewarp.bench.comparability import FieldCheck
from rewarp.bench.compare import Compared, Comparison, Loss, Pair
from rewarp.bench.compare_figures import FIGURES, Figure, FigureVerdict, concerned, own_intervals, value_of
from rewarp.bench.compare_inputs import Run
from rewarp.bench.compare_repeats import runs_in
from rewarp.bench.result import Sourced
from rewarp.report.documents import bench_compare as documents
from rewarp.verdict import plural

SCHEMA: Literal["rewarp.bench-compare/1"] = "rewarp.bench-compare/1"
_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "bytes": ((2**30, "GiB"), (2**20, "MiB")),
    "bytes/s": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s")),
    "share": ((0.01, "%"),),
}


def document(comparison: Comparison) -> documents.Document:
    """The comparison as plain data. What is not known is null."""
    settings = comparison.settings
    return {
        "schema": SCHEMA,
        "rewarp": __version__,
        "verdict": overall(comparison),
        "headline": headline(comparison),
        "margin": settings.margin,
        "level": comparison.level,
        "fail_slower": settings.fail_slower,
        "regression": regression(comparison),
        "benchmarks": [_group(group, settings.fail_slower) for group in comparison.groups],
        "unmatched": [{"label": item.label, "why": item.why} for item in comparison.unmatched],
        "notes": notes(comparison),
    }


def _group(group: Compared, limit: float | None) -> documents.Benchmarks:
    return {
        "name": group.name,
        "kind": group.kind,
        "runs": [run_data(run) for run in group.runs],
        "pairs": [_pair(pair, limit) for pair in group.pairs],
    }


def run_data(run: Run) -> documents.Runs:
    """One run: what it ran on, what it reached, what must be known of it."""
    result, summary = run.result, run.result.summary
    facts, intervals = {name: value_of(result, name) for name in FIGURES}, own_intervals(result)
    return {
        "label": run.label,
        "source": run.source,
        "name": result.name,
        "platform": _sourced(result.platform),
        "device": {name: _sourced(fact) for name, fact in result.device.items()},
        "steps": summary.get("steps", 0),
        "used": summary.get("used", 0),
        "warm_up": summary.get("warm_up"),
        "figures": {
            name: {
                **_sourced(fact),
                "unit": FIGURES[name].unit,
                "interval": list(intervals[name]) if name in intervals else None,
                "error": concerned(result, name, fact),
            }
            for name, fact in facts.items()
            if fact.known
        },
        "warnings": [
            {"code": one.code, "what": one.what, "severity": one.severity, "where": one.where}
            for one in result.warnings
        ],
    }


def _sourced(fact: Sourced) -> documents.Sourced:
    return {"value": _plain(fact.value), "source": fact.source}


def _plain(value: Any) -> Any:
    """As JSON can hold it: a value from a file may be anything."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _pair(pair: Pair, limit: float | None) -> documents.Pairs:
    return {
        "run": pair.run,
        "verdict": verdict_word(pair),
        "refused": [check.field for check in pair.refused],
        "regression": pair.regression(limit).value if limit is not None else None,
        "banners": [{"kind": banner.kind, "text": banner.text} for banner in pair.banners],
        "fields": [_field(check) for check in pair.fields],
        "figures": [_figure(figure) for figure in pair.figures],
        "loss": _loss(pair.loss) if pair.loss else None,
    }


def _loss(loss: Loss) -> documents.Loss:
    return {
        "steps": loss.steps,
        "compared": loss.compared,
        "baseline": loss.baseline,
        "run": loss.run,
        "difference": loss.difference,
        "low": loss.low,
        "high": loss.high,
        "verdict": loss.verdict,
        "why": loss.why,
    }


def _field(check: FieldCheck) -> documents.Fields:
    return {
        "field": check.field,
        "baseline": _sourced(check.baseline),
        "run": _sourced(check.run),
        "likeness": check.likeness.value,
        "must": check.must,
        "allowed": check.allowed,
        "why": check.why,
    }


def _figure(figure: Figure) -> documents.Figures:
    return {
        "name": figure.name,
        "title": figure.title,
        "unit": figure.unit,
        "baseline": _sourced(figure.baseline),
        "run": _sourced(figure.run),
        "ratio": figure.ratio,
        "low": figure.low,
        "high": figure.high,
        "verdict": figure.verdict.value if figure.verdict else None,
        "why": figure.why,
    }


# --- words --------------------------------------------------------------------------------


def verdict_word(pair: Pair) -> str:
    return "refused" if pair.refused else pair.verdict.value


def overall(comparison: Comparison) -> str:
    words = {verdict_word(pair) for _, pair in comparison.pairs}
    return words.pop() if len(words) == 1 else "mixed"


def regression(comparison: Comparison) -> str | None:
    """`slower`, `can't tell` or `same`: the worst of all pairs; None where no limit was given."""
    limit = comparison.settings.fail_slower
    if limit is None:
        return None
    told = {pair.regression(limit) for _, pair in comparison.pairs}
    worst: FigureVerdict = next(
        it for it in (FigureVerdict.SLOWER, FigureVerdict.CANNOT_TELL, FigureVerdict.SAME) if it in told
    )
    return str(worst.value)


def headline(comparison: Comparison) -> str:
    pairs = list(comparison.pairs)
    if len(pairs) > 1:
        counts = Counter(verdict_word(pair) for _, pair in pairs)
        return f"{plural(len(pairs), 'comparison')}: " + ", ".join(f"{n} {word}" for word, n in counts.most_common())
    return sentence(*pairs[0]) if pairs else "nothing was compared"


def sentence(group: Compared, pair: Pair) -> str:
    """The verdict of one pair in words."""
    run, first, figure = group.runs[pair.run].label, group.runs[0].label, pair.main
    if pair.refused:
        return f"{run} and {first} are not compared: {', '.join(c.field for c in pair.refused)} differ"
    if figure is None or figure.ratio is None:
        return f"Can't tell how {run} compares with {first}"
    if pair.verdict is FigureVerdict.SAME:
        return f"{run} is as fast as {first}"
    if pair.verdict is FigureVerdict.CANNOT_TELL:
        return f"Can't tell whether {run} is as fast as {first}"
    return f"{run} is {pair.verdict.value} than {first}: {figure.ratio:.3f} times as fast"


def notes(comparison: Comparison) -> list[str]:
    """How the figures are to be read."""
    count = sum(not pair.refused for _, pair in comparison.pairs)
    kinds = {group.kind for group in comparison.groups}
    found = [
        f"Faster or slower: the whole interval lies more than {comparison.settings.margin:.3g} from 1; "
        "same: all of it lies nearer; else it cannot be told."
    ]
    if kinds != {"mlperf"}:
        several = any(runs_in(run.result) for group in comparison.groups for run in group.runs)
        within = "how steps vary within these runs, not how one run differs from the next"
        found += [
            "Rates are total work / total time after the warm-up; rates are never averaged, outliers count.",
            f"Intervals tell {'how one run differs from the next' if several else within}.",
        ]
    if "mlperf" in kinds:
        found.append("The olympic mean leaves out the fastest and the slowest run; its interval tells how runs vary.")
    if count > 1:
        level = f"{comparison.level:.2%}"
        found.append(f"{count} comparisons: each interval is one of {level}, so that all together hold with 95%.")
    for group, pair in comparison.pairs:
        first, run = group.runs[0], group.runs[pair.run]
        times = first.result.series.figures("time_s")
        if any(times) and times == run.result.series.figures("time_s"):
            found.append(f"{run.label} and {first.label} have the very same step times: is it one run, given twice?")
    if any(pair.loss for _, pair in comparison.pairs):
        found.append("Losses are compared step by step; that the data came in the same order is assumed, not known.")
    return found


def quantity(value: float | None, unit: str, beside: Iterable[float | None] = ()) -> str:
    """A figure with its unit, in the scale that fits the largest of those beside it."""
    if value is None:
        return "unknown"
    largest = max(abs(number) for number in (value, *beside) if number is not None)
    scales = _SCALES.get(unit, ((1.0, unit),))
    size, name = next((scale for scale in scales if largest >= scale[0]), scales[-1])
    scaled = value / size
    shown = f"{scaled:,.0f}" if abs(scaled) >= 1000 else f"{scaled:.4g}"
    return f"{shown} {name}".strip()
