"""What stands around the lines of a training: the card, settings, parameters, and figures under names of their own."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from unittest.mock import patch

import pytest
from test_bench_logs_more import read

from rewarp.bench.logs import read_logs
from rewarp.bench.logs.surroundings import Surroundings
from rewarp.bench.result import Result

EPOCHS = "".join(f"Epoch {n}/9 | Train Loss: {9 - n}.5\n" for n in range(1, 5))


def said(result: Result, section: str, field: str) -> object:
    found = getattr(result, section).get(field)
    return None if found is None else found.value


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("Using device: cuda:0", "device", "cuda:0"),
        ("INFO - device = cpu", "device", "cpu"),
        ("使用设备: cuda", "device", "cuda"),
        ("Args: Namespace(device='cuda', lr=0.1)", "device", "cuda"),
        ("The model has 3,905,745 trainable parameters", "trainable_parameters", 3_905_745),
        ("Total params: 11.2M", "parameters", 11_200_000),
        ("Number of parameters: 1234567", "parameters", 1_234_567),
        ("num_epochs: 50", "epochs", 50),
        ("Namespace(batch_size=64, epochs=20, lr=0.1)", "epochs", 20),
        ("python train.py --epochs 30 --lr 0.1", "epochs", 30),
        ("  batch_size: 64", "batch_size", 64),
        ("Namespace(batch_size=64, epochs=20, lr=0.1)", "learning_rate", 0.1),
        ("Namespace(batch_size=64, epochs=20, lr=0.1)", "batch_size", 64),
        ("{'batch_size': 64, 'out': 'runs'}", "batch_size", 64),
    ],
)
def test_settings_before_a_training(tmp_path: Path, line: str, field: str, value: object) -> None:
    result = read(tmp_path, f"{line}\n{EPOCHS}")
    assert said(result, "configuration", field) == value
    assert result.configuration[field].source == "log line 1"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("Total params size (MB): 42", "parameters"),
        ("Non-trainable params: 5", "trainable_parameters"),
        ("parameters are loaded from epoch 5", "parameters"),
        ("warmup_epochs: 5", "epochs"),
        ("saved after 5 epochs", "epochs"),
        ("val_batch_size: 8", "batch_size"),
        ("moved to device: cudax", "device"),
        ("Reducing lr: 0.1 of group 0", "learning_rate"),
        ("loaded, lr=0.1 of group 0", "learning_rate"),
    ],
)
def test_what_is_no_setting(tmp_path: Path, line: str, field: str) -> None:
    assert said(read(tmp_path, f"{line}\n{EPOCHS}"), "configuration", field) is None


@pytest.mark.parametrize(
    "line",
    [
        "Using device: cuda (GeForce RTX 5070)",
        "GPU 0: GeForce RTX 5070, 12 GB",
        "Found device 0 with properties: name: GeForce RTX 5070 major: 12",
    ],
)
def test_the_card_by_its_name(tmp_path: Path, line: str) -> None:
    assert said(read(tmp_path, f"{line}\n{EPOCHS}"), "device", "name") == "GeForce RTX 5070"


def test_of_two_that_differ_neither(tmp_path: Path) -> None:
    text = f"Number of parameters: 100\nNumber of parameters: 200\n{EPOCHS}"
    parameters = read(tmp_path, text).configuration["parameters"]
    assert parameters.value is None
    assert "2 different" in parameters.source


def test_settings_printed_again_are_another_run(tmp_path: Path) -> None:
    runs = "batch_size: 4\nnum_epochs: {}\n" + EPOCHS
    more = "".join(f"Epoch {n}/9 | Train Loss: {9 - n}.5\n" for n in range(3, 7))
    file = tmp_path / "train.log"
    file.write_text(runs.format(10) + "batch_size: 4\nnum_epochs: 20\nResume training from a.pth @ 2\n" + more)
    results = read_logs([file]).results
    assert [said(result, "configuration", "epochs") for result in results] == [10, 20]
    assert [result.series.step[0] for result in results] == [1, 3]


def test_figures_bear_the_names_that_stand_there(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {n}, Loss: {1 / n:.4f}, Test Acc: {40 + n}.5%, F1: 0.{n}, Time: 3.2 s\n" for n in range(1, 6)
    )
    columns = read(tmp_path, text).series.columns
    assert set(columns) == {"loss", "test_acc_percent", "f1", "epoch_time_s"}
    assert columns["test_acc_percent"][0] == 41.5


def test_a_loss_stands_there_once(tmp_path: Path) -> None:
    text = "".join(f"[epoch{n}] trian_loss={9 - n}.25 valid_loss={8 - n}.5 bps={60 + n}\n" for n in range(5))
    assert set(read(tmp_path, text).series.columns) == {"loss", "validation_loss", "bps"}


def test_a_line_of_the_validation_completes_its_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch [{n}/5], Loss_D: 0.{n}, Loss_G: {9 - n}.5\nValidation Epoch [{n}/5], PSNR: 3{n}.5\n"
        for n in range(1, 6)
    )
    columns = read(tmp_path, text).series.columns
    assert columns["validation_psnr"] == [31.5, 32.5, 33.5, 34.5, 35.5]
    assert columns["loss_g"][-1] == 4.5
    assert "loss" not in columns


@pytest.mark.parametrize(
    ("what", "column", "last"),
    [
        ("Accuracy 0.{n}1", "accuracy", 0.51),
        ("acc: {n}1.5%", "accuracy_percent", 51.5),
        ("ppl: {n}.25", "perplexity", 5.25),
        ("accuracy=0.{n}1, lr=0.1", "accuracy", 0.51),
        ("val acc: 0.{n}", "accuracy", None),
        ("val: loss 0.2, acc 0.{n}", "accuracy", None),
        ("acc: 0.{n} (0.3)", "accuracy", None),
    ],
)
def test_what_stands_beside_the_loss_of_a_step(tmp_path: Path, what: str, column: str, last: float | None) -> None:
    text = "".join(f"Step {n}00, loss: {9 - n}.5, {what.format(n=n)}\n" for n in range(1, 6))
    columns = read(tmp_path, text).series.columns
    assert (columns[column][-1] if column in columns else None) == last


def test_lines_that_say_nothing_again_and_again_are_looked_at_no_more(tmp_path: Path) -> None:
    asked = "".join(f"Received {n:04x}abc: a prompt, with no device in it\n" for n in range(2000))
    assert said(read(tmp_path, f"{asked}Using device: cuda\n{EPOCHS}"), "configuration", "device") == "cuda"
    looked = Surroundings()
    pairs = [(at, line.encode()) for at, line in enumerate(asked.splitlines(), 1)]
    with patch.object(Surroundings, "_look", return_value=False) as look:
        looked.see(pairs, asked.encode())
    assert 0 < look.call_count < 100


def test_a_long_list_of_what_is_no_setting_takes_no_long_time(tmp_path: Path) -> None:
    line = "batch " + "a=1 {" * 790
    begun = process_time()
    assert said(read(tmp_path, f"{line}\n" * 15 + EPOCHS), "configuration", "batch_size") is None
    assert process_time() - begun < 5
