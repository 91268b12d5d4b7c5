"""`rewarp bench compare`: exit codes, inputs of every kind, and reports that replace nothing they should not."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from bench_compare_parts import measured, times_of

from rewarp.bench import json_file
from rewarp.bench.result import Result
from rewarp.cli.bench import compare
from rewarp.errors import UsageError


def run(*arguments: str | Path) -> int:
    top = argparse.ArgumentParser()
    compare.add_parser(top.add_subparsers())
    parsed = top.parse_args(["compare", *map(str, arguments)])
    code: int = parsed.run(parsed)
    return code


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(name: str, *results: Result) -> Path:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json_file.dump(results), encoding="utf-8")
        return file

    return written


@pytest.fixture
def base(write: Any) -> Path:
    path: Path = write("base.json", measured("base", times_of(1.0, seed=1)))
    return path


@pytest.fixture
def slow(write: Any) -> Path:
    path: Path = write("slow.json", measured("slow", times_of(1.1, seed=2)))
    return path


def test_exit_codes(base: Path, slow: Path, write: Any) -> None:
    noisy = write("noisy.json", measured("noisy", times_of(1.03, 30, seed=3, noise=0.1)))
    fp8 = write("fp8.json", measured("fp8", times_of(1.0), precision="fp8"))
    mute = write("mute.json", measured("mute", times_of(1.0, seed=5), sequence=None))
    assert run(base, slow) == 0, "slower is an answer, not a failure, unless it was asked for"
    assert run(base, slow, "--fail-slower", "3%") == 1
    assert run(base, slow, "--fail-slower", "0.2") == 0
    assert run(base, noisy, "--fail-slower", "3%") == 0
    assert run(base, noisy, "--fail-slower", "3%", "--strict") == 2
    assert run(base, fp8) == 2
    assert run(base, fp8, "--allow-unlike", "precision") == 0
    assert run(base, mute) == 0
    assert run(base, mute, "--strict") == 2


def test_baseline(base: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(base, slow, "--json") == 0
    forward = json.loads(capsys.readouterr().out)
    assert run(base, slow, "--baseline", slow, "--json") == 0
    backward = json.loads(capsys.readouterr().out)
    assert run(base, "--baseline", slow, "--json") == 0, "the baseline need not be named twice"
    assert json.loads(capsys.readouterr().out) == backward
    assert run(base, f"{slow.parent}/./slow.json", "--baseline", slow, "--json") == 0, "nor under another spelling"
    assert json.loads(capsys.readouterr().out) == backward
    assert (forward["verdict"], backward["verdict"]) == ("slower", "faster")
    assert [it["label"] for it in backward["benchmarks"][0]["runs"]] == ["slow.json", "base.json"]
    with pytest.raises(UsageError, match="not the name of exactly one"):
        run(base, slow, "--baseline", "nosuch")


def test_results_of_one_file(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    both = write("both.json", measured("one", times_of(1.0, seed=1)), measured("two", times_of(0.5, seed=2)))
    assert run(both, "--json", "--baseline", "two") == 0
    labels = [it["label"] for it in json.loads(capsys.readouterr().out)["benchmarks"][0]["runs"]]
    assert labels == ["both.json: two", "both.json: one"]


def test_other_kinds_in_one_file_are_left_alone(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    matmul = measured("mm", [1.0] * 12, kind="matmul")
    many = write("many.json", matmul, *(measured(n, times_of(1.0, seed=s)) for s, n in enumerate(("one", "two"))))
    assert run(many, "--baseline", "one", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [it["label"] for it in document["benchmarks"][0]["runs"]] == ["many.json: one", "many.json: two"]
    assert [it["label"] for it in document["unmatched"]] == ["many.json: mm"]
    with pytest.raises(UsageError, match=r"another kind of benchmark than many\.json: mm"):
        run(many)


def test_files_with_the_same_name_are_told_apart(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [write(f"{folder}/run.json", measured("r", times_of(1.0, seed=n))) for n, folder in enumerate("ab")]
    assert run(*paths, paths[1], "--json") == 0
    labels = [it["label"] for it in json.loads(capsys.readouterr().out)["benchmarks"][0]["runs"]]
    assert labels == ["a/run.json", "b/run.json", "b/run.json (2)"]


def test_logs_are_read_directly(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = []
    for name, step in (("a.log", 100.0), ("b.log", 50.0)):
        lines = [f"iter {n}: loss {9 - n / 100:.4f}, time {step + n % 3:.2f}ms, mfu 20.00%" for n in range(60)]
        logs.append(tmp_path / name)
        logs[-1].write_text("\n".join(lines), encoding="utf-8")
    assert run(*logs, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    figure = document["benchmarks"][0]["pairs"][0]["figures"][0]
    assert figure["name"] == "steps_per_s"
    assert figure["ratio"] == pytest.approx(101 / 51, rel=0.01)
    assert document["verdict"] == "faster"


def test_reports_together(base: Path, slow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = {name: tmp_path / f"report.{name}" for name in ("json", "markdown", "html")}
    options = [part for name, file in reports.items() for part in (f"--{name}", str(file))]
    assert run(base, slow, *options) == 0
    first = {name: file.read_bytes() for name, file in reports.items()}
    assert run(base, slow, *options) == 0, "reports of our own may be replaced"
    assert {name: file.read_bytes() for name, file in reports.items()} == first, "and come out the same"
    assert "slow.json is slower than base.json" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--json", "--markdown", "--html"])
def test_no_report_replaces_a_result(option: str, base: Path, slow: Path) -> None:
    before = base.read_bytes()
    with pytest.raises(UsageError, match="put the option last"):
        run(slow, base, option, base)
    if option != "--html":
        with pytest.raises(UsageError, match="put the option last"):
            run(option, base, slow)
    assert base.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--allow-unlike", "batchsize"], "there is no such field"),
        (["--figure", "speed"], "there are time_to_train_s"),
    ],
)
def test_slips_of_the_pen(arguments: list[str], message: str, base: Path, slow: Path) -> None:
    with pytest.raises(UsageError, match=message):
        run(base, slow, *arguments)


@pytest.mark.parametrize("text", ["3", "-1%", "100%", "x", "", "nan"])
def test_shares_that_are_none(text: str, base: Path, slow: Path) -> None:
    with pytest.raises(SystemExit) as error:
        run(base, slow, f"--fail-slower={text}")
    assert error.value.code == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe" * 100,
        b"{}",
        b'{"schema": "rewarp.bench/1"}',
        b'{"schema": "rewarp.bench/1", "results": []}',
        b'{"schema": "rewarp.bench/1", "results": [{"name": 3}]}',
        b'{"schema": "rewarp.bench/1", "results": [',
    ],
)
def test_bad_input_is_named(content: bytes, base: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    with pytest.raises(UsageError, match="bad"):
        run(base, bad)


def test_our_results_with_sorted_keys(base: Path, slow: Path) -> None:
    slow.write_text(json.dumps(json.loads(slow.read_text(encoding="utf-8")), sort_keys=True), encoding="utf-8-sig")
    assert run(base, slow, "--fail-slower", "3%") == 1


def test_missing_file_and_single_result(base: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        run(base, tmp_path / "nosuch.json")
    with pytest.raises(UsageError, match="nothing to compare it with"):
        run(base)


@pytest.mark.parametrize("summary", [{"time_s": 3}, {"total_s": "long"}, {"warm_up": []}, {"basis": 4}, {"used": {}}])
def test_a_summary_that_cannot_be_made_again_must_be_sound(summary: Any, base: Path, tmp_path: Path) -> None:
    data = json.loads(base.read_text(encoding="utf-8"))
    data["results"][0]["series"]["thinned"] = 10
    data["results"][0]["summary"].update(summary)
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError, match="is not one of ours"):
        run(base, bad)


def test_thinned_results_keep_the_figures_of_all_steps(base: Path, tmp_path: Path, capsys: Any) -> None:
    data = json.loads(base.read_text(encoding="utf-8"))
    series = data["results"][0]["series"]
    thin = {
        "thinned": 2,
        "step": series["step"][::2],
        "columns": {name: values[::2] for name, values in series["columns"].items()},
    }
    data["results"][0]["series"] = thin
    other = tmp_path / "thin.json"
    other.write_text(json.dumps(data), encoding="utf-8")
    assert run(base, other, "--json") == 0
    figure = json.loads(capsys.readouterr().out)["benchmarks"][0]["pairs"][0]["figures"][0]
    assert figure["ratio"] == 1
    assert figure["low"] < 1 < figure["high"]


def test_values_that_json_cannot_hold(base: Path, slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(slow.read_text(encoding="utf-8"))
    data["results"][0]["device"]["clock"] = {"value": float("nan"), "source": "somebody's editor"}
    data["results"][0]["configuration"]["global_batch"] = {"value": ["a", 16], "source": "somebody's editor"}
    slow.write_text(json.dumps(data), encoding="utf-8")
    assert run(base, slow, "--json") == 2
    document = json.loads(capsys.readouterr().out)
    assert document["benchmarks"][0]["runs"][1]["device"]["clock"]["value"] is None
    assert document["benchmarks"][0]["pairs"][0]["refused"] == ["global_batch"]
