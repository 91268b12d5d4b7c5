"""MLPerf: one run from its lines, a submission from its runs, and failed runs as the rules treat them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.bench.logs import read_logs
from rewarp.bench.logs.mlperf import MLPERF
from rewarp.bench.mlperf import RUNS, left_out_on_each_side, olympic_mean
from rewarp.bench.result import Result

START = 1_700_000_000_000


def event(key: str, ms: int = 0, value: Any = None, **metadata: Any) -> str:
    body = {"namespace": "", "time_ms": START + ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**body, "metadata": {"file": "train.py", "lineno": 1, **metadata}})


def log(seconds: float | None = 100.0, status: str | None = "success", benchmark: str = "bert") -> str:
    """A run of so many seconds; without them, one that never stopped."""
    lines = [
        event("submission_benchmark", value=benchmark),
        event("global_batch_size", value=256),
        event("max_sequence_length", value=512),
        event("weights_initialization", value=None, tensor="w"),
        event("run_start", 1000),
        event("tracked_stats", 2000, {"throughput": 512.0, "train_step_time": 0.5}, step=256),
        event(
            "tracked_stats", 3000, {"throughput": 640.0, "train_step_time": 0.4, "reduced_train_loss": 2.5}, step=512
        ),
        event("eval_accuracy", 4000, 0.721, samples_count=512),
    ]
    if seconds is not None:
        lines.append(event("run_stop", 1000 + round(seconds * 1000), status=status, samples_count=512))
    return "\n".join(lines) + "\n"


def read(text: str) -> list[Result]:
    fold = MLPERF.fold()
    for number, line in enumerate(text.encode().split(b"\n"), 1):
        if any(anchor in line for anchor in MLPERF.anchors):
            assert fold.feed(number, line)
    return fold.results("result_0.txt")


def errors(result: Result) -> list[str]:
    return [warning.code for warning in result.warnings if warning.severity == "error"]


# --- one run ------------------------------------------------------------------------------


def test_a_run() -> None:
    (run,) = read(log(1234.5))
    assert run.kind == "mlperf"
    assert run.reported["run_time_s"].value == 1234.5
    assert run.reported["status"].value == "success"
    assert run.reported["last_eval_accuracy"].value == 0.721
    assert run.configuration["model"].value == "bert"
    assert run.configuration["model"].source.startswith("log line 1")
    assert run.configuration["global_batch"].value == 256
    assert run.configuration["sequence"].value == 512
    assert list(run.series.step) == [256, 512]
    assert run.series.columns["time_s"] == (0.5, 0.4)
    assert run.series.columns["loss"] == (None, 2.5)
    assert run.device["name"].value is None
    assert errors(run) == []


@pytest.mark.parametrize("prefix", ["0: ", "[rank3]: ", "2026-01-02 node7 ", "\x00"])
def test_a_prefix_does_not_matter(prefix: str) -> None:
    (run,) = read("".join(f"{prefix}{line}\n" for line in log().splitlines()))
    assert run.reported["run_time_s"].value == 100


def test_version_06() -> None:
    text = (
        ':::MLL 1560873514.70 submission_benchmark: {"value": "minigo", "metadata": {"lineno": 0}}\n'
        ':::MLL 1560873515.00 run_start: {"value": null, "metadata": {"lineno": 1}}\n'
        '0: :::MLL 1560873516.00 eval_accuracy: {"value": 0.51, "metadata": {"epoch_num": 1}}\n'
        ':::MLL 1560873615.50 run_stop: {"value": null, "metadata": {"status": "success"}}\n'
        ":::MLL 1560873615.50 run_stop: {\n:::MLL soon run_stop: {}\n"
    )
    (run,) = read(text)
    assert run.reported["run_time_s"].value == pytest.approx(100.5)
    assert run.configuration["model"].value == "minigo"
    assert run.reported["last_eval_accuracy"].value == 0.51
    assert [warning.code for warning in run.warnings] == ["broken-lines"]


def test_every_rank_says_the_same_and_counts_once() -> None:
    lines = [line for line in log().splitlines() for _ in range(4)]
    (run,) = read("\n".join(lines))
    assert run.reported["run_time_s"].value == 100
    assert len(run.series.step) == 2
    assert run.configuration["global_batch"].value == 256


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (log(None), "no run_stop"),
        (log(100, "aborted"), "aborted"),
        (log(100, None), "nothing"),
        (log().replace('"run_start"', '"run_begin"'), "no run_start"),
    ],
)
def test_runs_that_did_not_reach_the_target(text: str, words: str) -> None:
    (run,) = read(text)
    assert errors(run) == ["unfinished-run"]
    assert words in run.warnings[0].what


def test_losses_without_a_step_are_counted() -> None:
    (run,) = read("\n".join(event("train_loss", value=loss) for loss in (3.0, 2.0, 1.0)))
    assert list(run.series.step) == [1, 2, 3]
    assert run.series.columns["loss"] == (3.0, 2.0, 1.0)


def test_a_clock_that_goes_back() -> None:
    assert errors(read(log(-5.0))[0]) == ["run-clock-backwards"]


def test_two_runs_in_one_file() -> None:
    first, second = read(log(100) + log(200))
    assert (first.reported["run_time_s"].value, second.reported["run_time_s"].value) == (100, 200)


def test_broken_lines_are_told_and_the_rest_is_read() -> None:
    text = log() + ':::MLLOG {"namespace": "", "key": "tracked_stats", "val\n:::MLLOG [1, 2]\n:::MLLOG \n'
    (run,) = read(text)
    assert run.reported["run_time_s"].value == 100
    assert [warning.code for warning in run.warnings] == ["broken-lines"]


def test_odd_values() -> None:
    odd = event("tracked_stats", 5, [1], step="x") + "\n" + event("run_start", 0).replace(str(START), '"soon"') + "\n"
    (run,) = read(odd + event("tracked_stats", 5, {"throughput": "NaN", "train_step_time": None}, step=7))
    assert run.series.step == ()
    assert "run_time_s" not in run.reported


# --- a submission -------------------------------------------------------------------------


SYSTEM = {
    "accelerator_model_name": "AMD Instinct MI300X 192GB HBM3",
    "accelerators_per_node": "8",
    "number_of_nodes": "2",
    "framework": "PyTorch 2.6.0, ROCm 6.4",
    "system_name": "box",
}


def submission(
    root: Path, logs: Sequence[str], system: object = SYSTEM, scale: object = None, benchmark: str = "bert"
) -> list[Result]:
    folder = root / "ORG" / "results" / "box_pytorch" / benchmark
    folder.mkdir(parents=True)
    (root / "ORG" / "systems").mkdir()
    if system is not None:
        (root / "ORG" / "systems" / "box_pytorch.json").write_text(json.dumps(system))
    if scale is not None:
        (folder / "scaling.json").write_text(json.dumps({"scaling_factor": scale}))
    runs = []
    for number, text in enumerate(logs):
        (folder / f"result_{number}.txt").write_text(text)
        files = {str(folder / f"result_{number}.txt"): "digest"}
        runs += [replace(run, provenance={**run.provenance, "files": files}) for run in read(text)]
    return MLPERF.join(runs)


def test_a_submission_is_the_olympic_mean_of_its_runs(tmp_path: Path) -> None:
    times = [100, 110, 90, 105, 95, 102, 98, 101, 99, 400]
    (score,) = submission(tmp_path, [log(time) for time in times], scale=1.05)
    kept = sorted(times)[1:-1]
    assert score.reported["time_to_train_s"].value == pytest.approx(sum(kept) / 8 * 1.05)
    assert "8 of 10 runs x 1.05 (scaling.json)" in score.reported["time_to_train_s"].source
    assert list(score.series.step) == list(range(1, 11))
    assert score.name == "box_pytorch/bert"
    assert score.series.columns["run_time_s"] == tuple(times)
    assert (score.device["name"].value, score.device["count"].value) == (SYSTEM["accelerator_model_name"], 16)
    assert score.device["name"].source == "systems/box_pytorch.json: accelerator_model_name"
    assert score.platform.value == "rocm"
    assert score.configuration["global_batch"].value == 256
    beside = [Path(file).name for file in score.provenance["files"]][10:]
    assert beside == ["box_pytorch.json", "scaling.json"]
    assert [warning.code for warning in score.warnings] == ["compliance-not-checked"]


def test_what_lies_beside_the_runs_is_read_with_them(tmp_path: Path) -> None:
    submission(tmp_path, [log(100 + number) for number in range(10)], scale=1.05)
    folder = tmp_path / "ORG" / "results" / "box_pytorch" / "bert"
    for number in range(10):
        power = folder / "power" / f"result_{number}"
        power.mkdir(parents=True)
        for node, watts in (("node_0", 9000.0), ("node_1", 7000.0)):
            lines = [event("power_measurement_start"), *(event("power_reading", ms, watts) for ms in (1000, 2000))]
            (power / f"{node}.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "ORG" / "systems" / "another.json").write_text("{}")
    read_in = read_logs([tmp_path])
    (score,) = read_in.results
    assert not errors(score)
    assert score.reported["system_power_w"].value == 16000
    assert [one.file.name for one in read_in.unread] == ["another.json"]
    assert len(score.provenance["files"]) == 10 + 20 + 2


def test_a_power_log_by_itself_is_no_run_that_failed(tmp_path: Path) -> None:
    (tmp_path / "node_0.txt").write_text(
        event("power_reading", 1000, 500.0) + "\n" + event("power_reading", 2000, 700.0)
    )
    (result,) = read_logs([tmp_path]).results
    assert not errors(result)
    assert result.reported["node_power_w"].value == 600
    assert "time_to_train_s" not in result.reported


def test_the_terminal_shows_the_time_to_train(tmp_path: Path) -> None:
    from rewarp.cli.bench.table import _cells

    submission(tmp_path, [log(120) for _ in range(10)])
    (score,) = read_logs([tmp_path]).results
    assert "2.00 min to train" in _cells(score)


def test_one_failed_run_is_the_slowest(tmp_path: Path) -> None:
    logs = [log(time) for time in (100, 110, 90, 105, 95, 102, 98, 101, 99)] + [log(50, "aborted")]
    (score,) = submission(tmp_path, logs)
    # Its 50 seconds would be the fastest; instead 90 is left out as the fastest, and nothing else.
    assert score.reported["time_to_train_s"].value == pytest.approx((100 + 110 + 105 + 95 + 102 + 98 + 101 + 99) / 8)
    assert (score.warnings[0].code, score.warnings[0].where) == ("run-failed", "result_9.txt")
    assert score.reported["runs_that_reached_the_target"].value == 9
    assert "aborted" in score.warnings[0].what


def test_two_failed_runs_leave_no_score(tmp_path: Path) -> None:
    (score,) = submission(tmp_path, [log(100)] * 8 + [log(None)] * 2)
    assert "time_to_train_s" not in score.reported
    assert errors(score) == ["no-score"]


def test_too_few_runs_and_no_system(tmp_path: Path) -> None:
    (score,) = submission(tmp_path, [log(100), log(120), log(110)], system=None)
    assert score.reported["time_to_train_s"].value is None
    assert "3 runs where bert needs 10" in score.reported["time_to_train_s"].source
    assert "too-few-runs" in {warning.code for warning in score.warnings}
    assert score.device["name"].value is None
    assert "systems/box_pytorch.json" in score.device["name"].source


def test_what_runs_do_not_agree_on_is_not_known_of_the_whole(tmp_path: Path) -> None:
    logs = [log(100) + event("seed", value=seed) + "\n" + event("opt_name", value="lamb") for seed in range(3)]
    (score,) = submission(tmp_path, logs)
    assert "seed" not in score.configuration
    assert score.configuration["optimizer"].value == "lamb"


def test_four_runs_of_unet3d_may_fail(tmp_path: Path) -> None:
    good = [log(100 + time, benchmark="unet3d") for time in range(36)]
    (score,) = submission(tmp_path, good + [log(None, benchmark="unet3d")] * 4, benchmark="unet3d")
    assert score.reported["time_to_train_s"].value == pytest.approx(sum(100 + time for time in range(4, 36)) / 32)


@pytest.mark.parametrize("system", ["text", {"accelerators_per_node": "many"}, {}])
def test_an_odd_system_description_is_not_believed(tmp_path: Path, system: object) -> None:
    (score,) = submission(tmp_path, [log(100)] * 3, system=system)
    assert score.device["count"].value is None
    assert score.platform.value is None


def test_a_file_is_one_run_the_first_in_it(tmp_path: Path) -> None:
    score, second = submission(tmp_path, [log(100), log(110) + log(900), log(120)])
    assert score.series.columns["run_time_s"] == (100, 110, 120)
    assert second.reported["run_time_s"].value == 900


def test_files_that_lie_at_the_root_of_a_disk() -> None:
    runs = [replace(read(log())[0], provenance={"files": {f"/result_{n}.txt": ""}}) for n in range(3)]
    (score,) = MLPERF.join(runs)
    assert score.reported["runs"].value == 3
    assert score.device["name"].value is None


def test_of_a_set_of_three_the_figure_is_the_middle_one_and_says_so(tmp_path: Path) -> None:
    logs = [log(time, benchmark="llama31_405b") for time in (100, 120, 111)]
    (score,) = submission(tmp_path, logs, benchmark="llama31_405b")
    assert score.reported["time_to_train_s"].value == 111
    assert "the middle one of 3 runs" in score.reported["time_to_train_s"].source


def test_runs_elsewhere_stay_by_themselves(tmp_path: Path) -> None:
    runs = [replace(read(log())[0], provenance={"files": {str(tmp_path / name): ""}}) for name in ("a.log", "b.log")]
    assert MLPERF.join(runs) == runs
    alone = [replace(read(log())[0], provenance={"files": {str(tmp_path / "result_0.txt"): ""}})]
    assert MLPERF.join(alone) == alone


# --- the rule -----------------------------------------------------------------------------


def test_olympic_mean() -> None:
    assert olympic_mean([5.0, 1.0, 3.0]) == 3
    assert olympic_mean([5.0, 1.0, None]) == 5
    assert olympic_mean([5.0, None, None]) is None
    assert olympic_mean([5.0, 1.0]) is None
    assert olympic_mean([]) is None
    assert left_out_on_each_side("unet3d") == 4
    assert left_out_on_each_side("bert") == 1
    assert RUNS["llama31_405b"] == 3
    assert RUNS["llama2_70b_lora"] == 10


@given(st.lists(st.one_of(st.none(), st.floats(1, 1e6)), max_size=20), st.integers(1, 4))
def test_olympic_mean_as_the_official_summary_counts(times: list[float | None], most: int) -> None:
    """Against the way result_summarizer.py puts it: failed runs are gone already, and not left out once more."""
    good = sorted(time for time in times if time is not None)
    failed = len(times) - len(good)
    counted = good[most : len(good) - (most - failed)] if failed <= most else []
    expected = sum(counted) / len(counted) if counted else None
    assert olympic_mean(times, most) == (None if expected is None else pytest.approx(expected))
