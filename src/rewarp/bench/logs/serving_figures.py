"""What serving benchmarks measure, under one set of names and units, whichever tool and version wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewarp.bench.hardware import LARGEST
from rewarp.bench.logs.base import Facts
from rewarp.bench.result import Result, Sourced, Warn, unknown

Figures = dict[str, Sourced]
"""By our name: `requests`, `duration_s`, `input_tokens`, `output_tokens`, `output_tokens_per_s`, `median_ttft_s` …"""

_COUNTS = {
    "completed": "requests",
    "successful_requests": "requests",
    "num_completed": "requests",
    "failed": "failed_requests",
    "duration": "duration_s",
    "benchmark_duration": "duration_s",
    "total_latency": "duration_s",
    "total_input_tokens": "input_tokens",
    "total_input": "input_tokens",
    "total_output_tokens": "output_tokens",
    "total_output": "output_tokens",
    "total_generated_tokens": "output_tokens",
    "total_output_tokens_retokenized": "output_tokens_retokenized",
    "request_throughput": "requests_per_s",
    "request_goodput": "good_requests_per_s",
    "request_goodput:": "good_requests_per_s",
    "input_throughput": "input_tokens_per_s",
    "output_throughput": "output_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "total_throughput": "total_tokens_per_s",
    "tput_per_gpu": "total_tokens_per_s_per_device",
    "output_tput_per_gpu": "output_tokens_per_s_per_device",
    "input_tput_per_gpu": "input_tokens_per_s_per_device",
    "max_output_tokens_per_s": "peak_output_tokens_per_s",
    "max_concurrent_requests": "peak_requests_in_flight",
    "concurrency": "requests_in_flight",
    "accept_length": "accepted_draft_tokens",
}
_LATENCY = re.compile(
    r"(?P<which>mean|avg|median|std|p\d+(?:\.\d+)?)_(?P<what>ttft|tpot|itl|e2el|e2e_latency|e2e|latency)(?:_(?P<unit>ms|s|us))?"
)
_WHICH = {"avg": "mean", "std": "sd", "p50": "median"}
_WHAT = {"e2el": "e2e", "e2e_latency": "e2e", "latency": "e2e"}
_PER_SECOND = {"ms": 1e3, "s": 1.0, "us": 1e6, None: 1.0}
"""A latency without a unit in its name is in seconds, as everywhere in these tools' own variables."""
_AGREE = 0.02
_ENDLESS = ("inf", "infinity")


def figure(key: str, value: float, source: str) -> tuple[str, Sourced] | None:
    """A key of a tool's JSON as one of ours, in seconds where it is a time; None where it is not a figure."""
    if key in _COUNTS:
        return _COUNTS[key], Sourced(value, f"{source}: {key}")
    found = _LATENCY.fullmatch(key)
    if not found:
        return None
    which, what = found["which"], found["what"]
    name = f"{_WHICH.get(which, which)}_{_WHAT.get(what, what)}_s"
    return name, Sourced(value / _PER_SECOND[found["unit"]], f"{source}: {key}")


def result(name: str, facts: Facts, figures: Figures, provenance: Mapping[str, Any]) -> Result:
    """One load test. Its tokens/s are those it generated, from the first request to the last answer."""
    tokens, time = _value(figures, "output_tokens"), _value(figures, "duration_s")
    if tokens and time and time > 0:
        figures["tokens_per_s"] = Sourced(
            tokens / time, f"tokens generated / duration ({figures['duration_s'].source})"
        )
    elif "output_tokens_per_s" in figures:
        figures["tokens_per_s"] = figures["output_tokens_per_s"]
    elif "output_tokens_per_s_per_device" in figures:
        figures["tokens_per_s_per_device"] = figures["output_tokens_per_s_per_device"]
    workload = _workload(facts)
    facts.add("configuration.workload", workload.value, workload.source)
    _add_sequence(facts)
    return Result(
        name=name,
        kind="inference",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        reported=figures,
        warnings=tuple(_doubts(facts, figures)),
        provenance=provenance,
    )


def _value(figures: Mapping[str, Sourced], name: str) -> float | None:
    return figures[name].value if name in figures else None


def _setting(facts: Facts, name: str) -> Any:
    found = facts.found.get(f"configuration.{name}")
    return found.value if found else None


def _per_request(figures: Figures, name: str) -> float | None:
    total, requests = _value(figures, name), _value(figures, "requests")
    return total / requests if total is not None and requests else None


def _workload(facts: Facts) -> Sourced:
    """What two load tests must have in common: data, lengths, arrival of requests. As configured: counts of tokens
    differ a little from run to run."""
    words = {
        "dataset": "{}",
        "random_input_len": "{} tokens in",
        "random_output_len": "{} tokens out",
        "random_range_ratio": "range {}",
        "request_rate": "{} requests/s offered",
        "concurrency": "at most {} at once",
    }
    known = {name: value for name in words if (value := _setting(facts, name)) is not None}
    if known.get("dataset", "random") != "random":
        # Their defaults are written down all the same.
        known = {name: value for name, value in known.items() if not name.startswith("random_")}
    if not known:
        return unknown("the load is not told")
    return Sourced(", ".join(words[name].format(value) for name, value in known.items()), "the load as configured")


def _add_sequence(facts: Facts) -> None:
    lengths = [_setting(facts, name) for name in ("random_input_len", "random_output_len")]
    if _setting(facts, "dataset") == "random" and all(isinstance(length, int) for length in lengths):
        facts.add("configuration.sequence", sum(lengths), "random_input_len + random_output_len, as configured")
    else:
        facts.add("configuration.sequence", None, "requests differ in length")


# --- what cannot be true ------------------------------------------------------------------


def _doubts(facts: Facts, figures: Figures) -> Iterator[Warn]:
    yield from _failures(figures)
    yield from _rates(figures)
    yield from _impossible_latencies(facts, figures)
    yield from _order(figures)


def _failures(figures: Figures) -> Iterator[Warn]:
    done, failed = _value(figures, "requests"), _value(figures, "failed_requests")
    if done == 0:
        yield Warn("no-request-finished", "not one request was answered: the figures measure nothing", "error")
    elif failed:
        share = failed / (failed + (done or 0))
        what = f"{failed:.0f} requests failed ({share:.1%}); rates and latencies are of the others"
        yield Warn("requests-failed", what, "error" if share > 0.1 else "warning")


def _rates(figures: Figures) -> Iterator[Warn]:
    """Each rate against its total and the time."""
    time = _value(figures, "duration_s")
    if time is not None and time <= 0:
        yield Warn("bad-duration", f"a duration of {time:g} s", "error", figures["duration_s"].source)
        return
    pairs = {"output_tokens_per_s": "output_tokens", "input_tokens_per_s": "input_tokens", "requests_per_s": "requests"}
    for rate_name, total_name in pairs.items():
        rate, total = _value(figures, rate_name), _value(figures, total_name)
        if not (time and rate is not None and total):
            continue
        # Printed to two decimals, so a small rate is coarse.
        if abs(rate - total / time) > max(_AGREE * total / time, 0.006):
            what = f"{rate:g} by its {rate_name}, {total / time:g} by {total_name} / duration"
            yield Warn("rate-disagrees", what, where=figures[rate_name].source)


def _mean_e2e(figures: Figures) -> float | None:
    """As measured, else first token plus the others."""
    measured = _value(figures, "mean_e2e_s")
    if measured is not None:
        return measured
    first, other, length = (
        _value(figures, "mean_ttft_s"),
        _value(figures, "mean_tpot_s"),
        _per_request(figures, "output_tokens"),
    )
    return None if first is None or other is None or length is None else first + other * max(length - 1, 0)


def _impossible_latencies(facts: Facts, figures: Figures) -> Iterator[Warn]:
    """By Little's law, latency x requests / duration requests are in flight: between 1 and as many as there are."""
    time, requests, latency = _value(figures, "duration_s"), _value(figures, "requests"), _mean_e2e(figures)
    if not (time and time > 0 and requests and latency is not None):
        return
    in_flight = latency * requests / time
    limit = _setting(facts, "concurrency")
    limit = min(float(limit), requests) if isinstance(limit, (int, float)) and 0 < limit < LARGEST else requests
    if in_flight > limit * 1.1:
        what = f"a mean latency of {latency:g} s means {in_flight:.4g} requests in flight of at most {limit:g}"
        yield Warn("latency-implausible", f"{what}: wrong unit, or cut-off figures", "error")
    # A load that never pauses has always one request in flight.
    endless = str(_setting(facts, "request_rate")).lower() in _ENDLESS
    if endless and in_flight < 0.5:
        what = f"a mean latency of {latency:g} s means {in_flight:.2g} requests in flight under an endless load"
        yield Warn("latency-implausible", f"{what}: seconds written as milliseconds?", "error")


def _order(figures: Figures) -> Iterator[Warn]:
    for what in ("ttft", "tpot", "itl", "e2e"):
        names: Sequence[str] = [f"{which}_{what}_s" for which in ("median", "p90", "p95", "p99")]
        known = [(name, value) for name in names if (value := _value(figures, name)) is not None]
        for (low, smaller), (high, larger) in zip(known, known[1:]):
            if smaller > larger * (1 + 1e-9) + 5e-6:
                yield Warn("percentiles-disordered", f"{low} {smaller:g} is above {high} {larger:g}", "error")
        negative = [name for name, value in known if value < -5e-6]
        if negative:
            yield Warn("negative-latency", f"{negative[0]} is negative: clock or count is wrong", "error")
