"""The timed loop: every step between two marks in the device's own time; Ctrl-C keeps what was measured."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rewarp.bench.run.device import Device
from rewarp.bench.run.power import Meter, Watch

_AHEAD = 3
"""Steps that may be on their way: enough to keep the device busy, few enough to show progress and to stop soon."""


@dataclass
class Timed:
    """What a loop saw. Lists are as long as the steps that were finished."""

    times: list[float] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    """What each step returned, still on the device."""
    memory: list[float | None] = field(default_factory=list)
    power: list[float | None] = field(default_factory=list)
    wall_s: float = 0.0
    joules: float | None = None
    """Of the device over the whole loop."""
    rested: bool = False
    """Whether the wall clock holds pauses."""
    throttled: dict[str, float] = field(default_factory=dict)
    """Why clocks were held down, and for which share of the time."""
    ended: str | None = None
    """Why it ended before the last step; None where it did not."""


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Limits:
    steps: int
    seconds: float
    """No step begins after this long."""
    rest: float = 0.0
    """Seconds of idleness after each step; they are in no step's time."""
    alone: bool = True
    """One rank. Several must make the same steps: none stops by its own clock, or waits for steps the others left."""


def run(
    step: Callable[[], Any],
    limits: Limits,
    device: Device,
    meter: Meter | None,
    progress: Progress,
    before_step: Callable[[], Any] | None = None,
) -> Timed:
    """Run a step so many times, or until so many seconds have passed. What goes before each step is in no step's time."""
    timed = Timed(rested=limits.rest > 0 or before_step is not None)
    pending: deque[tuple[Any, Any, Any]] = deque()
    done_at: list[float] = []

    def finish() -> None:
        start, end, result = pending.popleft()
        device.wait_for(end)
        done_at.append(time.perf_counter())
        timed.times.append(device.seconds(start, end))
        timed.results.append(result)
        timed.memory.append(device.peak_memory())
        progress(len(timed.times), limits.steps)

    device.synchronize()
    device.forget_memory()
    before = meter.joules() if meter else None
    began = time.perf_counter()
    done_at.append(began)
    with Watch(meter) as watch:
        try:
            start = device.mark()
            for _ in range(limits.steps):
                if limits.alone and time.perf_counter() - began > limits.seconds:
                    timed.ended = f"the limit of {limits.seconds:g} s was reached"
                    break
                if before_step is not None:
                    before_step()
                    start = device.mark()
                result = step()
                device.end_step()
                end = device.mark()
                pending.append((start, end, result))
                start = end
                if limits.rest:
                    finish()
                    time.sleep(limits.rest)
                    start = device.mark()
                elif len(pending) > _AHEAD:
                    finish()
        except KeyboardInterrupt:
            timed.ended = "interrupted"
            if not limits.alone:
                pending.clear()
        while pending:
            finish()
        timed.wall_s = time.perf_counter() - began
    after = meter.joules() if meter else None
    timed.joules = after - before if before is not None and after is not None and after >= before else None
    timed.power = watch.mean_between(done_at)
    timed.throttled = {reason: count / watch.looks for reason, count in watch.throttled.items()}
    return timed
