"""What follows from the summary: rates from totals, shares of the peak, cost, energy; and whether it can be true."""

from __future__ import annotations

from dataclasses import replace

from rewarp.bench import logged, plausibility, prices, stats
from rewarp.bench.hardware import field, number, with_specs
from rewarp.bench.result import Result, Sourced, unknown
from rewarp.bench.work import flops_per_token, tokens_per_step

Derived = dict[str, Sourced]


def derive(result: Result) -> Result:
    """The result with ``derived`` figures, and warnings about figures that cannot be true. Call after ``summarise``."""
    result = with_specs(result)
    found: Derived = {}
    for make in (_tokens, _per_device, _tflops, _bandwidth, _shares, _cost, _energy, _memory):
        make(result, found)
    kept = tuple(warning for warning in result.warnings if warning.code not in plausibility.CODES)
    return replace(result, derived=found, warnings=(*kept, *plausibility.doubts(result, found)))


def _tokens(result: Result, found: Derived) -> None:
    if result.kind not in ("training", "inference", "mlperf"):
        return
    found["tokens_per_s"] = (
        _from_times(result) or logged.mean_rate(result, "tokens_per_s") or _claimed(result, "tokens_per_s")
    )


def _from_times(result: Result) -> Sourced | None:
    """Total tokens over total time."""
    total, used = stats.time_of_used(result.summary), result.summary.get("used")
    if not total:
        return None
    counted = result.summary.get("total_tokens")
    if counted:
        return Sourced(counted / total, "computed: tokens logged by step / time of those steps")
    tokens = tokens_per_step(result)
    if not tokens.known:
        return None
    return Sourced(tokens.value * used / total, f"computed: total tokens / total time of {used} steps")


def _claimed(result: Result, name: str) -> Sourced:
    claimed = number(result.reported, name)
    if claimed is not None:
        return Sourced(claimed, f"as reported, not computed here: {result.reported[name].source}")
    if not result.series.step:
        return unknown("there are no steps")
    if stats.time_of_used(result.summary):
        return unknown(f"step times are known, tokens by step are not: {tokens_per_step(result).source}")
    return unknown("neither step times nor rates are known")


def _per_device(result: Result, found: Derived) -> None:
    if "tokens_per_s" not in found:
        return
    total, count = found["tokens_per_s"], number(result.device, "count")
    if total.known and count is not None:
        what = Sourced(total.value / count, f"{total.source}; / {count:.0f} devices")
    elif rate := logged.mean_rate(result, "tokens_per_s_per_device"):
        what = rate
    elif number(result.reported, "tokens_per_s_per_device") is not None:
        what = _claimed(result, "tokens_per_s_per_device")
    else:
        what = unknown("the number of devices is not known" if total.known else total.source)
    found["tokens_per_s_per_device"] = what


def _tflops(result: Result, found: Derived) -> None:
    if result.kind in ("bandwidth", "collective"):
        return
    rate = _from_work(result) or _from_tokens(result, found) or logged.tflops(result)
    if rate is None:
        rate = _claimed(result, "tflops_per_device")
        if not rate.known and stats.time_of_used(result.summary):
            rate = unknown(_why_no_flops(result, found))
    found["tflops_per_device"] = rate


def _why_no_flops(result: Result, found: Derived) -> str:
    flops, tokens = flops_per_token(result), found.get("tokens_per_s_per_device")
    return flops.source if not flops.known or tokens is None else tokens.source


def _from_work(result: Result) -> Sourced | None:
    total, flops = stats.time_of_used(result.summary), number(result.configuration, "flops_per_step")
    count = number(result.device, "count")
    if not total or flops is None or count is None:
        return None
    rate = flops * result.summary["used"] / total / count / 1e12
    return Sourced(rate, f"computed: operations / time of {result.summary['used']} steps")


def _from_tokens(result: Result, found: Derived) -> Sourced | None:
    rate, flops = found.get("tokens_per_s_per_device"), flops_per_token(result)
    if rate is None or not rate.known or not flops.known:
        return None
    return Sourced(rate.value * flops.value / 1e12, f"tokens/s per device x operations per token ({flops.source})")


def _bandwidth(result: Result, found: Derived) -> None:
    moved = number(result.configuration, "bytes_per_step")
    total = stats.time_of_used(result.summary)
    if moved is None or not total:
        return
    source = f"computed: bytes read and written / time of {result.summary['used']} steps"
    if result.kind == "collective":
        source = f"computed: bytes on the bus of one device / time of {result.summary['used']} steps"
    found["bandwidth_bytes_per_s"] = Sourced(moved * result.summary["used"] / total, source)


def _shares(result: Result, found: Derived) -> None:
    """Of the dense peak, of the best matrix product that was measured, of the memory's bandwidth."""
    if "tflops_per_device" in found:
        rate = found["tflops_per_device"]
        found["mfu"] = _share(rate, field(result.device, "peak_tflops"), "dense peak")
        if result.kind != "matmul":
            found["mfu_of_matmul"] = _share(rate, _matmul(result), "best measured matrix product")
    if "bandwidth_bytes_per_s" in found and result.kind == "bandwidth":
        peak = field(result.device, "bandwidth_bytes_per_s")
        found["bandwidth_share"] = _share(found["bandwidth_bytes_per_s"], peak, "bandwidth by the data sheet")


def _matmul(result: Result) -> Sourced:
    return result.device.get("matmul_tflops") or unknown("no matrix product was measured on this device")


def _share(part: Sourced, whole: Sourced, of: str) -> Sourced:
    if not part.known:
        return unknown(part.source)
    if not whole.known or not whole.value:
        return unknown(whole.source)
    return Sourced(part.value / whole.value, f"of the {of} ({whole.source}); {part.source}")


def _cost(result: Result, found: Derived) -> None:
    price, rate = number(result.configuration, prices.FIELD), found.get("tokens_per_s_per_device")
    if price is None or rate is None:
        return
    if rate.known:
        source = f"computed: {result.configuration[prices.FIELD].source}; {rate.source}"
        found["cost_per_million_tokens"] = Sourced(price / 3600 / rate.value * 1e6, source)
    else:
        found["cost_per_million_tokens"] = unknown(rate.source)


def _energy(result: Result, found: Derived) -> None:
    power, rate = result.summary.get("power_w"), found.get("tokens_per_s_per_device")
    if not power or rate is None:
        return
    if rate.known:
        source = f"computed: mean power of one device over {power['steps']} steps / tokens/s per device"
        found["joules_per_token"] = Sourced(power["mean"] / rate.value, source)
    else:
        found["joules_per_token"] = unknown(rate.source)


def _memory(result: Result, found: Derived) -> None:
    peak = result.summary.get("memory_bytes")
    if not peak:
        return
    found["memory_share"] = _share(
        Sourced(peak["max"], "highest by step"), field(result.device, "memory_bytes"), "device's memory"
    )
