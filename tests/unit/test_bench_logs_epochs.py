"""Steps and losses within epochs: which epoch a line is of, what begins anew, and what is left out because it is not said."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bench_logs_more import dialect, read
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs


def codes(tmp_path: Path, text: str) -> list[str]:
    return [warning.code for warning in read(tmp_path, text).warnings]


def batches(what: str, count: int, of: int, loss: float) -> str:
    return "".join(
        f"[INFO]   {what} {n}/{of} | Loss: {loss - n / 1000:.4f} | Acc: 3.{n % 10}%\n" for n in range(10, count + 1, 10)
    )


def test_batches_below_the_headline_of_their_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"-- Epoch {e}/5 -------\n" + batches("Batch", 60, 67, 3 / e) + "train loss: 3.1\n" for e in range(1, 6)
    )
    result = read(tmp_path, text)
    assert len(result.series.step) == 30
    assert list(result.series.step)[5:8] == [60, 77, 87]
    assert result.summary["loss"]["last"] == pytest.approx(0.54)


def test_a_headline_of_the_first_epoch_again_is_another_run(tmp_path: Path) -> None:
    run = "".join(f"Epoch {e}\n" + batches("Batch", 60, 67, 3 / e) for e in range(1, 4))
    file = tmp_path / "train.log"
    file.write_text(run * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [18, 18]


@pytest.mark.parametrize("what", ["Val Batch", "Batch"])
def test_a_validation_that_is_printed_alike_below_the_headline(tmp_path: Path, what: str) -> None:
    text = "".join(
        f"Epoch {e}/5\n" + batches("Batch", 60, 67, 3 / e) + batches(what, 20, 28, 99.0) for e in range(1, 6)
    )
    result = read(tmp_path, text)
    assert len(result.series.step) == 30
    assert result.summary["loss"]["first"] < 3


def test_epochs_whose_length_is_not_said_repeat_nothing(tmp_path: Path) -> None:
    text = "".join(f"[Epoch {e}][Batch {n}], Speed: 3.{e} samples/sec\n" for e in range(10) for n in (0, 50))
    result = read(tmp_path, text)
    assert len(result.series.step) == 20
    assert list(result.series.step)[:4] == [1, 2, 3, 4]
    assert result.series.figures("epoch")[:4] == [0, 0, 1, 1]
    assert result.series.figures("step_of_epoch")[:4] == [0, 50, 0, 50]
    assert "epochs-apart" in codes(tmp_path, text)


def test_blanks_before_the_epoch_of_paddle(tmp_path: Path) -> None:
    form = "[12/25 14:22:40] epoch:[ {e:2d}/25 ] train step:{n:<4d} loss: 4.9 lr: 0.01 batch_cost: 1.5{e} sec, ips: 8.5{e} instance/sec.\n"
    result = read(tmp_path, "".join(form.format(e=e, n=n) for e in range(1, 5) for n in (0, 100)))
    assert dialect(result) == "paddle"
    assert len(result.series.step) == 8
    assert result.series.figures("samples_per_s_per_device")[-1] == 8.54


def test_many_lines_of_an_epoch_without_a_counter(tmp_path: Path) -> None:
    text = "".join(f"epoch:  {e} loss:  {3 / (e + 1) - n / 100:.4f}\n" for e in range(3) for n in range(20))
    result = read(tmp_path, text)
    assert list(result.series.step) == [0, 1, 2]
    assert result.series.figures("loss")[-1] == pytest.approx(0.81)
    assert "epochs-of-lines" in codes(tmp_path, text)


def test_an_epoch_line_for_each_of_a_few_things_is_not_read(tmp_path: Path) -> None:
    assert unread(tmp_path, "".join(f"epoch: {e} loss: {3 / (e + 1):.4f}\n" for e in range(9) for _ in range(2)))
    assert unread(tmp_path, "".join(f"agent {n} epoch: {e} loss: 0.5\n" for e in range(9) for n in "abcde"))


def test_the_loss_of_the_validation(tmp_path: Path) -> None:
    text = "".join(f"Epoch {e}, Train Loss: {3 / e:.3f}, Validation Loss: {4 / e:.3f}\n" for e in range(1, 6))
    result = read(tmp_path, text)
    assert result.series.figures("validation_loss")[1] == 2.0
    assert result.reported["validation_loss"].value == 0.8
    two = "".join(f"Epoch {e}, loss: {3 / e:.3f}, val loss: 1.5, ema val loss: 1.7\n" for e in range(1, 6))
    assert "validation_loss" not in read(tmp_path, two).series.columns


def test_losses_of_two_models_are_given_by_their_names_and_not_as_the_loss(tmp_path: Path) -> None:
    text = "".join(
        f"[{e * 500 + n:8d} Epoch:[{e:2d}/25] [{n:4d}/ 500] time: {3.7 * (e * 500 + n):.4f}, d_loss: 1.5, g_loss: 0.4\n"
        for e in range(3)
        for n in range(500)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "structure"
    assert (len(result.series.step), sorted(result.series.columns)) == (1500, ["d_loss", "g_loss"])
    assert "which-loss" in codes(tmp_path, text)
    epochs = "".join(f"Epoch [{e}/20], Binary Loss: 1e-0{e}, Multi-class Loss: 0.5\n" for e in range(1, 9))
    assert "which-loss" in codes(tmp_path, epochs)


def test_episodes_are_no_epochs(tmp_path: Path) -> None:
    assert unread(
        tmp_path, "".join(f"EP:{n} | TD Error [2, 1] | ALoss [33.{n}, 22.9] | ep_r -157\n" for n in range(30))
    )


def test_all_lines_of_a_long_log_are_weighed(tmp_path: Path) -> None:
    """What one reader of last resort takes of the first block does not keep the rest from a surer one."""
    text = "".join(
        f"[{e * 9000 + n:8d} Epoch:[{e:2d}/25] [{n:4d}/9000] {'x' * 150} d_loss: 1.5, g_loss: 0.4\n"
        for e in range(4)
        for n in range(9000)
    )
    result = read(tmp_path, text)
    assert dialect(result) == "structure"
    assert result.summary["steps"] == 36_000


def test_bars_of_iterations_below_one_of_epochs(tmp_path: Path) -> None:
    bars = "".join(
        f"Iteration: {n // 10}%|##   | {n}/1000 [{n // 60:02d}:{n % 60:02d}<10:00,  1.00s/it]\n"
        for n in range(1, 1001, 9)
    )
    text = "Epoch:   0%|     | 0/3 [00:00<?, ?it/s]\n" + bars
    result = read(tmp_path, text)
    assert dialect(result) == "tqdm"
    assert result.summary["time_s"]["mean"] == pytest.approx(1, rel=0.01)
    assert unread(tmp_path, bars)


def test_stretches_that_end_in_a_line_of_their_epoch(tmp_path: Path) -> None:
    def run(name: str) -> str:
        return "".join(
            "".join(f"step {n} loss: {3 / e:.4f} lr: 0.1\n" for n in range(0, 500, 50))
            + f"Epoch {e} {name} acc 0.{e}\n"
            for e in range(1, 5)
        )

    result = read(tmp_path, run("finished:"))
    assert result.series.figures("epoch")[9:12] == [1, 2, 2]
    assert result.series.figures("step_of_epoch")[9:12] == [450, 0, 50]
    file = tmp_path / "twice.log"
    file.write_text(run("finished:") * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [40, 40]
    heads = "".join(
        f"Epoch {e} begins\n" + "".join(f"step {n} loss: {3 / e:.4f} lr: 0.1\n" for n in range(0, 500, 50))
        for e in range(1, 5)
    )
    file.write_text(heads * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [40, 40]


def test_stretches_of_which_nothing_says_an_epoch_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "twice.log"
    file.write_text("".join(f"step {n} loss: 3.{n} lr: 0.1\n" for n in range(0, 500, 50)) * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [10, 10]


def test_the_mean_that_ends_an_epoch_of_many_lines(tmp_path: Path) -> None:
    text = "".join(
        f"## EPOCH: {e - 1} ##\n" + f"Epoch [{e}/50], Loss: 0.9\n" * 24 + f"Epoch [{e}/50], Average Loss: {3 / e:.4f}\n"
        for e in range(1, 8)
    )
    result = read(tmp_path, text)
    assert result.series.figures("loss")[:3] == [3.0, 1.5, 1.0]
    assert "mean" in result.provenance["notes"]["loss"]


def test_a_counter_written_to_its_name(tmp_path: Path) -> None:
    text = "".join(f"iteration:{e} step{n}/174, total_loss: 25.{n}\n" for e in range(1, 5) for n in (50, 100, 150))
    assert len(read(tmp_path, text).series.step) == 12


def test_epochs_of_mxnet(tmp_path: Path) -> None:
    text = "".join(
        f"INFO:root:Epoch[{e}] Batch [{n}]\tSpeed: 142.3{e} samples/sec\n" for e in range(5) for n in range(20, 620, 20)
    )
    assert len(read(tmp_path, text).series.step) == 150


def test_the_last_that_a_bar_drew_counts(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch 0: {n}%|##   | {n}/459 [{28 * n // 60:02d}:{28 * n % 60:02d}<3:00:00, 28.00s/it, loss=0.{n}]\r"
        for n in range(1, 6)
    )
    result = read(tmp_path, text + "\n")
    assert result.series.step[-1] == 5
    assert result.series.figures("loss")[-1] == 0.5


def test_an_exception_behind_the_end_of_the_training(tmp_path: Path) -> None:
    steps = "".join(f"Epoch {e}, Batch {n}, Loss: {9 - e}.{n:03d}\n" for e in (1, 2, 3) for n in (0, 50, 100))
    fails = "ERROR - Traceback (most recent call last)\n"
    over = [one.what for one in read(tmp_path, steps + "INFO - Training completed!\n" + fails).warnings]
    assert any("after step 100 of epoch 3, when the training was over" in what for what in over)
    broken = [one.what for one in read(tmp_path, steps + fails).warnings]
    assert any("after step 100 of epoch 3: the run broke off" in what for what in broken)


def test_an_epoch_that_is_done_again_after_a_restart(tmp_path: Path) -> None:
    epochs = [(1, 0), (1, 50), (1, 100), (2, 0), (2, 50), (2, 100), (3, 0), (3, 50), (2, 50), (2, 100), (3, 0)]
    result = read(tmp_path, "".join(f"Epoch {e}, Batch {n}/101, Loss: 1.{e}{n:03d}\n" for e, n in epochs))
    assert list(result.series.step) == [0, 50, 100, 101, 151, 201, 202]
    [restart] = [one.what for one in result.warnings if one.code == "restart"]
    assert "from 50 of epoch 3 to 50 of epoch 2" in restart


def test_a_loss_of_the_test_beside_that_of_the_training(tmp_path: Path) -> None:
    line = '{{"train_loss": {a}.5, "test_loss": {b}.25, "test_loss_ce": 0.5, "epoch": {n}}}\n'
    result = read(tmp_path, "".join(line.format(a=9 - n, b=8 - n, n=n) for n in range(4)))
    assert result.series.figures("test_loss") == [8.25, 7.25, 6.25, 5.25]
    assert result.series.figures("loss") == [9.5, 8.5, 7.5, 6.5]


def test_runs_that_ended_with_their_first_epoch(tmp_path: Path) -> None:
    epochs = [0, 0, 1, 0, 1, 2, 3, 4, 5]
    text = "".join(f"Load file: None, EP{e}, avg_loss=0.{n + 1}\n" for n, e in enumerate(epochs))
    log = tmp_path / "train.log"
    log.write_text(text)
    found = read_logs([log]).results
    assert [list(one.series.step) for one in found] == [[0, 1], [0, 1, 2, 3, 4, 5]]
    assert found[0].series.figures("loss") == [0.2, 0.3]
    assert [any(note.code == "broken-off" for note in one.warnings) for one in found] == [True, False]
    # Too short to tell, or twice later on: of what the lines are nobody says.
    assert unread(tmp_path, "".join(f"EP{e}, avg_loss=0.{e + 1}\n" for e in (0, 0, 1, 2)))
    assert unread(tmp_path, "".join(f"EP{e}, avg_loss=0.{e + 1}\n" for e in (0, 0, 1, 2, 3, 3, 4, 5, 6)))


def test_an_average_loss_at_a_step(tmp_path: Path) -> None:
    text = "".join(
        f"Average loss at step  {n} :  {9 - n / 1000}\nNearest to the: a, b,\n" for n in range(0, 8001, 2000)
    )
    result = read(tmp_path, text)
    assert list(result.series.step) == [0, 2000, 4000, 6000, 8000]
    assert result.series.figures("loss")[-1] == 1.0


def test_figures_of_a_line_of_the_validation_are_not_the_trainings(tmp_path: Path) -> None:
    lines = ["[Epoch {e:03d}] Train  loss=0.{e}  acc=0.5{e}\n", "[Epoch {e:03d}] Val    loss=0.3{e}  acc=0.7{e}\n"]
    for order in (lines, lines[::-1]):
        text = "".join(line.format(e=e) for e in range(1, 5) for line in order)
        figures = read(tmp_path, text).series.figures
        assert figures("loss") == [0.1, 0.2, 0.3, 0.4]
        assert figures("acc") == [0.51, 0.52, 0.53, 0.54]
        assert figures("validation_loss") == [0.31, 0.32, 0.33, 0.34]
        assert figures("val_acc") == [0.71, 0.72, 0.73, 0.74]


@pytest.mark.parametrize(
    ("said", "time"), [("48s 3ms", 48 / 17194), ("5s 3ms", 0.003), ("48s 2.81ms", 0.00281), ("30s 3ms", 0.003)]
)
def test_the_more_exact_time_of_a_step_of_keras(tmp_path: Path, said: str, time: float) -> None:
    bar = "17194/17194 [==============================] - {}/step - loss: 0.{}\n"
    result = read(tmp_path, "".join(f"Epoch {n}/3\n" + bar.format(said, 9 - n) for n in (1, 2, 3)))
    assert result.series.figures("time_s") == pytest.approx([time] * 3)


def test_the_end_of_a_bar_that_says_the_rate_of_late(tmp_path: Path) -> None:
    bars = [
        f"Training: {n * 100 // 40}%|██| {n}/40 [{n * 10 // 60:02d}:{n * 10 % 60:02d}<00:10, 10.00s/it]"
        for n in range(1, 40)
    ]
    # 40 x 10.15 s are less than 2 % more than the 400 s that the clock says.
    text = "\r".join([*bars, "Training: 100%|██| 40/40 [06:40<00:00, 10.15s/it]"])
    times = [time for time in read(tmp_path, text).series.figures("time_s") if time is not None]
    assert max(times) < 10.6
