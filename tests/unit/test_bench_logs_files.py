"""Many files of logs: folders, ranks, rotations; and the command that reads them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from test_bench_logs import codes, megatron, one, times, write

from rewarp.bench.logs import read_logs
from rewarp.bench.result import Sourced
from rewarp.cli import main
from rewarp.errors import UsageError


def test_a_rotated_log_is_one_run(tmp_path: Path) -> None:
    write(tmp_path, megatron(range(21, 31), of=30), "train.log")
    write(tmp_path, megatron(range(11, 21), of=30), "train.log.1")
    write(tmp_path, gzip.compress(megatron(range(1, 11), of=30).encode()), "train.log.2.gz")
    (result,) = read_logs([tmp_path]).results
    assert list(result.series.step) == list(range(1, 31))
    assert [Path(file).name for file in result.provenance["files"]] == ["train.log.2.gz", "train.log.1", "train.log"]
    assert not {"unfinished-run", "restart"} & codes(result)


def test_numbered_files_without_a_base_are_runs_of_their_own(tmp_path: Path) -> None:
    for number in (1, 2):
        write(tmp_path, megatron(range(1, 6), of=5, ms=100.0 * number), f"result.{number}")
    assert len(read_logs([tmp_path]).results) == 2


@pytest.mark.parametrize(
    "name", ["rank_{}.log", "rank{}/train.log", "attempt_0/{}/stdout.log", "out-local_rank-{}.txt"]
)
def test_files_of_ranks_are_one_run(tmp_path: Path, name: str) -> None:
    for rank in (0, 1, 10):
        file = tmp_path / name.format(rank)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(megatron(range(1, 9 if rank else 6), ms=100.0 * (rank + 1)))
    (result,) = read_logs([tmp_path]).results
    assert times(result)[0] == pytest.approx(0.201)
    assert "several-ranks" in codes(result)


def test_two_runs_beside_each_other_are_two(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, megatron(range(1, 6)))
    assert [result.name for result in read_logs([tmp_path]).results] == ["a/train.log", "b/train.log"]


def test_a_folder_may_hold_anything(tmp_path: Path) -> None:
    write(tmp_path, megatron(range(1, 6)))
    write(tmp_path, b"\x7fELF" + bytes(range(256)) * 9, "core.log")
    write(tmp_path, b"", "empty.log")
    write(tmp_path, "import torch\n", "train.py")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "gone.log").symlink_to(tmp_path / "nowhere")
    (tmp_path / "again.log").symlink_to(tmp_path / "train.log")
    os.mkfifo(tmp_path / "pipe.log")
    read = read_logs([tmp_path])
    assert len(read.results) == 1
    assert {unread.file.name for unread in read.unread} == {"core.log", "empty.log"}


def test_what_the_user_says_counts_before_the_log(tmp_path: Path) -> None:
    file = write(tmp_path, "  seq_length ............. 1024\n" + megatron(range(1, 21), of=20))
    said = {"configuration.sequence": Sourced(2048, "--sequence"), "device.count": Sourced(4, "--devices")}
    result = one(file, values=said)
    assert result.configuration["sequence"] == Sourced(2048, "--sequence")
    assert result.derived["tokens_per_s"].value == pytest.approx(8 * 2048 / result.summary["time_s"]["mean"])
    assert result.derived["tokens_per_s_per_device"].value == result.derived["tokens_per_s"].value / 4


def test_nothing_is_taken_from_this_machine(tmp_path: Path) -> None:
    result = one(write(tmp_path, megatron(range(1, 21), of=20)))
    for facts in (result.device, result.software):
        assert not any(fact.known for fact in facts.values())
    assert all(fact.source for fact in result.device.values())


def test_memory_names_a_card_only_where_one_has_it(tmp_path: Path) -> None:
    def with_memory(total: str) -> Sourced:
        memory = f"hip mem usage/free/total/usage_ratio: 10.00GB/20.00GB/{total}GB/33.00% | lm loss"
        return one(write(tmp_path, megatron(range(1, 4)).replace("lm loss", memory))).device["name"]

    assert with_memory("191.98").value == "MI300X"
    assert with_memory("255.98").value == "MI325X"
    assert with_memory("287.98").value is None
    assert "MI350X or MI355X" in with_memory("287.98").source


# --- the command ----------------------------------------------------------------------------


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write(tmp_path, megatron(range(1, 21), of=20))
    out = tmp_path / "out.json"
    assert main(["bench", "logs", str(log), "--gpu", "MI300X", "--devices", "8", "--json", str(out)]) == 0
    (result,) = json.loads(out.read_text())["results"]
    assert result["device"]["name"] == {"value": "MI300X", "source": "--gpu"}
    assert result["provenance"]["dialect"] == "megatron"
    assert "megatron" in capsys.readouterr().out


def test_command_says_what_it_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "logs", str(write(tmp_path, "hello\n"))]) == 2
    said = capsys.readouterr().err
    assert "no dialect that is known" in said
    assert "elapsed time per iteration" in said
    assert "torchtitan" in said


def test_command_exit_codes(tmp_path: Path) -> None:
    log = write(tmp_path, megatron(range(1, 21), of=20))
    other = write(tmp_path, "hello\n", "other.log")
    assert main(["bench", "logs", str(log), str(other), "-q"]) == 1
    assert main(["bench", "logs", str(tmp_path / "missing"), "-q"]) == 2
    assert main(["bench", "logs", str(log), "--dialect", "nemo", "-q"]) == 2
    assert main(["bench", "logs", str(log), "--dialect", "nosuch", "-q"]) == 2
    assert main(["bench", "logs", str(log), "--price", "cheap", "-q"]) == 2


@pytest.mark.parametrize("option", ["--devices=0", "--devices=x", "--parameters=many", "--sequence=-1"])
def test_command_refuses_bad_options(tmp_path: Path, option: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "logs", str(write(tmp_path, megatron(range(1, 4)))), option])
    assert stop.value.code == 2


def test_no_such_dialect() -> None:
    with pytest.raises(UsageError, match="megatron"):
        read_logs([Path(__file__)], only="nosuch")
