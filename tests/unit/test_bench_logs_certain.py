"""Of two readings of a figure none is published; what is certain is."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_results import codes
from test_bench_logs_more import dialect, read

from rewarp.bench.logs import read_logs
from rewarp.bench.result import Result


def column(result: Result, name: str) -> list[float | None]:
    return list(result.series.columns.get(name, ()))


def test_the_time_of_a_line_that_stands_for_several_steps(tmp_path: Path) -> None:
    line = "Epoch [1/3], Step [{}/600], Loss: {:.4f}, Time: {:.2f}s\n"
    several = read(tmp_path, "".join(line.format(s, 2 - s / 1000, 3.2 + s / 1e5) for s in range(100, 601, 100)))
    assert "time_s" not in several.series.columns
    assert "time-of-what" in codes(several)
    every = read(tmp_path, "".join(line.format(s, 2 - s / 1000, 3.2 + s / 1e5) for s in range(1, 7)))
    assert column(every, "time_s")[0] == pytest.approx(3.2)
    clock = read(tmp_path, "".join(line.format(s, 2 - s / 1000, s / 50) for s in range(100, 601, 100)))
    assert column(clock, "time_s")[1:] == pytest.approx([0.02] * 5)


def test_a_time_that_says_that_it_is_of_a_step(tmp_path: Path) -> None:
    text = "".join(
        f"step {s} | loss {2 - s / 1000:.3f} | ms/batch 110.2{s // 100} | ppl 20.1\n" for s in range(100, 601, 100)
    )
    assert column(read(tmp_path, text), "time_s")[0] == pytest.approx(0.11021)


@pytest.mark.parametrize("said", ['"mode": "{}"', '"phase": "{}"', '"split": "{}"'])
def test_lines_that_say_behind_their_figures_that_they_are_of_a_validation(tmp_path: Path, said: str) -> None:
    train, val = (", " + said.format(mode) + "}\n" for mode in ("train", "val"))
    text = ""
    for epoch in (1, 2):
        for step in range(50, 300, 50):
            text += f'{{"epoch": {epoch}, "iter": {step}, "loss": {2 - epoch / 10 - step / 1000:.3f}' + train
        text += f'{{"epoch": {epoch}, "iter": 300, "loss": 9.1' + val
    result = read(tmp_path, text)
    assert len(column(result, "loss")) == 10
    assert 9.1 not in column(result, "loss")


def test_a_mode_that_is_no_validation(tmp_path: Path) -> None:
    text = "".join(f'{{"iter": {s}, "loss": {2 - s / 1000:.3f}, "mode": "value"}}\n' for s in range(50, 300, 50))
    assert len(column(read(tmp_path, text), "loss")) == 5


@pytest.mark.parametrize(("times", "kept"), [((120, 240, 361), False), ((120, 121, 123), True), ((12, 11, 19), True)])
def test_times_of_a_few_epochs_that_grow_like_a_clock(tmp_path: Path, times: tuple[int, ...], kept: bool) -> None:
    text = "".join(f"Epoch {n}/3 - Train loss: {1 - n / 10:.3f}, time: {t}s\n" for n, t in enumerate(times, 1))
    result = read(tmp_path, text)
    assert ("epoch_time_s" in result.series.columns) is kept
    assert ("clock-or-time" in codes(result)) is not kept


def test_what_follows_the_loss_of_an_epoch(tmp_path: Path) -> None:
    text = ""
    for epoch in range(3):
        text += f"2023-05-01 10:00:02.12: Epoch {epoch}\n2023-05-01 10:00:02.2: Current learning rate: 0.01\n"
        text += f"2023-05-01 10:00:55.3: train_loss {-0.1 * epoch - 0.03:.4f}\n2023-05-01 10:00:55.4: val_loss {-0.2 * epoch - 0.1:.4f}\n"
        text += f"2023-05-01 10:00:55.5: Epoch time: {53.5 + epoch} s\n"
    result = read(tmp_path, text)
    assert column(result, "loss") == pytest.approx([-0.03, -0.13, -0.23])
    assert column(result, "validation_loss") == pytest.approx([-0.1, -0.3, -0.5])
    assert column(result, "epoch_time_s") == pytest.approx([53.5, 54.5, 55.5])


def test_two_validations_behind_one_epoch_are_nobody_s(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}\ntrain loss: {1 - e / 10:.2f}\nval loss: 0.{5 - e}\nval loss: 0.{7 - e}\n" for e in range(1, 4)
    )
    result = read(tmp_path, text)
    assert column(result, "loss") == pytest.approx([0.9, 0.8, 0.7])
    assert "validation_loss" not in result.series.columns


def test_keras_without_a_bar(tmp_path: Path) -> None:
    line = " - {}s - loss: {} - acc: 0.89 - val_loss: {} - val_acc: 0.95\n"
    old = read(tmp_path, "Epoch 1/2\n" + line.format(12, 0.34, 0.16) + "Epoch 2/2\n" + line.format(11, 0.14, 0.12))
    assert column(old, "loss") == [0.34, 0.14]
    assert column(old, "validation_loss") == [0.16, 0.12]
    assert column(old, "epoch_time_s") == [12.0, 11.0]
    line = "235/235 - {}s - {}ms/step - accuracy: 0.8 - loss: {} - val_accuracy: 0.9 - val_loss: {}\n"
    new = read(tmp_path, "Epoch 1/2\n" + line.format(9, 38, 0.6, 0.3) + "Epoch 2/2\n" + line.format(7, 30, 0.31, 0.25))
    assert dialect(new) == "keras"
    assert column(new, "time_s") == pytest.approx([0.038, 0.03])
    assert column(new, "loss") == [0.6, 0.31]
    assert column(new, "validation_loss") == [0.3, 0.25]


def test_bars_of_short_epochs_keep_the_loss_of_each(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {e}: 100%|██████████| 938/938 [00:1{e}<00:00, 8{e}.12it/s, v_num=3, train_loss={0.5 - e / 10:.3f}]\n"
        for e in range(3)
    )
    file = tmp_path / "train.log"
    file.write_text(text)
    (result,) = read_logs([file]).results
    assert column(result, "loss") == [0.5, 0.4, 0.3]
    # One time stands for many iterations: its sum is nobody's.
    assert "total_s" not in result.summary


@pytest.mark.parametrize(
    "form",
    [
        "Epoch {e}: train_loss={t}, val_loss={v}, best_val_loss=0.01\n",
        "Epoch {e}/9\nTrain loss {t} accuracy 0.8\nVal   loss {v} accuracy 0.82\n",
        "Epoch {e}/9 [Train] loss: {t} [Val] loss: {v}\n",
        "Epoch: {e} | Time: 0m 30s\n\tTrain Loss: {t} | Acc: 60.00%\n\t Val. Loss: {v} | Acc: 61.0%\n",
    ],
)
def test_validations_as_people_write_them(tmp_path: Path, form: str) -> None:
    result = read(
        tmp_path, "".join(form.format(e=e, t=round(2 - e / 10, 3), v=round(2.5 - e / 10, 3)) for e in range(1, 7))
    )
    assert column(result, "loss") == pytest.approx([2 - e / 10 for e in range(1, 7)])
    assert column(result, "validation_loss") == pytest.approx([2.5 - e / 10 for e in range(1, 7)])


def test_the_loss_at_a_step(tmp_path: Path) -> None:
    result = read(tmp_path, "".join(f"Loss at step {s}: {3 - s / 1000:.4f}\n" for s in range(0, 1000, 100)))
    assert column(result, "loss")[:2] == [3.0, 2.9]
    assert list(result.series.step)[:2] == [0, 100]


def test_the_line_of_an_epoch_among_those_of_its_steps(tmp_path: Path) -> None:
    text = ""
    for epoch in (1, 2, 3):
        text += "".join(
            f"\titers: {s}, epoch: {epoch} | loss: {1 - epoch / 10 - s / 5000:.7f}\n" for s in (100, 200, 300)
        )
        text += f"Epoch: {epoch}, Steps: 350 | Train Loss: 7.{epoch} Vali Loss: 8.1 Test Loss: 9.1\n"
    result = read(tmp_path, text)
    assert len(result.series.step) == 9
    assert max(value for value in column(result, "loss") if value is not None) < 1
