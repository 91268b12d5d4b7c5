"""``rewarp bridge convert`` on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from bridge_parts import ALL, chunk_bytes, chunk_name, floats, write_checkpoint
from jsonschema import Draft202012Validator

from rewarp.cli import main

SCHEMA = json.loads((files("rewarp.report") / "schemas" / "bridge-convert-1.json").read_text("utf-8"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    tensors = {"l.weight": ("F8_E4M3", [16, 16], ALL), "l.weight_scale": ("F32", [], floats(0.25))}
    return write_checkpoint(tmp_path / "model.safetensors", tensors)


def convert(*arguments: str | Path) -> int:
    return main(["bridge", "convert", *map(str, arguments)])


def test_says_what_was_done(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(model, tmp_path / "out.safetensors", "--to", "mi300x") == 0
    out = capsys.readouterr().out
    assert "1 of 1 files converted" in out
    assert "e4m3fn -> e4m3fnuz: 1 tensors, scales per tensor: bits stay where they can, scales times 2" in out
    assert "256 codes: 3 changed, 0 rounded, 0 saturated, 2 NaN" in out
    assert "vLLM converts an e4m3fn checkpoint by itself" in out


def test_says_it_as_json(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(model, tmp_path / "out.safetensors", "--to", "gaudi2", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(SCHEMA).validate(document)
    assert (document["counts"]["rounded"], document["to"]) == (16, "gaudi2")


def test_numbers_beyond_the_range_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / chunk_name()).write_bytes(chunk_bytes(ALL, (2, 1, 4, 32)))
    asked = (tmp_path / "store", tmp_path / "other", "--to", "mi300x", "--unit-scale")
    assert convert(*asked) == 2
    assert "--from" in capsys.readouterr().err
    assert convert(*asked, "--from", "e4m3fn", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(SCHEMA).validate(document)
    assert (document["counts"]["saturated"], document["exit_code"]) == (14, 1)


def test_gaudi_looks_under_another_key(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / chunk_name()).write_bytes(chunk_bytes(ALL, (2, 1, 4, 32)))
    asked = (tmp_path / "store", tmp_path / "other", "--to", "gaudi3", "--unit-scale", "--from", "e4m3fn", "-q")
    assert convert(*asked) == 0
    assert os.listdir(tmp_path / "other") == [chunk_name("fp8_e4m3fn")]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--to", "mi300"], "did you mean 'mi300x'"),
        (["--to", "fnuz", "--from", "fp8"], "no encoding"),
        (["--to", "fnuz", "--shape", "2,x"], "--shape"),
        (["--to", "fnuz", "--shape", "2,1,4,32"], "are for chunks"),
        (["--to", "fnuz", "--jobs", "0"], "--jobs"),
    ],
)
def test_what_cannot_be_asked(
    options: list[str], why: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(model, tmp_path / "out.safetensors", *options) == 2
    assert why in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert convert(tmp_path / "none", tmp_path / "out", "--to", "fnuz") == 2
    assert convert(tmp_path / "empty", tmp_path / "out", "--to", "fnuz") == 2
    assert "no safetensors file and no chunk" in capsys.readouterr().err


def test_told_to_stop_it_takes_back_what_it_began(tmp_path: Path) -> None:
    """SIGTERM in the middle: the disk is as it was."""
    data = ALL * 4096 * 40
    source = tmp_path / "model.safetensors"
    write_checkpoint(source, {"w": ("F8_E4M3", [len(data)], data), "w_scale": ("F32", [1], floats(1.0))})
    asked = ["bridge", "convert", str(source), str(tmp_path / "out.safetensors"), "--to", "fnuz", "-j", "2"]
    slowly = f"""
import os, sys, time
from rewarp.cli import main
os.fsync = lambda descriptor: (print("on", flush=True), time.sleep(60))
sys.argv[1:] = {asked!r}
sys.exit(main())
"""
    process = subprocess.Popen([sys.executable, "-c", slowly], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"on\n"
    assert any(name.startswith(".rewarp-") for name in os.listdir(tmp_path))
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    assert os.listdir(tmp_path) == ["model.safetensors"]
