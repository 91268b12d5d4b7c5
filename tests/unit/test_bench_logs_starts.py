"""Where one run ends and another begins, whose plan a number is, and losses that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bench_logs_more import dialect, read, times
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs
from rewarp.bench.logs.running_sums import is_running_sum
from rewarp.bench.result import Result


def runs(tmp_path: Path, text: str) -> list[Result]:
    file = tmp_path / "train.log"
    file.write_text(text)
    return list(read_logs([file]).results)


def codes(result: Result) -> list[str]:
    return [warning.code for warning in result.warnings]


def steps(first: int, last: int, loss: float = 2.0) -> str:
    return "".join(f"iter: {n:06d}, loss: {loss - n / 1e4:.4f}\n" for n in range(first, last + 1, 10))


@pytest.mark.parametrize(
    "start",
    [
        "Arguments: Namespace(config='a.yaml', resume=True)",
        "Loading checkpoint from ./checkpoints/model_000250.pth",
        "2026-01-02 03:04:05,678 - INFO - No checkpoint found. Starting from scratch.",
        "(env) me@box:~/project $ python train.py --resume",
        "(venv) PS D:\\project> python train.py",
        "Resuming training at iteration 250",
        "2026-01-02 03:04:05 INFO: Restored from checkpoint runs/test1/last.pth",
    ],
)
def test_a_start_ends_the_run_before(tmp_path: Path, start: str) -> None:
    found = runs(tmp_path, steps(10, 250) + start + "\n" + steps(260, 400) + start + "\n" + steps(10, 100, 3.0))
    assert [(one.series.step[0], one.series.step[-1]) for one in found] == [(10, 250), (260, 400), (10, 100)]
    assert ["launch" in codes(one) for one in found] == [False, True, True]


def test_a_start_that_says_the_last_step_again_repeats_nothing(tmp_path: Path) -> None:
    found = runs(tmp_path, steps(10, 50) + "Namespace(lr=0.1)\n" + steps(50, 90, 9.0))
    assert [one.series.figures("loss")[0] for one in found] == [1.999, 8.995]


@pytest.mark.parametrize(
    "line",
    [
        "Saving checkpoint to ./checkpoints/model_000250.pth",
        "Loaded best checkpoint for the evaluation",
        "Loading pretrained backbone checkpoint",
        "Evaluation: loading checkpoint runs/last.pth",
        "Resuming training after the validation",
        "starting epoch 2",
        "the python process uses 3 GB",
        "namespace: default",
    ],
)
def test_what_is_no_start_ends_nothing(tmp_path: Path, line: str) -> None:
    assert len(read(tmp_path, steps(10, 250) + line + "\n" + steps(260, 400)).series.step) == 40


def test_a_checkpoint_after_every_so_many_steps_is_no_start(tmp_path: Path) -> None:
    """As of a program that evaluates in between, and takes up what it left."""
    text = "".join(steps(n, n + 90) + "Loading checkpoint from last.pth\n" for n in range(10, 800, 100))
    result = read(tmp_path, text)
    assert list(result.series.step) == list(range(10, 801, 10))
    assert "launch" not in codes(result)
    # Where the steps do not go on, they are starts.
    assert len(runs(tmp_path, text.replace("iter: 000110", "iter: 000011"))) > 1


def test_short_starts_beside_a_run_are_given(tmp_path: Path) -> None:
    start = "Namespace(lr=0.1)\n"
    found = runs(tmp_path, steps(10, 250) + start + steps(10, 10, 7.0) + start + steps(10, 100))
    assert [len(one.series.step) for one in found] == [25, 1, 10]
    assert unread(tmp_path, steps(10, 10) + start + steps(10, 10))


def test_epochs_of_two_starts(tmp_path: Path) -> None:
    epochs = ["".join(f"Epoch {e}, loss: {3 / e:.3f}\n" for e in some) for some in (range(1, 6), range(6, 9))]
    assert len(runs(tmp_path, "".join(epochs))) == 1
    assert [len(one.series.step) for one in runs(tmp_path, "Namespace(lr=0.1)\n".join(epochs))] == [5, 3]


def test_a_bar_of_the_same_epoch_after_a_start(tmp_path: Path) -> None:
    def bar(epoch: str, clock: str, seconds: str) -> str:
        return f"    {epoch}   0G   0.9   4.0   0.97   43   640: 100%|██████████| 600/600 [{clock}<00:00,  {seconds}s/it]\n"

    start = "Starting training for 1 epochs...\n"
    found = runs(
        tmp_path,
        start + bar("1/1", "50:00", "5.00") + start + bar("1/1", "40:00", "4.00")
        # Another number of epochs is another run too.
        + bar("1/2", "30:00", "3.00") + bar("2/2", "20:00", "2.00"),
    )  # fmt: skip
    assert [times(one)[0] for one in found] == pytest.approx([5.0, 4.0, 2.5])
    assert not any("total_s" in one.summary for one in found)


def test_epochs_in_brackets_before_the_step(tmp_path: Path) -> None:
    lines = "".join(
        f"2026-01-02 01:33:04,540 Train: [ {e}/4] Step {n:03d}/120 Loss {9 / e - n / 100:.3f}\n"
        for e in range(1, 5)
        for n in range(0, 121, 40)
    )
    result = read(tmp_path, lines)
    assert len(result.series.step) == 16
    assert result.provenance["steps_planned"] is None
    # What stands in brackets may be a fold as well: then every one is a run.
    assert len(runs(tmp_path, lines.replace("Train:", "Fold:"))) == 4


@pytest.mark.parametrize(
    ("epoch", "planned"), [("Epoch [2/2], ", None), ("Epoch 1, ", None), ("Epoch [1/1], ", 900), ("", 900)]
)
def test_the_plan_of_an_epoch_is_not_that_of_the_run(tmp_path: Path, epoch: str, planned: int | None) -> None:
    result = read(tmp_path, "".join(f"{epoch}Step [{n}/900], Loss: {3 - n / 1000:.4f}\n" for n in range(1, 901)))
    assert result.provenance["steps_planned"] == planned
    assert ("plan-of-epoch" in codes(result)) == (planned is None)


def test_steps_that_go_on_through_epochs_keep_their_plan(tmp_path: Path) -> None:
    result = read(tmp_path, "".join(f"epoch {n // 50 + 1} step {n}/900 loss: 1.5\n" for n in range(1, 200)))
    assert result.provenance["steps_planned"] == 900


def test_a_running_sum_is_no_loss(tmp_path: Path) -> None:
    def epoch(e: int) -> str:
        return (
            f"[Batch: 1000] loss: {29.0 - e:.3f}\n[Batch: 2000] loss: {57.3 - 2 * e:.3f}\n"
            f"Epoch {e} [BEST] loss = {0.6 - e / 100:.3f}\nTraining loss: {0.5 - e / 100:.3f}, Valid loss: {0.6 - e / 100:.3f}\n"
        )

    result = read(tmp_path, "".join(epoch(e) for e in range(1, 5)))
    assert dialect(result) == "epochs"
    # What an epoch's line calls a loss was the validation's, as the line behind it says.
    assert list(result.series.figures("loss")) == [0.49, 0.48, 0.47, 0.46]
    assert list(result.series.figures("validation_loss")) == [0.59, 0.58, 0.57, 0.56]


def test_a_summary_behind_the_last_epoch_is_not_of_that_epoch(tmp_path: Path) -> None:
    epochs = [f"Epoch {e}, loss: {3 / e:.3f}\n" for e in range(1, 7)]
    result = read(tmp_path, "".join(epochs) + "Final training loss: 0.1, validation loss: 0.2\n")
    assert result.series.figures("loss")[-1] == 0.5
    assert "validation_loss" not in result.series.columns
    # Of some epochs such a line, of others none: then nobody knows whose the others are.
    assert "loss" not in read(tmp_path, "Training loss: 0.1\n".join(epochs[:3]) + "".join(epochs[3:])).series.columns


def test_a_running_sum_beside_times_leaves_these(tmp_path: Path) -> None:
    text = "".join(
        f"epoch {e} step {n}/500 loss: {n * 0.7:.2f} step_time: 0.25s\n" for e in (1, 2) for n in range(100, 501, 100)
    )
    result = read(tmp_path, text)
    assert set(result.series.columns) == {"time_s"}
    assert "running-sum" in codes(result)


def test_what_a_running_sum_is() -> None:
    count = [10.0, 20.0, 30.0] * 2
    assert is_running_sum(count, [5.0, 9.0, 12.0, 4.0, 8.0, 11.0])
    assert not is_running_sum(count, [5.0, 9.0, 12.0, 13.0, 18.0, 21.0])  # a loss that only grows diverges
    assert not is_running_sum(count, [3.0, 2.0, 1.0, 0.9, 0.8, 0.7])
    assert not is_running_sum(count, [1.0, 1.1, 1.2, 1.0, 1.1, 1.2])
    assert not is_running_sum([10.0, 20.0], [5.0, 10.0])  # too few lines
    assert is_running_sum([10.0, 20.0, 30.0, 40.0, 50.0], [5.1, 9.9, 15.2, 20.0, 24.8])


def test_the_line_that_closes_an_epoch_of_keras(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {n}/3\n\r34/35 ━━━━━━━━━━━━━━━━━━━━ 0s 652ms/step - loss: 1.2416"
        "\r35/35 ━━━━━━━━━━━━━━━━━━━━ 0s 652ms/step - loss: 1.2316"
        "\r35/35 ━━━━━━━━━━━━━━━━━━━━ 42s 899ms/step - loss: 0.8803 - val_loss: 0.4290\n"
        # An evaluation is none of it, and is drawn from its beginning.
        "\r 1/35 ━━━━━━━━━━━━━━━━━━━━ 1s 32ms/step - loss: 7.0\r35/35 ━━━━━━━━━━━━━━━━━━━━ 1s 31ms/step - loss: 7.7\n"
        for n in range(1, 4)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [35, 70, 105]
    assert list(result.series.figures("loss")) == [0.8803] * 3
    assert list(result.series.figures("validation_loss")) == [0.4290] * 3
    assert list(result.series.figures("epoch_time_s")) == [42.0] * 3
    # 652 ms before the validation, 899 ms with it: which of them is meant nobody says.
    assert "time_s" not in result.series.columns
    assert "time-of-what" in [warning.code for warning in result.warnings]


@pytest.mark.parametrize("says", ["Train on 48000 samples, validate on 12000 samples\n", ""])
def test_a_bar_of_keras_that_counts_samples(tmp_path: Path, says: str) -> None:
    drawn = "".join(f"\r{n:5d}/48000 [===>......] - ETA: 1:50:48 - loss: 1.1" for n in range(128, 1025, 128))
    text = says + "".join(
        f"Epoch {n}/20\n{'' if says else drawn}\r48000/48000 [==========] - 5125s 107ms/step - loss: 0.{9 - n} - val_loss: 0.{10 - n}\n"
        for n in range(2, 6)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [1, 2, 3, 4]
    assert result.provenance["steps_planned"] == 20
    assert set(result.series.columns) == {"loss", "validation_loss", "epoch_time_s"}
    assert "samples" in codes(result)


def test_a_bar_of_keras_that_counts_steps(tmp_path: Path) -> None:
    drawn = "".join(f"\r{n:5d}/375 [===>......] - ETA: 1:50 - loss: 1.1" for n in range(1, 300, 7))
    result = read(tmp_path, f"Epoch 1/2\n{drawn}\r375/375 [==========] - 75s 200ms/step - loss: 0.5\n")
    assert (list(result.series.step), times(result)) == ([375], [0.2])


def test_losses_by_epoch_before_times_of_a_bar_of_a_part(tmp_path: Path) -> None:
    first = "".join(f"Epoch {e:02d}/50 | Loss {2 / e:.4f} | Metric 19.46\n" for e in range(1, 51))
    second = "".join(
        f"Epoch {e}/50: 100%|██████████| 391/391 [00:14<00:00, 27.07it/s, Acc=11.73%]\n"
        f"Epoch [{e:02d}/50] | Loss: {3 / e:.4f} | Acc: 11.73%\n"
        for e in range(1, 51)
    )
    found = runs(tmp_path, first + second)
    assert [(dialect(one), len(one.series.step)) for one in found] == [("epochs", 50)] * 2
    assert "times-beside" in codes(found[0])
    assert dialect(read(tmp_path, second.split("\n")[0] + "\n" + first)) == "epochs"


def test_a_loss_without_any_number_that_counts(tmp_path: Path) -> None:
    assert unread(tmp_path, "".join(f"Training completed. Final loss: 0.{n}849\n" for n in range(1, 9)))


@pytest.mark.parametrize("printed", ["Args: {'seed': 42, 'device': 'cpu'}", "参数: {'epochs': 100, 'lr': 0.001}"])
def test_settings_that_are_printed_again_are_a_start(tmp_path: Path, printed: str) -> None:
    def start(losses: list[float]) -> str:
        lines = [f"Epoch 0 step {20 * at} eta 01:55:35: loss {loss}" for at, loss in enumerate(losses, 1)]
        return "\n".join([printed, "Reusing dataset", *lines, ""])

    file = tmp_path / "train.log"
    file.write_text(start([-273.076]) + start([237.301, 164.6, 163.0]) + start([327.2, 244.4]), encoding="utf-8")
    results = read_logs([file]).results
    assert [one.series.figures("loss") for one in results] == [[-273.076], [237.301, 164.6, 163.0], [327.2, 244.4]]


def test_a_dictionary_of_figures_is_no_start(tmp_path: Path) -> None:
    lines = [
        f"Epoch 0 step {n} loss 0.{n}\nResults: {{'epoch': 0, 'loss': 0.{n}, 'seed': 1}}\n" for n in range(10, 60, 10)
    ]
    assert list(read(tmp_path, "".join(lines)).series.step) == [10, 20, 30, 40, 50]


def test_samples_to_train_on_again_are_another_fit(tmp_path: Path) -> None:
    fit = "Train on 113600 samples\n  1024/113600 [....] - ETA: 6:52 - loss: 0.1\r113600/113600 [====] - 38s 335us/sample - loss: 0.00{n}\n"
    file = tmp_path / "train.log"
    file.write_text("".join(fit.format(n=n) for n in (6, 5, 7)))
    assert [one.series.figures("loss") for one in read_logs([file]).results] == [[0.006], [0.005], [0.007]]


def test_bars_of_one_run_do_not_stand_for_all_of_the_log(tmp_path: Path) -> None:
    lines = "".join(f"Epoch {n:02d}/50 | Loss {9 - n / 10:.4f} | Metric 19.46\n" for n in range(1, 51))
    bar = "Epoch {n}/50: 100%|####| 391/391 [00:{s}<00:00, 27.57it/s, Loss=2.{n}]\n"
    bars = "".join(bar.format(n=n, s=10 + n) for n in range(1, 40))
    file = tmp_path / "train.log"
    file.write_text(lines + bars + lines)
    assert [dialect(one) for one in read_logs([file]).results] == ["epochs", "epochs"]
    assert dialect(read(tmp_path, lines[:200] + bars)) == "tqdm"


@pytest.mark.parametrize(("before", "lowest"), [(True, 5.0), (False, 6.0)])
def test_the_first_and_the_lowest_loss_of_a_bar(tmp_path: Path, before: bool, lowest: float) -> None:
    """Whether the loss of an iteration is shown before it counts, or behind."""
    losses = [9.0, 8.0, 6.0, 7.0, 7.5] if not before else [9.0, 8.0, 5.0, 7.0, 7.5]
    bar = "Epoch 0:   0%|          | {n}/459 [00:{s:02d}<1:18:39,  6.00s/it{loss}]\n"
    text = bar.format(n=0, s=0, loss="")
    for n, loss in enumerate(losses):
        behind = bar.format(n=n + 1, s=6 * n + 6, loss=f", Loss={losses[n - 1]}" if n else "")
        early = bar.format(n=n, s=6 * n, loss=f", Loss={loss}") + bar.format(
            n=n + 1, s=6 * n + 6, loss=f", Loss={loss}"
        )
        text += early if before else behind + bar.format(n=n + 1, s=6 * n + 6, loss=f", Loss={loss}")
    result = read(tmp_path, text)
    assert result.series.figures("loss") == losses
    assert result.summary["loss"]["first"] == 9.0
    assert result.summary["loss"]["min"] == lowest
