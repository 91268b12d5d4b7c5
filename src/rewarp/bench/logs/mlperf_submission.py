"""A folder of MLPerf results: SYSTEM/BENCHMARK/result_N.txt, with systems/SYSTEM.json beside, becomes one score."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewarp.bench.logs.base import Facts
from rewarp.bench.logs.json_objects import JsonObject, integer, number, word
from rewarp.bench.logs.mlperf_power import is_power_log, with_power
from rewarp.bench.mlperf import RUNS, left_out_on_each_side, olympic_mean
from rewarp.bench.result import Result, Series, Sourced, Warn, unknown
from rewarp.lang import parsers

_FILE = re.compile(r"result_(\d+)\.(?:txt|log)(?:\.gz)?")
_SOFTWARE = ("framework", "operating_system", "other_software_stack")
_PLATFORMS = (
    ("rocm", r"\bROCm\b|\bMIGraphX\b"),
    ("hpu", r"Gaudi|Habana"),
    ("tpu", r"\bTPU"),
    ("cuda", r"\bCUDA\b|NVIDIA"),
)


@dataclass(frozen=True)
class Submission:
    """The runs of one benchmark on one system."""

    folder: Path
    runs: Sequence[Result]

    @property
    def benchmark(self) -> str:
        named = {str(known.value) for run in self.runs if (known := run.configuration["model"]).known}
        return named.pop() if len(named) == 1 else self.folder.name


def submissions(results: list[Result]) -> list[Result]:
    """Runs that lie in one folder as result_0.txt, result_1.txt, … become one result; the others stay as they are."""
    folders: dict[Path, dict[int, list[Result]]] = {}
    powers: dict[Path, list[Result]] = {}
    alone = []
    for result in results:
        file = _file(result)
        if file and is_power_log(result):
            # FOLDER/power/result_N/NODE.txt
            powers.setdefault(file.parent.parent.parent, []).append(result)
            continue
        found = _FILE.fullmatch(file.name) if file else None
        if file and found:
            folders.setdefault(file.parent, {}).setdefault(int(found[1]), []).append(result)
        else:
            alone.append(result)
    joined = []
    for folder, files in sorted(folders.items()):
        ordered = [runs for _, runs in sorted(files.items())]
        if len(files) > 1:
            # A file is a run, by the rules its first; what follows stays by itself.
            score = _score(Submission(folder, [runs[0] for runs in ordered]))
            joined.append(with_power(score, powers.pop(folder, [])))
            alone += [run for runs in ordered for run in runs[1:]]
        else:
            alone += ordered[0]
    return [*joined, *alone, *(log for logs in powers.values() for log in logs)]


def _file(result: Result) -> Path | None:
    files = list(result.provenance.get("files", ()))
    return Path(files[-1]) if files else None


def _score(submission: Submission) -> Result:
    description, scaling = _description(submission.folder), _Beside(submission.folder / "scaling.json")
    facts = _facts(submission, description)
    times = [_time(run) for run in submission.runs]
    left_out = left_out_on_each_side(submission.benchmark)
    mean, scale = olympic_mean(times, left_out), _scale(scaling)
    reported = {
        "runs": Sourced(len(times), f"{submission.folder.name}: files result_N"),
        "runs_that_reached_the_target": Sourced(sum(time is not None for time in times), "run_stop: success"),
    }
    needed = RUNS.get(submission.benchmark)
    if mean is not None and needed is not None and len(times) < needed:
        why = f"{len(times)} runs where {submission.benchmark} needs {needed}: there is no score"
        reported["time_to_train_s"] = unknown(why)
    elif mean is not None:
        counted = len(times) - 2 * left_out
        source = f"computed: olympic mean, {counted} of {len(times)} runs"
        if counted == 1:
            source = f"computed: the middle one of {len(times)} runs, which is what the olympic mean leaves"
        if scale:
            reported["scaling_factor"] = scale
            source += f" x {scale.value:g} ({scale.source})"
        reported["time_to_train_s"] = Sourced(mean * (scale.value if scale else 1.0), source)
    return Result(
        name=f"{submission.folder.parent.name}/{submission.folder.name}",
        kind="mlperf",
        platform=facts.platform(),
        device=facts.device(),
        software=facts.software(),
        configuration=facts.configuration(),
        series=Series(tuple(range(1, len(times) + 1)), {"run_time_s": tuple(times)}),
        reported=reported,
        warnings=tuple(_warnings(submission, times, mean)),
        provenance={
            "dialect": "mlperf",
            "why": f"{len(times)} files result_N with lines :::MLLOG in one folder",
            "files": {
                **{name: digest for run in submission.runs for name, digest in run.provenance["files"].items()},
                **{str(beside.file): beside.digest for beside in (description, scaling) if beside.digest},
            },
        },
    )


def _time(run: Result) -> float | None:
    """Seconds from run_start to run_stop of a run that reached the target."""
    time, status = run.reported.get("run_time_s"), run.reported.get("status")
    good = time is not None and status is not None and status.value == "success" and time.value > 0
    return float(time.value) if time is not None and good else None


def _facts(submission: Submission, description: _Beside) -> Facts:
    """What the system description says, then what the runs agree on."""
    facts = Facts()
    name = f"systems/{description.file.name}"
    if description.values:
        _add_system(facts, description.values, name)
    else:
        facts.add("device.name", None, f"no system description {name}")
    for section in ("configuration", "device"):
        for name in getattr(submission.runs[0], section):
            values = [getattr(run, section).get(name) for run in submission.runs]
            if values[0] is not None and values[0].known and all(v and v.value == values[0].value for v in values):
                facts.add(f"{section}.{name}", values[0].value, f"every run, {values[0].source}")
    facts.add("configuration.model", submission.benchmark, "the folder's name")
    return facts


class _Beside:
    """A JSON file beside the runs: what it holds, and the digest of what was read; neither where there is none."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.values: JsonObject = {}
        self.digest: str | None = None
        try:
            data = file.read_bytes()
            found = parsers.from_json(data)
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(found, dict):
            self.values, self.digest = found, hashlib.sha256(data).hexdigest()


def _description(folder: Path) -> _Beside:
    """ROOT/systems/SYSTEM.json for ROOT/results/SYSTEM/BENCHMARK."""
    system = folder.resolve().parent
    return _Beside(system.parent.parent / "systems" / f"{system.name}.json")


def _add_system(facts: Facts, system: JsonObject, source: str) -> None:
    if name := word(system.get("accelerator_model_name")):
        facts.add("device.name", name, f"{source}: accelerator_model_name")
    nodes, each = integer(system.get("number_of_nodes")), integer(system.get("accelerators_per_node"))
    if nodes and each:
        facts.add("device.count", nodes * each, f"{source}: {nodes} nodes x {each} accelerators")
    for key in _SOFTWARE:
        if value := word(system.get(key)):
            facts.add(f"software.{key}", value, source)
    if value := word(system.get("system_name")):
        facts.add("configuration.system", value, source)
    said = f"{system.get('accelerator_model_name')} {system.get('framework')} {system.get('other_software_stack')}"
    for platform, pattern in _PLATFORMS:
        if re.search(pattern, said, re.IGNORECASE):
            facts.add("platform", platform, f"{source}: accelerator and framework")


def _scale(scaling: _Beside) -> Sourced | None:
    value = number(scaling.values.get("scaling_factor"))
    return Sourced(value, "scaling.json") if value else None


def _warnings(submission: Submission, times: list[float | None], mean: float | None) -> Iterator[Warn]:
    benchmark, failed = submission.benchmark, sum(time is None for time in times)
    for run, time in zip(submission.runs, times):
        file = _file(run)
        if time is None:
            why = next((warning.what for warning in run.warnings if warning.severity == "error"), "it has no time")
            yield Warn("run-failed", f"counts as the slowest: {why}", "warning", file.name if file else None)
    needed = RUNS.get(benchmark)
    if needed is None:
        yield Warn("unknown-benchmark", f"how many runs {benchmark} needs is not known", "info")
    elif len(times) < needed:
        yield Warn("too-few-runs", f"{len(times)} runs where {benchmark} needs {needed}: no official score")
    elif len(times) > needed:
        yield Warn("too-many-runs", f"{len(times)} runs where {benchmark} has {needed}: which ones count is not known")
    if mean is None:
        allowed = left_out_on_each_side(benchmark)
        what = f"no score: {failed} of {len(times)} runs failed where {allowed} may"
        if failed <= allowed:
            what = f"no score: of {len(times)} runs none is left without the {allowed} fastest and slowest"
        yield Warn("no-score", what, "error")
    yield Warn("compliance-not-checked", "target quality and hyperparameters were not held against the rules", "info")
