"""Tables in logs: where they begin, what counts in them, where another run begins."""

from __future__ import annotations

from pathlib import Path

from test_bench_logs_more import dialect, read
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs


def test_a_table_of_tabs_below_settings_without_a_counter(tmp_path: Path) -> None:
    rows = "".join(f"0.0{n}\t{3 - n / 4}\t{3.1 - n / 4:.2f}\t{10 + n}.5\t\n" for n in range(1, 6))
    result = read(tmp_path, "==>Settings:\nlr:0.1\nLearning Rate\tTrain Loss\tValid Loss\tTrain Acc.\t\n" + rows)
    assert dialect(result) == "csv-log"
    assert list(result.series.step) == [1, 2, 3, 4, 5]
    assert result.series.columns["loss"][-1] == 1.75
    assert result.series.columns["validation_loss"][-1] == 1.85
    assert result.series.columns["train_acc"][0] == 11.5
    assert "counter-unnamed" in [warning.code for warning in result.warnings]


def test_rows_of_blanks_below_a_headline_of_commas(tmp_path: Path) -> None:
    rows = "".join(f"   1   {n}0   {9 - n}.5\n" for n in range(1, 6))
    result = read(tmp_path, "epoch,step,tr_loss\n" + rows)
    assert list(result.series.step) == [10, 20, 30, 40, 50]
    assert result.series.columns["loss"][-1] == 4.5


def test_steps_that_begin_anew_with_the_epoch_are_one_run(tmp_path: Path) -> None:
    rows = "".join(f"{e},{n},{9 - 2 * e - n / 4}\n" for e in (1, 2) for n in range(1, 5))
    result = read(tmp_path, "epoch,step,loss\n" + rows)
    assert list(result.series.step) == list(range(1, 9))
    assert result.series.columns["step_of_epoch"] == [1, 2, 3, 4, 1, 2, 3, 4]
    assert "epochs-apart" in [warning.code for warning in result.warnings]


def test_steps_that_begin_anew_with_no_epoch_are_two_runs(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text("epoch,step,loss\n" + "".join(f"1,{n},{9 - n / 4}\n" for n in range(1, 5)) * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [4, 4]


def test_a_table_of_a_loss_alone_counts_nothing(tmp_path: Path) -> None:
    assert unread(tmp_path, "name\tloss\n" + "".join(f"{n}\t0.{n}5\n" for n in range(1, 6)))
