"""Whose a figure is: of the training, of the validation, of another line; and lines of forms that were not read before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_results import codes
from test_bench_logs_more import dialect, read, times
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs
from rewarp.bench.logs.hf_trainer import _is_even


def trainer(steps: list[int], total: int = 4000) -> str:
    return "".join(
        f"\r  1%|▏  | {step}/{total} [{step // 40:02d}:00<16:26:52,  4.04it/s]{{'loss': {3 - step / total:.4f}, 'epoch': 0.01}}\n"
        for step in steps
    )


def test_a_line_of_the_trainer_that_came_late_has_no_step(tmp_path: Path) -> None:
    late = read(tmp_path, trainer([560]))
    assert list(late.series.step) == [1]
    assert "steps-unnumbered" in codes(late)
    even = read(tmp_path, trainer([500, 1000, 1500]))
    assert list(even.series.step) == [500, 1000, 1500]
    assert "steps-unnumbered" not in codes(even)


@pytest.mark.parametrize(
    ("steps", "even"),
    [
        ([500, 1000, 1500], True),
        ([498, 1000, 1497, 2000], True),  # the bar is not drawn at every step
        ([1, 10, 20, 30], True),  # the first one is logged too
        ([1500, 2000, 2500], True),  # taken up again
        ([560], False),
        ([560, 1060, 1560], False),
        ([37, 90, 188], False),
    ],
)
def test_even_steps(steps: list[int], even: bool) -> None:
    assert _is_even(steps) == even


def test_a_bar_behind_the_lines_of_the_trainer(tmp_path: Path) -> None:
    bar = "\r 40%|████  | 16061/40001 [2:22:45<3:20:10,  1.99it/s]"
    assert "bar-without-lines" in codes(read(tmp_path, trainer([500, 1000]) + bar + "\n"))
    assert "bar-without-lines" not in codes(read(tmp_path, trainer([500, 1000]) + bar.replace("16061/", "61/") + "\n"))


def test_the_validation_in_the_line_of_a_step(tmp_path: Path) -> None:
    form = "Epoch 1, Global Batch {n}, Training Loss: {loss}, Validation Loss: 1{loss}, Accuracy: 0.00%\n"
    result = read(tmp_path, "".join(form.format(n=n * 25, loss=9 - n) for n in range(1, 7)))
    assert result.series.figures("loss")[0] == 8
    assert result.series.figures("validation_loss")[0] == 18
    # Alone it makes no line one of a training.
    assert unread(tmp_path, "".join(f"step {n} val_loss: 2.5\n" for n in range(1, 9)))


def test_the_validation_in_lines_by_their_structure(tmp_path: Path) -> None:
    lines = "".join(
        f"[ ({n} ) Loss:  0.{9 - n}82, train_Acc: 0.94, valid_Loss: 0.{9 - n}61, valid_Acc: 0.97]\n" for n in range(6)
    )
    result = read(tmp_path, lines)
    assert dialect(result) == "structure"
    assert (result.series.figures("loss")[0], result.series.figures("validation_loss")[0]) == (0.982, 0.961)


def test_the_validation_in_a_table(tmp_path: Path) -> None:
    rows = "".join(f"{n},0.9,0.{9 - n}2,0.8,0.{9 - n}7\n" for n in range(6))
    result = read(tmp_path, "epoch,accuracy,loss,val_accuracy,val_loss\n" + rows, "train.csv")
    assert dialect(result) == "csv-log"
    assert (result.series.figures("loss")[0], result.series.figures("validation_loss")[0]) == (0.92, 0.97)


def test_a_clock_in_minutes(tmp_path: Path) -> None:
    form = "Epoch [1/2], Step [{n}/900], Loss: 2.3, Time (mins): {clock:.3f}\n"
    result = read(tmp_path, "".join(form.format(n=n, clock=n * 0.7 / 60) for n in range(1, 901)))
    assert times(result)[-1] == pytest.approx(0.7, rel=0.02)
    # What does not grow is no clock, and too coarse for a step.
    same = read(tmp_path, "".join(form.format(n=n, clock=0.5) for n in range(1, 901)))
    assert "time_s" not in same.series.columns


def test_long_objects_with_lists(tmp_path: Path) -> None:
    parts = {f"train_loss_bbox_{n}": 0.1 * n for n in range(200)}
    lines = [
        json.dumps({"train_lr": 1e-4, "train_loss": 9.5 - e, **parts, "test_eval_bbox": [0.7, 0.9], "epoch": e}) + "\n"
        for e in range(5)
    ]
    assert len(lines[0]) > 4000
    result = read(tmp_path, "".join(lines))
    assert dialect(result) == "epochs"
    assert list(result.series.figures("loss")) == [9.5, 8.5, 7.5, 6.5, 5.5]


@pytest.mark.parametrize(
    "form",
    ["Epoch {e:03d}: train={a:.4f}, val={b:.4f}, ppl=10.7 [BEST]", "Epoch {e:03d}/35 | Train: {a:.4f} | Val: {b:.4f}"],
)
def test_figures_called_train_and_val(tmp_path: Path, form: str) -> None:
    result = read(tmp_path, "".join(form.format(e=e, a=3 / e, b=4 / e) + "\n" for e in range(1, 9)))
    assert result.series.figures("loss")[1] == 1.5
    assert result.series.figures("validation_loss")[1] == 2.0
    assert "unnamed-loss" in codes(result)


@pytest.mark.parametrize(
    "form",
    [
        "Epoch {e}: train={up:.4f}, val={up:.4f}",  # what rises is no loss
        "Epoch {e}: accuracy train={a:.4f}, val={b:.4f}",
        "Epoch {e}: RMSE train={a:.4f}, val={b:.4f}",
        "Epoch {e}: train={a:.4f}%, val={b:.4f}%",
        "Epoch {e}: train={a:.4f}s, val={b:.4f}s",
        "Epoch {e}: val={b:.4f}, train={a:.4f}",
        "Epoch {e}: train=500, val=100",
    ],
)
def test_figures_called_train_and_val_that_are_no_losses(tmp_path: Path, form: str) -> None:
    file = tmp_path / "train.log"
    file.write_text("".join(form.format(e=e, a=3 / e, b=4 / e, up=1 - 0.5 / e) + "\n" for e in range(1, 9)))
    assert not any({"loss", "validation_loss"} & set(one.series.columns) for one in read_logs([file]).results)


def test_losses_of_basicsr(tmp_path: Path) -> None:
    form = (
        "INFO: [x..][epoch: {n:2d}, iter:{it:>8}, lr:(2.0e-04,)] [eta: 1:09:12, time (data): 0.206 (0.002)] {losses} \n"
    )
    for losses, loss in (
        ("l_pix: 3.0e-02", 0.03),
        ("l_g_pix: 1.0e-02 l_g_gan: 5.0e-02", None),
        ("l_a: 1.0e-02 l_total: 6.0e-02", 0.06),
    ):
        text = "".join(form.format(n=n, it=f"{n * 500:,}", losses=losses) for n in range(1, 5))
        result = read(tmp_path, text)
        assert dialect(result) == "basicsr"
        assert list(result.series.step) == [500, 1000, 1500, 2000]
        assert result.series.figures("loss")[0] == loss
        assert times(result)[0] == 0.206


def test_rounds_of_trainings_at_once(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    rounds = "".join(
        f"[{n}]\ttrain-{fold}-3's auc: 0.{n + fold}\tvalid-{fold}-3's auc: 0.{n - fold}\n"
        for n in range(5, 51, 5)
        for fold in (1, 2, 3)
    )
    best = "Early stopping, best iteration is:\n[1]\ttrain-2-3's auc: 0.9\tvalid-2-3's auc: 0.8\n"
    file.write_text("Training until validation scores don't improve for 50 rounds\n" + rounds + best)
    found = read_logs([file]).results
    assert [list(one.series.step) for one in found] == [list(range(5, 51, 5))] * 3
    # An accuracy is no loss.
    assert [(dict(one.series.columns), "which-loss" in codes(one)) for one in found] == [({}, True)] * 3


def test_losses_of_rounds(tmp_path: Path) -> None:
    rounds = "".join(f"[{n}]\ttrain-logloss:{1 / (n + 1):.5f}\teval-logloss:{2 / (n + 1):.5f}\n" for n in range(10))
    file = tmp_path / "train.log"
    file.write_text(rounds * 2)  # of two folds
    found = read_logs([file]).results
    assert [dialect(one) for one in found] == ["boosting"] * 2
    assert list(found[0].series.figures("loss"))[:2] == [1.0, 0.5]
    assert list(found[1].series.figures("validation_loss"))[:2] == [2.0, 1.0]
    assert unread(tmp_path, "".join(f"[{n}]\tsomething else {n}\n" for n in range(10)))
    assert unread(tmp_path, rounds.split("[2]")[0])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Epoch[{e}] Iter[{n}] d_loss: 0.5, g_loss: 0.4", True),
        ("Epoch {e}, steps: {n}, d_loss: 0.5, g_loss: 0.4", True),
        ("Epoch {e}, d_loss: 0.5, g_loss: 0.4", False),
        ("Epoch {e}, Iter {n}/{n}, d_loss: 0.5, g_loss: 0.4", False),
        ("Epoch {e}, Iter 616, d_loss: 0.5, g_loss: 0.4", False),
    ],
)
def test_how_many_iterations_an_epoch_has(tmp_path: Path, line: str, says: bool) -> None:
    result = read(tmp_path, "".join(line.format(e=e, n=616 * e) + "\n" for e in range(1, 9)))
    assert dialect(result) == "epochs"
    about = next(warning.what for warning in result.warnings if warning.code == "epochs")
    assert ("each of 616 iterations" in about) == says


def test_a_time_with_its_mean_and_what_is_left(tmp_path: Path) -> None:
    form = "iter: {n:06d}, lr: 0.00004, total_loss: 16.6 (16.7), time: 0.16{d} (0.239), eta: 1:39:02\n"
    text = "".join(form.format(n=n * 10, d=n % 10) for n in range(1, 9))
    assert times(read(tmp_path, text))[:2] == [0.161, 0.162]
    # Without what is left its unit is not known.
    assert "time_s" not in read(tmp_path, text.replace(", eta: 1:39:02", "")).series.columns


def test_a_total_behind_its_name(tmp_path: Path) -> None:
    line = "[batch {n}/152, epoch 1/15]: loss_rmse:0.12 loss_det:0.04 loss_total:1.{n}\n"
    result = read(tmp_path, "".join(line.format(n=n) for n in range(10, 60, 10)))
    assert result.series.figures("loss") == [1.10, 1.20, 1.30, 1.40, 1.50]


@pytest.mark.parametrize(("more", "known"), [("", True), (", POS loss: 2.5", False)])
def test_the_only_loss_of_lines_is_given_by_its_name(tmp_path: Path, more: str, known: bool) -> None:
    text = "".join(f"iteration:1 step:{n}/1044, NER loss:3{n % 9}.19{more}\n" for n in range(100, 900, 100))
    result = read(tmp_path, text)
    assert ("loss" in result.series.columns) is known
    assert any("NER loss" in one.what for one in result.warnings if one.code == "which-loss")
