"""Results on a terminal: one line of figures each, then what a reader must know about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewarp.bench.result import Result

_UNKNOWN = "?"


def show(results: Sequence[Result]) -> None:
    from rich.table import Table

    from rewarp.report.console import Console

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("", "device", "step time", "rate", "per device", "of peak", "memory", "warm-up"):
        table.add_column(name, justify="left" if name in ("", "device") else "right")
    for result in results:
        table.add_row(*_cells(result))
    console.print(table)
    styles = {"error": "red", "warning": "yellow"}
    for result in results:
        for warning in result.warnings:
            style = styles.get(warning.severity, "dim")
            where = f" ({warning.where})" if warning.where else ""
            said = f"{warning.severity} · {result.name} · {warning.what}{where} [{warning.code}]"
            console.print(said, style=style, soft_wrap=True, highlight=False)


def _cells(result: Result) -> tuple[str, ...]:
    name, count = result.device.get("name"), result.device.get("count")
    device = str(name.value) if name is not None and name.known else _UNKNOWN
    devices = f"{count.value:g} x " if count is not None and count.known and count.value != 1 else ""
    warm_up = result.summary.get("warm_up")
    memory = result.summary.get("memory_bytes")
    return (
        result.name,
        devices + device,
        _step_time(result.summary.get("time_s")),
        *_rates(result),
        f"{memory['max'] / 2**30:.1f} GiB" if memory else _UNKNOWN,
        f"{warm_up['steps']} of {result.summary['used'] + warm_up['steps']}" if warm_up else _UNKNOWN,
    )


def _step_time(times: Any) -> str:
    """The mean, and how far the 95 % interval reaches."""
    if not times:
        return _UNKNOWN
    interval, mean = times["mean_interval"], times["mean"]
    if interval is None:
        return f"{seconds(mean)} ± ?"
    return f"{seconds(mean)} ± {max(interval['high'] - mean, mean - interval['low']) / mean:.1%}"


def _rates(result: Result) -> tuple[str, str, str]:
    """The rate of the whole, of one device, and the share of what the device could do."""
    derived = result.derived
    moved, share = _value(derived, "bandwidth_bytes_per_s"), _value(derived, "bandwidth_share")
    if moved is not None:
        rate = f"{moved / 1e12:.3g} TB/s" if moved >= 1e12 else f"{moved / 1e9:.3g} GB/s"
        return rate, rate, _percent(share)
    to_train = _value(result.reported, "time_to_train_s")
    if to_train is not None:
        return f"{to_train / 60:,.2f} min to train", _UNKNOWN, _UNKNOWN
    flops = _value(derived, "tflops_per_device")
    tokens = _value(derived, "tokens_per_s")
    whole = f"{tokens:,.0f} tokens/s" if tokens is not None else _UNKNOWN
    return whole, _flops(flops), _percent(_value(derived, "mfu"))


def _flops(tflops: float | None) -> str:
    if tflops is None:
        return _UNKNOWN
    return f"{tflops:,.1f} TFLOP/s" if tflops >= 1 else f"{tflops * 1e3:,.3g} GFLOP/s"


def _value(facts: Any, name: str) -> float | None:
    fact = facts.get(name)
    return float(fact.value) if fact is not None and fact.known else None


def _percent(share: float | None) -> str:
    return _UNKNOWN if share is None else f"{share:.1%}"


def seconds(value: float) -> str:
    """With the unit that makes it a readable number."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value / 1e-9:.3g} ns"
