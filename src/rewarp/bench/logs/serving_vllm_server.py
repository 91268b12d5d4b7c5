"""What a vLLM server logs of itself every ten seconds: `Avg prompt throughput: 279.4 tokens/s, …`."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import NamedTuple

from rewarp.bench.logs.base import Facts, Fold, LineDialect
from rewarp.bench.logs.json_objects import integer
from rewarp.bench.result import Result, Series, Sourced, Warn

_RATES = re.compile(
    r"Avg prompt throughput: (?P<prompt>\d+(?:\.\d+)?) tokens/s, Avg generation throughput: (?P<out>\d+(?:\.\d+)?) tokens/s"
    r"(?:, Running: (?P<running>\d{1,9}) reqs)?"
)
_STAMP = re.compile(r"\b(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\b")
_ENGINE = re.compile(r"Engine (\d{1,9}):")
_START = re.compile(r"Initializing an? (?:V\d )?LLM engine \(v(?P<version>[^)]+)\) with config: (?P<config>.*)")
_OPTION = re.compile(
    r"\b(model|dtype|max_seq_len|tensor_parallel_size|pipeline_parallel_size|quantization)=('[^']*'|[^,\s]+)"
)
_ONE_ROUND = 2.0
_LONGEST_WINDOW = 60.0
"""A server that is idle logs nothing: a longer pause is not the time in which the tokens of the next line were made."""


class Window(NamedTuple):
    """One line: rates since the line before."""

    stamp: float | None
    engine: int
    prompt: float
    out: float
    running: int | None


class VllmServer(LineDialect):
    name = "vllm-server"
    title = "vLLM server"
    looks_for = "Avg prompt throughput: 279.4 tokens/s, Avg generation throughput: 209.9 tokens/s, Running: 9 reqs"
    anchors = (b"Avg prompt throughput: ", b" LLM engine (v")

    def fold(self) -> Fold:
        return _Windows()


class _Windows:
    anchors = VllmServer.anchors

    def __init__(self) -> None:
        self._facts = Facts()
        self._windows: list[Window] = []
        self._first_at = 0

    def feed(self, number: int, line: bytes) -> bool:
        text = line.decode("utf-8", "replace")
        if start := _START.search(text):
            self._options(start["version"], start["config"], f"log line {number}")
            return False
        rates = _RATES.search(text)
        if not rates:
            return False
        engine, running = _ENGINE.search(text), rates["running"]
        self._windows.append(
            Window(
                stamp=_seconds(text),
                engine=int(engine[1]) if engine else 0,
                prompt=float(rates["prompt"]),
                out=float(rates["out"]),
                running=int(running) if running else None,
            )
        )
        self._first_at = self._first_at or number
        return True

    def _options(self, version: str, config: str, where: str) -> None:
        self._facts.add("software.vllm", version, where)
        options = {found[1]: found[2].strip("'") for found in _OPTION.finditer(config)}
        for option, field in (("model", "model"), ("max_seq_len", "context"), ("dtype", "precision")):
            if option in options:
                self._facts.add(f"configuration.{field}", options[option].removeprefix("torch."), f"{where}: {option}")
        if options.get("quantization", "None") != "None":
            precision = f"{options.get('dtype', '').removeprefix('torch.')} with {options['quantization']}"
            self._facts.found["configuration.precision"] = Sourced(precision, f"{where}: dtype, quantization")
        tensor, pipeline = (integer(options.get(f"{name}_parallel_size", "1")) for name in ("tensor", "pipeline"))
        if tensor and pipeline:
            self._facts.add("configuration.parallelism", f"tp{tensor} pp{pipeline}", where)
            self._facts.add(
                "configuration.devices_per_engine", tensor * pipeline, f"{where}: tensor x pipeline parallel"
            )

    def results(self, name: str) -> list[Result]:
        if not self._windows:
            return []
        facts = self._facts
        engines = len({window.engine for window in self._windows})
        per_engine = facts.found.get("configuration.devices_per_engine")
        if per_engine:
            facts.add("device.count", per_engine.value * engines, f"{per_engine.source}; {engines} engines speak")
        facts.add("configuration.workload", "whatever the server was asked", "a server's log does not say")
        series, idle = _series(self._windows)
        return [
            Result(
                name=name,
                kind="inference",
                platform=facts.platform(),
                device=facts.device(),
                software=facts.software(),
                configuration=facts.configuration(),
                series=series,
                warnings=_warnings(len(self._windows), idle, f"log line {self._first_at}"),
                provenance={
                    "dialect": VllmServer.name,
                    "why": f"{len(self._windows)} lines «Avg prompt throughput», the first on line {self._first_at}",
                },
            )
        ]


def _seconds(text: str) -> float | None:
    """The stamp, which has no year: a leap year, so that every day of it exists."""
    found = _STAMP.search(text)
    if not found:
        return None
    try:
        month, day, hour, minute, second = (int(part) for part in found.groups())
        return datetime(2000, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _rounds(windows: list[Window]) -> list[list[Window]]:
    """Lines of several engines that speak of the same ten seconds."""
    found: list[list[Window]] = []
    for window in windows:
        now = found[-1] if found else []
        apart = abs((window.stamp or 0) - (now[0].stamp or 0)) > _ONE_ROUND if now else True
        if apart or any(window.engine == other.engine for other in now):
            found.append([window])
        else:
            now.append(window)
    return found


def _series(windows: list[Window]) -> tuple[Series, int]:
    """Rounds with work in them; one in which nothing is answered is no measure of speed."""
    before: float | None = None
    kept: list[tuple[list[Window], float | None]] = []
    rounds = _rounds(windows)
    for windows in rounds:
        stamp = windows[0].stamp
        time = stamp - before if stamp is not None and before is not None else None
        before = stamp
        if any(window.out for window in windows):
            kept.append((windows, time if time is not None and 0 < time <= _LONGEST_WINDOW else None))
    rates = [sum(window.out for window in windows) for windows, _ in kept]
    columns: dict[str, tuple[float | None, ...]] = {
        "time_s": tuple(time for _, time in kept),
        "tokens": tuple(rate * time if time is not None else None for rate, (_, time) in zip(rates, kept)),
        "tokens_per_s": tuple(rates),
        "prompt_tokens_per_s": tuple(sum(window.prompt for window in windows) for windows, _ in kept),
        "requests_in_flight": tuple(float(sum(window.running or 0 for window in windows)) for windows, _ in kept),
    }
    return Series(tuple(range(1, len(kept) + 1)), columns), len(rounds) - len(kept)


def _warnings(windows: int, idle: int, where: str) -> tuple[Warn, ...]:
    found = [
        Warn(
            "load-not-known", "a server's own log: its rates say what was asked of it, not what it can do", where=where
        )
    ]
    if idle:
        what = f"{idle} of {windows} windows without a generated token are left out"
        found.append(Warn("idle-windows", what, "info", where))
    return tuple(found)


VLLM_SERVER = VllmServer()
