"""Lines of a step, a name and a value."""

from __future__ import annotations

from pathlib import Path

from test_bench_logs_more import dialect, read
from test_bench_logs_structure import unread

from rewarp.bench.logs import read_logs

RUN = "".join(
    (f"{n} val {11 - n / 10 + 0.05:.4f}\n{n} hella 0.25{n}\n" if n % 5 == 0 else "") + f"{n} train {11 - n / 10:.6f}\n"
    for n in range(12)
)


def test_losses_of_the_training_and_the_validation(tmp_path: Path) -> None:
    result = read(tmp_path, RUN)
    assert dialect(result) == "step-name-value"
    assert list(result.series.step) == list(range(12))
    assert result.series.columns["loss"][-1] == 9.9
    assert [value for value in result.series.columns["validation_loss"] if value is not None] == [11.05, 10.55, 10.05]
    assert "hella" in result.series.columns


def test_in_the_encoding_of_chinese_windows(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    text = "".join(
        f"当前Batch：{n}0/60 | 当前epoch:{e}/5 | 当前损失值：{9 - e}.{n}\n" for e in range(3) for n in range(1, 7)
    )
    file.write_bytes(("模型训练开始\n" + text).encode("gb18030"))
    read_as_it_is = read_logs([file]).results
    file.write_bytes(("模型训练开始\n" + text).encode())
    (result,) = read_logs([file]).results
    assert [one.series for one in read_as_it_is] == [result.series]
    assert result.series.columns["loss"][-1] == 7.6
    file.write_bytes(text.encode("gb18030").replace("损失".encode("gb18030"), b"\xc3\xe9 "))
    assert not read_logs([file]).results


def test_from_the_first_step_on_again_is_another_run(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    file.write_text(RUN * 2)
    assert [len(result.series.step) for result in read_logs([file]).results] == [12, 12]


def test_what_rises_is_no_loss(tmp_path: Path) -> None:
    text = "".join(f"{n} train 0.{n}1\n{n} val 0.{n}0\n" for n in range(10, 20))
    assert "loss" not in read(tmp_path, text).series.columns


def test_steps_that_go_back_within_a_run_and_other_lines_are_not_read(tmp_path: Path) -> None:
    back = RUN + "".join(f"{n} train {9 - n / 10:.4f}\n" for n in range(6, 20))
    assert unread(tmp_path, back)
    assert unread(tmp_path, "1 apple 3.50\n2 pear 2.25\n3 plum 1.75\n")
