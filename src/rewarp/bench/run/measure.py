"""A plan, carried out: every benchmark becomes a result, also one that failed or was stopped."""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rewarp.bench.config import Benchmark, Plan
from rewarp.bench.derive import derive
from rewarp.bench.result import (
    CONFIGURATION_FIELDS,
    DEVICE_FIELDS,
    Result,
    Series,
    Sourced,
    Warn,
    unknown,
)
from rewarp.bench.run import loop, provenance
from rewarp.bench.run.device import Device
from rewarp.bench.run.power import Meter, NoMeter, meter_of
from rewarp.bench.run.work import Work, prepare, setting
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError

_EXPECTED = ("power cap", "clocks set by an application")
"""A long matrix product reaches the power cap of every card: that is its speed."""

Tell = Callable[[Benchmark], loop.Progress]
"""Called before each benchmark; gives what to call after each step."""


def measure(plan: Plan, device: Device, command: str, tell: Tell) -> Iterator[Result]:
    """The results of a plan, one by one. After Ctrl-C the unfinished one is the last."""
    try:
        meter: Meter | None = meter_of(device)
        no_power = ""
    except NoMeter as reason:
        meter, no_power = None, str(reason)
    with _process_group(plan, device):
        for benchmark in plan.benchmarks:
            result = _one(benchmark, plan, device, meter, no_power, command, tell)
            yield result
            if any(warning.code == "interrupted" for warning in result.warnings):
                return


def with_best_product(results: Sequence[Result]) -> list[Result]:
    """Results that say what share of the best matrix product of the same run, in the same precision, they reach."""
    best: dict[str, Sourced] = {}
    for result in results:
        rate, precision = result.derived.get("tflops_per_device"), _bare_precision(result)
        if result.kind == "matmul" and rate is not None and rate.known:
            if precision not in best or rate.value > best[precision].value:
                best[precision] = Sourced(rate.value, f"measured in the same run: {result.name}")
    return [
        derive(replace(result, device={**result.device, "matmul_tflops": best[precision]}))
        if result.kind != "matmul" and (precision := _bare_precision(result)) in best
        else result
        for result in results
    ]


def _bare_precision(result: Result) -> str:
    return str(result.configuration["precision"].value).partition("-")[0]


@contextmanager
def _process_group(plan: Plan, device: Device) -> Iterator[None]:
    wanted = max(benchmark.devices for benchmark in plan.benchmarks)
    ranks = int(os.environ.get("WORLD_SIZE", 1))
    if any(benchmark.devices not in (1, ranks) for benchmark in plan.benchmarks):
        raise UsageError(f"the plan wants {wanted} devices, and {ranks} ranks were started (torchrun --nproc-per-node)")
    if ranks == 1:
        yield
        return
    from torch import distributed

    if not distributed.is_available():
        raise UsageError("this torch has no torch.distributed")
    distributed.init_process_group(device.process_group)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def _one(
    benchmark: Benchmark, plan: Plan, device: Device, meter: Meter | None, no_power: str, command: str, tell: Tell
) -> Result:
    blank = _blank(benchmark, plan, device, meter, command)
    try:
        with setting(benchmark):
            began = time.perf_counter()
            work = prepare(benchmark, device)
            device.synchronize()
            prepared = time.perf_counter() - began
            progress = tell(benchmark)
            limits = loop.Limits(benchmark.steps, benchmark.seconds, benchmark.rest, alone=benchmark.devices == 1)
            timed = loop.run(work.step, limits, device, meter, progress, work.before_step)
            ran = provenance.backends(work.step, device) if timed.ended != "interrupted" else {}
    except KeyboardInterrupt:
        return _failed(blank, Warn("interrupted", "interrupted before the first step", "error"))
    except (RuntimeError, NotImplementedError, MemoryError, ImportError) as error:
        if benchmark.devices > 1:
            # The other ranks wait for this one: it must end, so that torchrun ends them.
            raise UsageError(f"{benchmark.name}: {_first_line(error)}") from None
        return _failed(blank, Warn("failed", _first_line(error), "error"))
    finally:
        _release(device)
    result = _filled(blank, work, timed, device, meter, no_power, ran)
    result = replace(result, reported={**result.reported, **_apart(benchmark, prepared, timed)})
    return derive(summarise(result))


def _apart(benchmark: Benchmark, prepared: float, timed: loop.Timed) -> dict[str, Sourced]:
    """What comes before steps that are alike: it is in no figure, and some want to know it."""
    found = {"prepare_s": Sourced(prepared, "host clock: inputs and weights made on the device")}
    if timed.times:
        words = "torch.compile and " if benchmark.compile else ""
        found["first_step_s"] = Sourced(timed.times[0], f"the first step: {words}choice of kernels, allocation and all")
    return found


def _failed(blank: Result, why: Warn) -> Result:
    return derive(summarise(replace(blank, warnings=(*blank.warnings, why))))


def _first_line(error: BaseException) -> str:
    words = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {words}"


def _release(device: Device) -> None:
    """What one benchmark held must not be missing for the next."""
    import torch

    gc.collect()
    module: Any = getattr(torch, device.kind, None)
    if device.kind != "cpu" and hasattr(module, "empty_cache"):
        module.empty_cache()


def _blank(benchmark: Benchmark, plan: Plan, device: Device, meter: Meter | None, command: str) -> Result:
    """All that is known before anything runs."""
    said = device.facts() | {"count": Sourced(benchmark.devices, "configuration")}
    bounds = meter.state() if meter is not None else {}
    said |= {name: Sourced(value, meter.source if meter else "") for name, value in bounds.items()}
    methodology = plan.methodology
    if benchmark.overrides:
        methodology += f"; changed for {plan.platform}: {', '.join(benchmark.overrides)}"
    configured = {
        "precision": Sourced(benchmark.precision, "configuration"),
        "methodology": Sourced(methodology, "configuration"),
        "attention": Sourced(benchmark.attention, "configuration"),
        "seed": Sourced(benchmark.seed, "configuration"),
    }
    no_field = f"a {benchmark.kind} benchmark has none"
    return Result(
        name=benchmark.name,
        kind=benchmark.kind,
        platform=Sourced(device.platform, "this machine: torch"),
        device={name: unknown("neither torch nor the spec table tells") for name in DEVICE_FIELDS} | said,
        software=provenance.software(device, meter),
        configuration={name: configured.get(name, unknown(no_field)) for name in CONFIGURATION_FIELDS} | configured,
        provenance=provenance.provenance(command),
    )


def _filled(
    blank: Result,
    work: Work,
    timed: loop.Timed,
    device: Device,
    meter: Meter | None,
    no_power: str,
    ran: dict[str, Sourced],
) -> Result:
    columns: dict[str, tuple[float | None, ...]] = {"time_s": tuple(timed.times)}
    if work.is_loss:
        columns["loss"] = tuple(float(loss) for loss in timed.results)
    for name, values in (("memory_bytes", timed.memory), ("power_w", timed.power)):
        if any(value is not None for value in values):
            columns[name] = tuple(values)
    warnings = list(blank.warnings)
    if timed.ended == "interrupted":
        warnings.append(Warn("interrupted", f"stopped by hand after {len(timed.times)} steps", "warning"))
    elif timed.ended:
        warnings.append(Warn("unfinished-run", f"{timed.ended} after {len(timed.times)} steps", "info"))
    reported = {"wall_s": Sourced(timed.wall_s, "host clock, first to last step, warm-up included")}
    if timed.joules is not None and meter is not None:
        reported["energy_j"] = Sourced(timed.joules, f"{meter.source}: counter of one device, warm-up included")
    elif meter is None:
        reported["energy_j"] = unknown(no_power)
    clocks = meter.clocks_mhz() if meter is not None else {}
    for name, value in clocks.items():
        reported[f"{name}_clock_mhz"] = Sourced(value, f"{meter.source if meter else ''}: just after the last step")
    for reason, share in timed.throttled.items():
        what = f"clocks were held down for {share:.0%} of the time: {reason}"
        warnings.append(Warn("throttled", what, "info" if reason in _EXPECTED else "warning"))
    counted = math.fsum(timed.times)
    if timed.times and not timed.rested and abs(counted / timed.wall_s - 1) > 0.1 and timed.wall_s > 0.1:
        what = f"step times add up to {counted:.3f} s, the host clock says {timed.wall_s:.3f} s"
        warnings.append(Warn("host-clock-disagrees", what))
    return replace(
        blank,
        configuration={**blank.configuration, **work.configuration},
        software={**blank.software, **work.software, **ran},
        series=Series(tuple(range(1, len(timed.times) + 1)), columns),
        reported=reported,
        warnings=tuple(warnings),
    )
