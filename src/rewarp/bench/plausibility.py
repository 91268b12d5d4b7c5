"""Whether derived figures can be true, and agree with what the log itself claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rewarp.bench import logged
from rewarp.bench.hardware import field, number, specs_of
from rewarp.bench.result import Result, Sourced, Warn

CODES = (
    "mfu-over-100",
    "bandwidth-over-peak",
    "reported-rate-differs",
    "reported-rate-multiplied",
    "reported-mfu-differs",
    "reported-flops-differ",
    "memory-over-total",
)
_AGREE = 0.05
_MFU_AGREE = 0.1
_FLOPS_AGREE = 1.4

Figures = Mapping[str, Sourced]


def doubts(result: Result, found: Figures) -> tuple[Warn, ...]:
    gates: tuple[Callable[[Result, Figures], Iterator[Warn]], ...] = (
        _over_peak,
        _rate_differs,
        _mfu_differs,
        _flops_differ,
        _over_memory,
    )
    return tuple(warning for gate in gates for warning in gate(result, found))


def _over_peak(result: Result, found: Figures) -> Iterator[Warn]:
    mfu = found.get("mfu")
    if mfu is not None and mfu.known and mfu.value > 1:
        what = f"MFU {mfu.value:.0%} of {field(result.device, 'peak_tflops').value:g} TFLOP/s: device, count, precision"
        yield Warn("mfu-over-100", f"{what} or parameters are not what they are said to be", "error")
    share = found.get("bandwidth_share")
    if share is not None and share.known and share.value > 1:
        what = f"{share.value:.0%} of the memory's bandwidth: the data fits a cache, or the device is another"
        yield Warn("bandwidth-over-peak", what, "error")


def _rate_differs(result: Result, found: Figures) -> Iterator[Warn]:
    """The log's own tokens/s against batch x sequence / step time."""
    computed = found.get("tokens_per_s")
    if computed is None or not computed.known or not computed.source.startswith("computed: total"):
        return
    for claim in (logged.tokens_per_s(result), _reported_rate(result)):
        if claim is None:
            continue
        ratio, count = claim.value / computed.value, number(result.device, "count")
        if abs(ratio - 1) <= _AGREE:
            continue
        said = f"{claim.value:,.0f} tokens/s by {claim.source}, {computed.value:,.0f} by batch x sequence / step time"
        if count is not None and count > 1 and abs(ratio / count - 1) <= _AGREE:
            yield Warn(
                "reported-rate-multiplied", f"{said}: multiplied by the {count:.0f} devices once too often", "error"
            )
        elif ratio > 1 + _AGREE or claim.source.startswith("the logged"):
            yield Warn("reported-rate-differs", said)
        else:
            yield Warn("reported-rate-differs", f"{said} (it may count the warm-up)", "info")


def _reported_rate(result: Result) -> Sourced | None:
    claimed = number(result.reported, "tokens_per_s")
    return Sourced(claimed, f"its own report ({result.reported['tokens_per_s'].source})") if claimed else None


def _mfu_differs(result: Result, found: Figures) -> Iterator[Warn]:
    claimed, computed = number(result.reported, "mfu"), found.get("mfu")
    if claimed is None:
        return
    if claimed > 1:
        yield Warn("reported-mfu-differs", f"the log itself claims an MFU of {claimed:.0%}", "warning")
    elif computed is not None and computed.known and abs(claimed / computed.value - 1) > _MFU_AGREE:
        what = f"MFU {claimed:.1%} by the log, {computed.value:.1%} against {computed.source.partition(';')[0]}"
        yield Warn("reported-mfu-differs", what, "info")


def _flops_differ(result: Result, found: Figures) -> Iterator[Warn]:
    """Attention, recomputed activations and experts are counted in several ways; a factor shows another mistake."""
    claimed, computed = logged.tflops(result), found.get("tflops_per_device")
    if claimed is None or computed is None or not computed.known or computed.source.startswith("as logged"):
        return
    if not 1 / _FLOPS_AGREE < claimed.value / computed.value < _FLOPS_AGREE:
        what = f"{claimed.value:.1f} TFLOP/s per device by the log, {computed.value:.1f} by {computed.source}"
        yield Warn("reported-flops-differ", what)


def _over_memory(result: Result, found: Figures) -> Iterator[Warn]:
    share, specs = found.get("memory_share"), specs_of(result)
    peak = result.summary.get("memory_bytes")
    if share is not None and share.known:
        if share.value > 1:
            yield Warn("memory-over-total", f"{share.value:.0%} of the device's memory in use", "error")
    elif peak and specs and specs.memory_gb and peak["max"] > specs.memory_gb * 2**30:
        what = f"{peak['max'] / 2**30:.1f} GiB in use, and {specs.name} has {specs.memory_gb:g} GB"
        yield Warn("memory-over-total", what, "error")
