"""Lines that no named reader knows: which number counts, and what is refused because two could; tables; programs of before."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bench_logs_more import dialect, read, times

from rewarp.bench.logs import read_logs


def unread(tmp_path: Path, text: str) -> bool:
    file = tmp_path / "train.log"
    file.write_text(text)
    return not read_logs([file]).results


def lines(form: str, epochs: int = 4, steps: range = range(100, 501, 100)) -> str:
    return "".join(form.format(e=e, s=s, loss=3 / e - s / 10_000) + "\n" for e in range(1, epochs + 1) for s in steps)


@pytest.mark.parametrize(
    "form",
    [
        "epoch={e} i={s}/500 total_loss={loss:.5f} spectro_loss=0.97",
        "Epoch {e} [{s}/500] loss={loss:.4f}",
        "Epoch: [{e}][{s}/500]\tLoss {loss:.4f}",
        "2024-05-08 04:06:17,722 - worker-3 - INFO - ep {e} | it {s} | loss {loss:.4f}",
        "[{e}, {s:5d}] loss: {loss:.3f}",
    ],
)
def test_a_counter_within_epochs(tmp_path: Path, form: str) -> None:
    result = read(tmp_path, lines(form))
    assert dialect(result) == "structure"
    if "/500" in form:
        assert list(result.series.step) == list(range(100, 2001, 100))
    else:
        # Nobody says that an epoch ends with the step that is logged last.
        assert list(result.series.step) == list(range(1, 21))
        assert result.series.figures("epoch")[4:6] == [1, 2]
        assert result.series.figures("step_of_epoch")[4:6] == [500, 100]
    assert result.series.figures("loss")[5] == pytest.approx(1.49)


def test_a_counter_of_what_is_not_said(tmp_path: Path) -> None:
    result = read(tmp_path, lines("Train Epoch: {e} [{s}/500 (20%)]\tLoss: {loss:.6f}"))
    assert "counter-unnamed" in [warning.code for warning in result.warnings]


def test_an_epoch_that_began_lines_before(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}\n--------\n"
        + "".join(f"loss: {3 / e - s / 1e6:>7f}  [{s:>5d}/60000]\n" for s in range(0, 60_000, 6_400))
        + "Test Error: \n Accuracy: 44.1%, Avg loss: 2.1\n"
        for e in range(1, 4)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "structure"
    assert len(result.series.step) == 30
    assert result.series.step[10] == 60_000


@pytest.mark.parametrize(
    "form",
    [
        "{s} {s}1 loss: {loss:.3f}",  # two numbers that only rise
        "[{s}/500] loss: {loss:.3f}",  # a counter that begins anew, and nothing says why
        "loss: {loss:.3f}",
        "step-less loss: {loss:.3f} after {s} images",
        "validation {e} [{s}/500] loss: {loss:.3f}",
    ],
)
def test_what_could_be_two_things_is_not_read(tmp_path: Path, form: str) -> None:
    assert unread(tmp_path, lines(form))


def test_losses_below_the_epoch_they_are_of(tmp_path: Path) -> None:
    text = "".join(
        f"2024-05-08 04:0{e}:17,722 INFO Epoch {e}/4\n2024-05-08 04:0{e}:20,722 INFO Train loss: {3 / e:.4f}, acc: 0.5\n"
        f"2024-05-08 04:0{e}:21,722 INFO Val loss: 9.9\n"
        for e in range(1, 5)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "epochs"
    assert list(result.series.step) == [1, 2, 3, 4]
    assert result.series.figures("loss")[1] == 1.5


def test_minutes_and_seconds_of_an_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch: {e:02} | Epoch Time: 1m {10 + e}s\n\tTrain Loss: {3 / e:.3f} | Train PPL: 10\n\t Val. Loss: 9.9\n"
        for e in range(1, 5)
    )
    result = read(tmp_path, text)
    assert list(result.series.figures("epoch_time_s")) == [71.0, 72.0, 73.0, 74.0]
    assert result.series.figures("loss")[1] == 1.5


def test_several_losses_of_an_epoch_are_of_its_steps(tmp_path: Path) -> None:
    assert unread(tmp_path, "".join(f"Epoch {e}/4\n" + "train loss: 0.5\n" * 3 for e in range(1, 5)))


def test_losses_before_the_line_that_ends_their_epoch(tmp_path: Path) -> None:
    assert unread(tmp_path, "".join(f"train loss: {3 / e:.3f}\nEpoch {e}/4\n" for e in range(1, 5)))


def test_darknet(tmp_path: Path) -> None:
    text = "".join(
        f" {n}: {3 / n:.6f}, {3.1 / n:.6f} avg loss, 0.000264 rate, 16.27{n % 10} seconds, {64 * n} images, 13.2 hours left\n"
        for n in range(1, 30)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "darknet"
    assert times(result)[0] == pytest.approx(16.271)
    assert result.series.figures("loss")[2] == 1.0


def test_the_estimator_says_seconds_since_the_line_before(tmp_path: Path) -> None:
    text = "INFO:tensorflow:loss = 1.5, step = 0\n" + "".join(
        f"INFO:tensorflow:global_step/sec: 0.69\nINFO:tensorflow:loss = {1 / n:.4f}, step = {100 * n} (144.471 sec)\n"
        for n in range(1, 20)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "tf-estimator"
    assert times(result)[:2] == [None, pytest.approx(1.44471)]


def test_stable_baselines(tmp_path: Path) -> None:
    table = "{d}\n| time/              |          |\n|    fps             | 33{n:02d}     |\n|    time_elapsed    | {c}   |\n|    total_timesteps | {t}   |\n"
    table += "| train/             |          |\n|    loss            | {loss:.3f}   |\n|    value_loss      | 7.7   |\n{d}\n"
    text = "".join(table.format(d="-" * 38, n=n, c=6 * n, t=2048 * n, loss=1 / n) for n in range(1, 10))
    result = read(tmp_path, text)
    assert dialect(result) == "stable-baselines3"
    assert list(result.series.step)[:2] == [2048, 4096]
    assert times(result)[5] == pytest.approx(6 / 2048)
    assert result.series.figures("loss")[1] == 0.5
    assert "environment-steps" in [warning.code for warning in result.warnings]


def test_a_table_of_epochs(tmp_path: Path) -> None:
    text = "epoch,accuracy,loss,val_accuracy,val_loss\n" + "".join(
        f"{e},0.5,{3 / (e + 1):.6f},0.4,9.9\n" for e in range(5)
    )
    result = read(tmp_path, text, "history.csv")
    assert dialect(result) == "csv-log"
    assert list(result.series.step) == [0, 1, 2, 3, 4]
    assert result.series.figures("loss")[1] == 1.5
    assert "epochs" in [warning.code for warning in result.warnings]


def test_rows_of_a_validation_are_passed_over(tmp_path: Path) -> None:
    text = "epoch,step,train_loss,val_loss\n" + "".join(f"0,{s},{3 / s:.3f},\n0,{s},,9.9\n" for s in range(10, 60, 10))
    result = read(tmp_path, text, "metrics.csv")
    assert list(result.series.step) == [10, 20, 30, 40, 50]


def test_a_table_of_data_is_none(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("age,income,loss\n" + "30,1000,2\n" * 20)
    assert not read_logs([file]).results


def test_a_line_of_many_words_begins_no_epoch(tmp_path: Path) -> None:
    text = "INFO " + "a.b: " * 300 + "epoch 3 of words\n"
    assert unread(tmp_path, text * 50)


def test_an_evaluation_that_is_printed_alike_is_no_training(tmp_path: Path) -> None:
    form = "{what} - Epoch: [0][{n}/97]\tTime {time:.3f} (0.4)\tData 0.1 (0.1)\tLoss {loss:.4f} (2.0)\n"
    text = "".join(form.format(what="TRAINING", n=n, time=0.2, loss=3 - n / 10) for n in range(0, 90, 10))
    text += "".join(form.format(what="EVALUATING", n=n, time=7.7, loss=9.9) for n in range(0, 90, 10))
    result = read(tmp_path, text)
    assert dialect(result) == "imagenet"
    assert set(times(result)) == {0.2}


def test_epochs_from_zero_and_a_clock(tmp_path: Path) -> None:
    text = "".join(f"Epoch {e}/9 time: {0.2 * (e + 1):.2f} min loss= {3 / (e + 1):.3f}\n" for e in range(10))
    result = read(tmp_path, text)
    assert result.provenance["steps_planned"] == 10
    assert "epoch_time_s" not in result.series.columns
    assert "clock-or-time" in [warning.code for warning in result.warnings]


def test_blanks_in_brackets(tmp_path: Path) -> None:
    text = "".join(f"Iter [{n:4d}/1487] || Time: 0.310s || Loss: {3 / n:.4f}\n" for n in range(1, 1400, 50))
    assert list(read(tmp_path, text).series.step) == list(range(1, 1400, 50))
