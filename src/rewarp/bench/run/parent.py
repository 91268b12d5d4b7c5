"""Measures in processes of their own, several one after the other where that is short, and puts their results together."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any

from rewarp import printing
from rewarp.bench import config, json_file, processes, stats
from rewarp.bench.derive import derive
from rewarp.bench.result import Result, Warn
from rewarp.bench.run.measure import measure, with_best_product
from rewarp.bench.summary import summarise
from rewarp.errors import UsageError

SEVERAL = 3
"""Processes for a benchmark that is short."""
MANY = 6
"""For one whose processes differ by much."""
_MUCH = 0.02
"""Of the mean, which the interval reaches to either side."""
SHORT_S = 30.0
_MOST_SHOWN = 4000
"""Characters of what a process that died had printed."""

Progress = Callable[[str, int, int], None]
"""Which benchmark in which process, how many steps are done, of how many."""


@dataclass(frozen=True)
class Request:
    """What is to be measured."""

    data: Mapping[str, Any]
    """A configuration as it was read."""
    source: str
    device: str | None
    command: str
    changes: Mapping[str, Any]
    only: str | None = None
    processes: int | None = None
    """For all benchmarks; None: as each says."""


@dataclass(frozen=True)
class Planned:
    platform: str
    names: tuple[str, ...]
    places: tuple[int, ...]
    """Of the benchmarks that are chosen."""
    devices: tuple[int, ...]
    """Of the chosen ones."""
    processes: tuple[int, ...]
    """By benchmark of the whole plan; 0: as its time allows."""

    @property
    def needs_ranks(self) -> bool:
        return max(self.devices) > 1


class _Stopped(Exception):
    """Ctrl-C, or a process that died: what came before counts."""


def platforms() -> list[str]:
    """What torch can use here, the accelerator first; UsageError where there is no torch."""
    with _Child({"ask": "platforms"}) as child:
        for kind, value in child.answers():
            if kind == "platforms":
                return list(value)
    raise UsageError(f"torch could not be asked for its devices{child.last_words()}")


def plan(request: Request) -> Planned:
    """What the configuration comes to on this machine. Nothing is measured."""
    with _Child(_asked(request, ())) as child:
        found = next((value for kind, value in child.answers() if kind == "plan"), None)
    if found is None:
        raise UsageError(f"the measuring process ended before it began{child.last_words()}")
    all_of = found["benchmarks"]
    names = tuple(one["name"] for one in all_of)
    places = tuple(place for place, name in enumerate(names) if request.only is None or fnmatchcase(name, request.only))
    if not places:
        raise UsageError(f"--only {request.only}: no such benchmark; there are {', '.join(names)}")
    devices = tuple(all_of[place]["devices"] for place in places)
    wanted = tuple(one["processes"] if request.processes is None else request.processes for one in all_of)
    return Planned(found["platform"], names, places, devices, wanted)


def measured_here(request: Request) -> list[Result]:
    """In this process, which is one of several ranks."""
    from rewarp.bench.run.device import choose

    device = choose(request.device)
    plan = config.plan_of(request.data, Path(request.source), device.platform, request.changes)
    chosen = [one for one in plan.benchmarks if request.only is None or fnmatchcase(one.name, request.only)]
    found = measure(replace(plan, benchmarks=tuple(chosen)), device, request.command, lambda benchmark: _silent)
    return with_best_product(list(found))


def _silent(done: int, steps: int) -> None:
    """Of several ranks none counts its steps aloud."""


def measured(request: Request, planned: Planned, progress: Progress) -> list[Result]:
    """The results of the chosen benchmarks, each of all its processes."""
    wanted = planned.processes
    found: dict[int, list[Result]] = {place: [] for place in planned.places}
    left = {place: wanted[place] for place in planned.places}
    number = 0
    try:
        while places := [place for place in planned.places if left[place] != 0 or number == 0]:
            number += 1
            for place, result, seconds in _one_process(request, planned, places, number, progress):
                found[place].append(result)
                broken = any(warning.code in ("failed", "interrupted") for warning in result.warnings)
                many = wanted[place] or _needed(found[place], seconds)
                left[place] = 0 if broken else many - number
    except _Stopped as why:
        if not any(found.values()):
            raise UsageError(str(why)) from None
        found = _noted(found, str(why))
    return with_best_product([_together(those) for those in found.values() if those])


def _needed(results: Sequence[Result], seconds: float) -> int:
    """How many processes a benchmark needs that does not say it: more where those so far differ by much."""
    if seconds > SHORT_S:
        return 1
    means = [mean for one in results if (mean := (one.summary.get("time_s") or {}).get("mean"))]
    differ = len(means) >= SEVERAL and stats.student_reach(means) > _MUCH * statistics.fmean(means)
    return MANY if differ else SEVERAL


def _noted(found: dict[int, list[Result]], why: str) -> dict[int, list[Result]]:
    """The last result of each says that not all processes came."""
    note = Warn("interrupted", why, "warning")
    return {
        place: [*those[:-1], replace(those[-1], warnings=(*those[-1].warnings, note))] if those else []
        for place, those in found.items()
    }


def _together(results: Sequence[Result]) -> Result:
    whole = [result for result in results if result.series.step] or list(results)
    if len(whole) > 1:
        return derive(summarise(processes.joined(whole)))
    what = "one process measured it: how runs differ from each other is not in its interval"
    return replace(whole[0], warnings=(*whole[0].warnings, Warn("one-process", what, "info")))


def _one_process(
    request: Request, planned: Planned, places: Sequence[int], number: int, progress: Progress
) -> Iterator[tuple[int, Result, float]]:
    """Result by result, with the place of its benchmark and the seconds it took."""
    waiting, name, began = list(places), "", time.monotonic()
    with _Child(_asked(request, places)) as child:
        for kind, value in child.answers():
            if kind == "begins":
                began = time.monotonic()
                name = f"[{places.index(waiting[0]) + 1}/{len(places)}] {value}, process {number}"
            elif kind == "progress":
                progress(name, *value)
            elif kind == "result":
                result = json_file.results_of(value)[0]
                yield waiting.pop(0), result, time.monotonic() - began
                if any(warning.code == "interrupted" for warning in result.warnings):
                    raise _Stopped("stopped by hand")
            elif kind == "interrupted":
                raise _Stopped("stopped by hand")
    if waiting:
        dead = planned.names[waiting[0]]
        raise _Stopped(f"the process that measured {dead} died{child.last_words()}")


def _asked(request: Request, places: Sequence[int]) -> dict[str, Any]:
    return {
        "data": dict(request.data),
        "source": request.source,
        "device": request.device,
        "changes": dict(request.changes),
        "places": list(places),
        "command": request.command,
    }


class _Child:
    """A process that measures. What it prints beside its answers is kept, for the case that it dies."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request

    def __enter__(self) -> _Child:
        self._printed: IO[bytes] = tempfile.TemporaryFile()
        # The current folder may hold files of a stranger's, called like modules that are imported here.
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rewarp.bench.run.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            env=environment,
        )
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(self._request).encode())
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; its last words say why
        return self

    def __exit__(self, *raised: object) -> None:
        if self._process.poll() is None:
            try:
                self._process.wait(10)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                self._process.kill()
                self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._words = self._tail()
        self._printed.close()

    def answers(self) -> Iterator[tuple[str, Any]]:
        """As they come. Ctrl-C reaches the child too, which answers with what it has."""
        assert self._process.stdout is not None
        while True:
            try:
                line = self._process.stdout.readline()
            except KeyboardInterrupt:
                continue
            if not line:
                return
            kind, value = next(iter(json.loads(line).items()))
            if kind == "error":
                raise UsageError(str(value))
            yield kind, value

    def _tail(self) -> str:
        self._printed.seek(0)
        return self._printed.read()[-_MOST_SHOWN:].decode("utf-8", "replace").strip()

    def last_words(self) -> str:
        """How it ended, and the last line it printed; all of that is told on standard error."""
        status = self._process.returncode
        if self._words:
            printing.tell(self._words)
        return f" (exit status {status})" if status and status > 0 else f" (signal {-status})" if status else ""
