"""Logs of no known program, read by lines of one shape."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bench_logs_more import dialect, read
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs
from rewarp.bench.result import Result

STAMP = "2018-01-24 23:55:{n:02d},455 INFO    : "


def runs(tmp_path: Path, text: str) -> tuple[Result, ...]:
    file = tmp_path / "train.log"
    file.write_text(text, encoding="utf-8")
    return read_logs([file]).results


def test_losses_in_brackets_at_the_same_step_of_each_epoch(tmp_path: Path) -> None:
    line = STAMP + "Epoch: [{n}][300/320]\t Loss [ 0.{loss}] Avg Loss [ 0.6{n}] Accuracy 0.58{n}\n"
    result = read(tmp_path, "".join(line.format(n=n, loss=90 - n) for n in range(5)))
    assert dialect(result) == "templates"
    assert list(result.series.step) == [0, 1, 2, 3, 4]
    assert result.series.figures("loss") == [0.90, 0.89, 0.88, 0.87, 0.86]
    assert result.series.figures("avg_loss")[-1] == 0.64
    assert result.series.figures("accuracy")[0] == 0.58
    [note] = [one for one in result.warnings if one.code == "by-structure"]
    assert "5 lines of one shape" in note.what
    assert "loss, avg_loss, accuracy" in note.what
    [epochs] = [one for one in result.warnings if one.code == "epochs"]
    assert "at step 300 of 320" in epochs.what


def test_a_loss_below_the_headline_that_counts(tmp_path: Path) -> None:
    text = "".join(
        f"-----Iteration: {n}000-----\nLoss: {3 - n}.5e-02 Loss_u: 4.9e-03 L2: 1.0\nElapsed Time: {n}9.1 s\n"
        for n in range(1, 4)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [1000, 2000, 3000]
    assert result.series.figures("loss") == pytest.approx([0.025, 0.015, 0.005])
    assert result.series.figures("loss_u") == [0.0049] * 3
    assert "time_s" not in result.series.columns


def test_two_losses_of_one_shape_below_a_headline_are_not_told_apart(tmp_path: Path) -> None:
    text = "".join(f"=== Round {n} ===\nloss {{ {5 - n}.5 }}\nloss {{ {6 - n}.5 }}\n" for n in range(1, 4))
    assert not runs(tmp_path, text)
    once = "".join(f"=== Round {n} ===\nloss {{ {5 - n}.5 }}\n" for n in range(1, 4))
    assert read(tmp_path, once).series.figures("loss") == [4.5, 3.5, 2.5]
    assert not runs(tmp_path, "loss { 9.5 }\n" + once)


def test_lines_of_two_things_that_take_turns(tmp_path: Path) -> None:
    of_one = "".join(f"net a epoch <{n}> Loss [ 0.{n} ]\n" for n in range(1, 6))
    of_two = "".join(f"net {which} epoch <{n}> Loss [ 0.{n} ]\n" for n in range(1, 6) for which in "ab")
    assert len(runs(tmp_path, of_one)) == 1
    assert not runs(tmp_path, of_two)


def test_words_of_other_languages(tmp_path: Path) -> None:
    text = "".join(
        f"2026-05-22 02:56:3{n},224 - INFO - Epoch {n}/100 | 课程深度: 2\n2026-05-22 02:56:3{n},678 - INFO - 训练损失: 3{n}.1\n"
        f"2026-05-22 02:56:3{n},712 - INFO - Epoch {n} 完成 | 成功率: 15.0%\n"
        for n in range(1, 5)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [1, 2, 3, 4]
    assert result.series.figures("loss") == [31.1, 32.1, 33.1, 34.1]
    assert result.provenance["steps_planned"] == 100


def test_parts_that_are_called_no_loss(tmp_path: Path) -> None:
    result = read(
        tmp_path, "".join(f"Epoch [{n}/9] Recon: 0.{9 - n} | KL: {9 - n}.5 | Phys: 0.1 (λ=0.2)\n" for n in range(1, 6))
    )
    assert set(result.series.columns) == {"recon", "kl", "phys", "λ"}
    assert result.series.figures("kl") == [8.5, 7.5, 6.5, 5.5, 4.5]


def test_an_epoch_behind_its_number_and_a_step_in_brackets(tmp_path: Path) -> None:
    line = "INFO:0-epoch ({n}/44660): total loss 11.{n}, instance-sup.: 11.3,group-sup.: 10.{n}, lr 5.5e-09\n"
    result = read(tmp_path, "".join(line.format(n=n) for n in range(14, 40, 5)))
    assert list(result.series.step) == [14, 19, 24, 29, 34, 39]
    assert result.series.figures("loss")[0] == 11.14
    assert result.series.figures("learning_rate")[0] == 5.5e-09
    assert result.series.figures("group_sup")[0] == 10.14


@pytest.mark.parametrize(("of", "steps"), [("/20", [10, 20, 30, 40]), ("", [1, 2, 3, 4])])
def test_steps_within_epochs(tmp_path: Path, of: str, steps: list[int]) -> None:
    text = "".join(f"<epoch {e}> <batch {n}{of}> <loss [{9 - e}.{n}]>\n" for e in (1, 2) for n in (10, 20))
    [result] = runs(tmp_path, text)
    assert list(result.series.step) == steps
    if not of:
        assert result.series.figures("epoch") == [1, 1, 2, 2]
        assert result.series.figures("step_of_epoch") == [10, 20, 10, 20]


def test_commas_between_thousands_and_between_numbers(tmp_path: Path) -> None:
    text = "".join(f"epoch <{n},000> sizes 1,2,4,8. loss [ 1,00{n}.5 ]\n" for n in range(1, 6))
    result = read(tmp_path, text)
    assert list(result.series.step) == [1000, 2000, 3000, 4000, 5000]
    assert result.series.figures("loss")[:2] == [1001.5, 1002.5]


def test_starts_that_only_the_counter_tells(tmp_path: Path) -> None:
    epochs = [0, 0, 0, 1, 2, 0, 1, 2, 3]
    found = runs(tmp_path, "".join(f"epoch:{e}\tloss:4{e}.5\tf1:0.{e}\tprecision:1.0\n" for e in epochs))
    assert [list(one.series.step) for one in found] == [[0], [0], [0, 1, 2], [0, 1, 2, 3]]
    assert found[3].provenance["why"].startswith("line 6 ")
    assert found[3].provenance["why"].endswith("epoch:0 loss:40.5 f1:0.0 precision:1.0")


@pytest.mark.parametrize(
    "text",
    [
        # Twice is no shape, and what nobody counts is none of a training.
        "".join(f"Epoch: [{n}][300/320] Loss [ 0.{n}]\n" for n in (1, 2)),
        "".join(f"weight loss [ {n}.5 ] kg\n" for n in range(9)),
        # Many lines of one epoch, without a counter of their own.
        "".join(f"epoch [{n // 5}] Loss [ 0.{n} ]\n" for n in range(20)),
        # Of a validation.
        "".join(f"Validation epoch <{n}> Loss [ 0.{n} ]\n" for n in range(9)),
        "".join(f"epoch {n} of sizes 1,2,4,8,{n} 1.2.3 1,000 loss\n" for n in range(9)),
        "".join(f"Step {n}: reading files\nIteration {n}: rank 0.2\n" for n in range(9)),
    ],
)
def test_what_is_none(tmp_path: Path, text: str) -> None:
    assert unread(tmp_path, text)


def test_headlines_say_of_what_the_losses_below_them_are(tmp_path: Path) -> None:
    epoch = (
        "=== training epoch {}\nEpoch {} | avg_loss = 0.{}\nTraining consumes 0.1 second\n"
        "=== validate epoch {}\nEpoch {} | avg_loss = 0.{}\n\n"
    )
    text = "".join(epoch.format(n, n - 1, 9 - n, n, n - 1, 8 - n) for n in range(1, 6))
    result = read(tmp_path, text)
    assert list(result.series.step) == [0, 1, 2, 3, 4]
    assert result.series.figures("loss") == [0.8, 0.7, 0.6, 0.5, 0.4]
    assert result.series.figures("validation_loss") == [0.7, 0.6, 0.5, 0.4, 0.3]
    # Another run, of which the last epoch was broken off: nothing is its validation.
    found = runs(tmp_path, text + text + "=== training epoch 1\nEpoch 0 | avg_loss = 0.1\n=== validate epoch 1\n")
    assert [list(one.series.step) for one in found] == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [0]]
    assert "validation_loss" not in found[2].series.columns


def test_headlines_of_validations_alone_tell_nothing(tmp_path: Path) -> None:
    text = "".join(f"<epoch {n}> loss [ 0.{9 - n} ]\n=== validate epoch {n}\nacc 0.{n}\n" for n in range(1, 6))
    assert read(tmp_path, text).series.figures("loss") == [0.8, 0.7, 0.6, 0.5, 0.4]
    twice = "".join(
        f"<epoch {n}> loss [ 0.5 ]\n=== validate epoch {n}\n<epoch {n}> loss [ 0.6 ]\n" for n in range(1, 6)
    )
    assert not runs(tmp_path, twice)


def test_a_headline_that_is_a_number_between_rules(tmp_path: Path) -> None:
    epoch = (
        "-----{n}------\ntrain_mean loss: 2.{n}\ntrain_accuracy: 0.{n}\ntest_mean loss: 3.{n}\ntest_accuracy: 0.0{n}\n"
    )
    result = read(tmp_path, "".join(epoch.format(n=n) for n in range(1, 6)))
    assert list(result.series.step) == [1, 2, 3, 4, 5]
    assert result.series.figures("loss") == [2.1, 2.2, 2.3, 2.4, 2.5]
    assert result.series.figures("test_mean_loss") == [3.1, 3.2, 3.3, 3.4, 3.5]
    assert result.series.figures("train_accuracy") == [0.1, 0.2, 0.3, 0.4, 0.5]
    # A rule with other words, or none at all, is no headline; nor is a number that stands still.
    for head in ("-----", "----- page {n} of 9 -----", "-----7-----", "{n}"):
        assert not runs(tmp_path, "".join(epoch.replace("-----{n}------", head).format(n=n) for n in range(1, 6)))


def test_the_loss_of_a_step_and_its_mean(tmp_path: Path) -> None:
    text = "".join(f"epoch <{n}> avg loss [ 0.9{n} ] loss [ 0.{n} ]\n" for n in range(1, 6))
    assert read(tmp_path, text).series.figures("loss") == [0.1, 0.2, 0.3, 0.4, 0.5]
    of_words = "".join(f"2021-06-14 23:07:01 epoch: 1 step: {n}, loss is 0.{n}\n" for n in range(1, 6))
    assert read(tmp_path, of_words).series.figures("loss") == [0.1, 0.2, 0.3, 0.4, 0.5]
