"""``rewarp bench`` without a subcommand: what is found, read and compared, what is left out, and how it ends."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from rewarp.bench import json_file, search, suites
from rewarp.bench.config import plan_of
from rewarp.bench.run import parent
from rewarp.cli import main
from rewarp.errors import UsageError


def log(file: Path, time_ms: float = 14.0, seed: int = 0) -> None:
    chooser = random.Random(seed)
    lines = ["number of parameters: 123.59M\n"]
    lines += [
        f"iter {n}: loss {3 - n / 100:.4f}, time {time_ms + chooser.gauss(0, 0.05):.2f}ms, mfu 26.88%\n"
        for n in range(40)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a machine whose torch sees a processor alone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parent, "platforms", lambda: ["cpu"])
    return tmp_path


def test_reads_and_compares_what_lies_here(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(here / "runs" / "old.log", 14.0, 1)
    log(here / "runs" / "new.log", 17.0, 2)
    (here / "README.md").write_text("```\n" + (here / "runs" / "old.log").read_text() + "```\n")
    (here / "notes.txt").write_text("nothing of that kind\n")
    assert main(["bench"]) == 0
    said = capsys.readouterr()
    assert "read and not measured" in said.err
    assert "old.log is slower" in said.out or "faster" in said.out
    results = json_file.load("rewarp-bench.json")
    assert [result.name for result in results] == ["runs/new.log", "runs/old.log"]
    page = Path("rewarp-bench.html").read_text()
    assert "2 results" in page
    # What was read is read again from the logs alone, and its report may be replaced.
    assert main(["bench", "-q"]) == 0
    assert len(json_file.load("rewarp-bench.json")) == 2
    assert not Path("rewarp-bench-2.json").exists()


def test_nothing_here(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "notes.txt").write_text("nothing of that kind\n")
    assert main(["bench"]) == 3
    assert "nothing to measure or read" in capsys.readouterr().err
    assert sorted(os.listdir(here)) == ["notes.txt"]


def test_without_torch_logs_are_read_and_it_says_what_to_install(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_torch() -> list[str]:
        raise UsageError("torch cannot be imported here")

    monkeypatch.setattr(parent, "platforms", no_torch)
    log(here / "train.log")
    assert main(["bench"]) == 0
    assert "install the torch build" in capsys.readouterr().err
    assert main(["bench", "--device", "cuda"]) == 3


@pytest.mark.parametrize("words", [["--suite", "nope"], ["missing-folder/"], [".", "--suite", "quick"]])
def test_misuse(here: Path, words: list[str]) -> None:
    assert main(["bench", *words]) == 2


def test_a_suite_without_an_accelerator_is_nothing_to_measure(here: Path) -> None:
    assert main(["bench", "--suite", "quick"]) == 3


def test_what_was_measured_is_not_written_over(here: Path) -> None:
    log(here / "train.log")
    assert main(["bench", "-q"]) == 0
    data = json.loads(Path("rewarp-bench.json").read_text())
    del data["results"][0]["provenance"]["dialect"]
    measured = json.dumps(data)
    Path("rewarp-bench.json").write_text(measured)
    assert main(["bench", "-q"]) == 0
    assert Path("rewarp-bench.json").read_text() == measured
    assert len(json_file.load("rewarp-bench-2.json")) == 2
    # A copy of a result is not another one.
    assert main(["bench", "-q"]) == 0
    assert len(json_file.load("rewarp-bench-2.json")) == 2


def test_the_search_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*"123456")
    log(deep / "too_deep.log")
    log(tmp_path / "1" / "2" / "3" / "4" / "5" / "just.log")
    log(tmp_path / ".git" / "hidden.log")
    log(tmp_path / "node_modules" / "other.log")
    (tmp_path / "link").symlink_to(tmp_path / "1")
    found = search.find(tmp_path)
    assert [result.name for result in found.results] == ["1/2/3/4/5/just.log"]
    assert found.left_out.links == 1
    assert len(found.left_out.deeper) == 1
    assert "levels down" in " ".join(found.left_out.words())
    monkeypatch.setattr(search, "MOST_FILES", 1)
    log(tmp_path / "a.log")
    found = search.find(tmp_path)
    assert [result.name for result in found.results] == ["a.log"], "what lies near comes first"
    assert found.left_out.files == 1


def test_runs_of_different_models_are_not_compared(tmp_path: Path) -> None:
    log(tmp_path / "a.log")
    log(tmp_path / "b.log", seed=1)
    (tmp_path / "b.log").write_text((tmp_path / "b.log").read_text().replace("123.59M", "1558.00M"))
    assert search.comparable(search.find(tmp_path).results) == []
    log(tmp_path / "c.log", seed=2)
    assert [len(group.runs) for group in search.comparable(search.find(tmp_path).results)] == [2]


@pytest.mark.parametrize("name", suites.names())
@pytest.mark.parametrize("platform", ["cuda", "rocm", "hpu", "xpu", "cpu"])
def test_suites_are_sound_everywhere(name: str, platform: str) -> None:
    data, tried = suites.load(name)
    plan = plan_of(data, Path(name), platform)
    assert tried
    assert len({benchmark.name for benchmark in plan.benchmarks}) == len(plan.benchmarks)
    assert {"matmul", "bandwidth", "attention", "training"} <= {benchmark.kind for benchmark in plan.benchmarks}


def test_page_of_logs(here: Path) -> None:
    log(here / "train.log")
    assert main(["bench", "logs", "train.log", "-q", "--html", "page.html"]) == 0
    assert "1 result" in Path("page.html").read_text()
