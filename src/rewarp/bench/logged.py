"""Rates that a log prints by step, over the steps that count."""

from __future__ import annotations

from rewarp.bench.model import Result, Sourced


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
    first = result.summary.get("first_step")
    pairs = [
        (time, rate)
        for step, time, rate in zip(
            result.series.step, result.series.figures("time_s"), result.series.figures("tflops_per_device")
        )
        if time is not None and rate is not None and time > 0 and rate > 0 and (first is None or step >= first)
    ]
    if not pairs:
        return None
    rate = sum(time * rate for time, rate in pairs) / sum(time for time, _ in pairs)
    return Sourced(rate, f"as logged, weighted by the time of {len(pairs)} steps; what it counts is the log's choice")


def tokens_per_s(result: Result) -> Sourced | None:
    """The rate by the column of rates, beside that by step times."""
    first = result.summary.get("first_step")
    rates = [
        1 / rate
        for step, rate in zip(result.series.step, result.series.figures("tokens_per_s"))
        if rate is not None and rate > 0 and (first is None or step >= first)
    ]
    if not rates or result.summary.get("basis") != "time_s":
        return None
    return Sourced(len(rates) / sum(rates), "the logged rates")
