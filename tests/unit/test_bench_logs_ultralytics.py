"""Ultralytics' own bars: one row for each epoch, read at its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bench_logs_more import read
from test_bench_logs_templates import runs

from rewarp.bench.logs import read_logs

HEAD = "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
VALIDATION = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 4/4 5.0it/s 0.8s\n"


def epoch(n: int, of: int = 5, memory: str = "2.5G", time: str = "4.0s") -> str:
    row = f"      {n}/{of}       {memory}      1.{n}      2.{n}      3.{n}         30        640: "
    return f"{HEAD}\x1b[K{row}0% ──────────── 0/8  0.5s\r{row}50% ━━━━━━────── 4/8 2.2it/s 2.0s<2.0s\r{row}100% ━━━━━━━━━━━━ 8/8 2.0it/s {time}\n{VALIDATION}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_every_epoch_is_read_at_its_end(tmp_path: Path, encoding: str) -> None:
    log = tmp_path / "train.log"
    log.write_bytes("".join(map(epoch, range(1, 6))).encode(encoding))
    [result] = read_logs([log]).results
    assert result.provenance["dialect"] == "ultralytics"
    assert list(result.series.step) == [8, 16, 24, 32, 40]
    assert result.provenance["steps_planned"] == 40
    assert result.series.figures("box_loss") == [1.1, 1.2, 1.3, 1.4, 1.5]
    assert result.series.figures("dfl_loss")[-1] == 3.5
    assert result.series.figures("epoch_time_s") == [4.0] * 5
    assert result.series.figures("time_s") == [0.5] * 5
    assert result.series.figures("memory_bytes")[0] == 2.5e9
    assert "loss" not in result.series.columns
    assert "instances" not in result.series.columns


def test_a_run_under_way_a_cpu_and_a_longer_clock(tmp_path: Path) -> None:
    text = epoch(1, memory="0G", time="1:04") + epoch(2, memory="0G", time="1:04").partition("100%")[0] + "\n"
    result = read(tmp_path, text)
    assert list(result.series.step) == [8]
    assert result.provenance["steps_planned"] == 40
    assert not {"memory_bytes", "epoch_time_s"} & set(result.series.columns)


def test_a_second_training(tmp_path: Path) -> None:
    text = "".join(map(epoch, (1, 2, 3))) + "".join(epoch(n, of=9) for n in (1, 2))
    assert [list(one.series.step) for one in runs(tmp_path, text)] == [[8, 16, 24], [8, 16]]


def test_a_training_that_is_taken_up_counts_from_there(tmp_path: Path) -> None:
    result = read(tmp_path, "".join(map(epoch, (4, 5))))
    assert result.series.figures("epoch") == [4, 5]
    assert result.provenance["steps_planned"] is None


def test_rows_without_their_headline_are_of_nobody(tmp_path: Path) -> None:
    text = "".join(epoch(n).replace(HEAD, "\n").replace(VALIDATION, "") for n in range(1, 6))
    assert all(one.provenance["dialect"] != "ultralytics" for one in runs(tmp_path, text))
