"""Rates that a log prints by step, over the steps that count."""

from __future__ import annotations

from rewarp.bench.result import Result, Sourced
from rewarp.bench.weights import line_weights


def mean_rate(result: Result, column: str) -> Sourced | None:
    """Where the statistics are made of a column of rates."""
    rates = result.summary.get(column)
    if not rates:
        return None
    return Sourced(rates["mean"], f"computed: harmonic mean of the logged rates of {result.summary['used']} steps")


def tflops(result: Result) -> Sourced | None:
    """The log's own rates; whatever it counts as an operation."""
    direct = mean_rate(result, "tflops_per_device")
    if direct is not None:
        return direct
    times = result.series.figures("time_s")
    if "time_s" not in result.series.columns:
        # Equal work in every step: its time goes with the inverse of the rate.
        times = [1 / rate if rate else None for rate in result.series.figures("tflops_per_device")]
    rows = [
        (weight * time, rate)
        for weight, time, rate in zip(_weights(result), times, result.series.figures("tflops_per_device"))
        if weight and time is not None and rate is not None and time > 0 and rate > 0
    ]
    if not rows:
        return None
    rate = sum(time * rate for time, rate in rows) / sum(time for time, _ in rows)
    return Sourced(rate, f"as logged, weighted by the time of {len(rows)} steps; what it counts is the log's choice")


def tokens_per_s(result: Result) -> Sourced | None:
    """The rate by the column of rates, beside that by step times."""
    rows = [
        (weight, weight / rate)
        for weight, rate in zip(_weights(result), result.series.figures("tokens_per_s"))
        if weight and rate is not None and rate > 0
    ]
    if not rows or result.summary.get("basis") != "time_s":
        return None
    return Sourced(sum(weight for weight, _ in rows) / sum(time for _, time in rows), "the logged rates")


def _weights(result: Result) -> list[float]:
    """How many steps each line stands for; 0 in the warm-up."""
    steps, first = result.series.step, result.summary.get("first_step")
    weights = line_weights(steps) or [1.0] * len(steps)
    return [weight if first is None or step >= first else 0.0 for step, weight in zip(steps, weights)]
