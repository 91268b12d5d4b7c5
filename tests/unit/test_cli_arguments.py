"""What is said of a word that is not known, and of options that are not spelt out."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewarp.cli import main, parser
from rewarp.errors import did_you_mean

MISTAKES = [
    ("scna", "'scan'"),
    ("--verison", "'--version'"),
    ("scan --jsn", "'--json'"),
    ("scan --jsn=out.json .", "'--json'"),
    ("scan --js", "'--json'"),
    ("scan --jobs=1 --fail never", "'--fail-on'"),
    ("scan . --target rcom", "'rocm'"),
    ("scan . --arch gx942", "'gfx942'"),
    ("scan . --ignore PY-VER-01", "'PY-VER-001'"),
    ("port . --arch gfx9O8", "'gfx908'"),
    ("port . --phase bild", "'build'"),
    ("verify bild", "'verify build'"),
    ("verify build --arhc gfx942", "'--arch'"),
    ("verify build . --arch gx1100", "'gfx1100'"),
    ("verify record m:f --otput x", "'--output'"),
    ("verify . --only bulid", "'build'"),
    ("parity flwo", "'parity flow'"),
    ("parity . --b rcom", "'rocm'"),
    ("bench lgos", "'bench logs'"),
    ("bench logs x --dialect megatorn", "'megatron'"),
    ("explain PY-VER-01", "'PY-VER-001'"),
    ("doctor -json", "'--json'"),
    ("translate x.cu --lanch ggl", "'--launch'"),
    ("translate x.cu --launch gll", "'ggl'"),
]


def error_of(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    try:
        code = main(words.split())
    except SystemExit as end:
        code = int(end.code or 0)
    assert code == 2, "misuse"
    return capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.parametrize(("words", "meant"), MISTAKES, ids=lambda part: str(part))
def test_what_was_meant(words: str, meant: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.cu").write_text("")
    (tmp_path / "x").write_text("")
    error = error_of(words, capsys)
    assert f"did you mean {meant}" in error
    assert error.lower().count("mean") == 1, "said once"


@pytest.mark.parametrize("words", ["frobnicate", "scan --zzzz", "verify nowhere", "scan a b", "scan -x", "explain XX"])
def test_nothing_alike_is_no_suggestion(words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert "did you mean" not in error_of(words, capsys)


def test_a_path_that_is_there_is_no_subcommand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bild").mkdir()
    assert main(["verify", "bild", "--only", "static", "-q"]) == 3, "looked at: there is nothing to check"


def test_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line, meant in (("exclud = []", "exclude"), ('fail-on = "eror"', "error"), ('target = "gaudy"', "gaudi")):
        (tmp_path / "pyproject.toml").write_text(f"[tool.rewarp]\n{line}\n")
        assert f"did you mean '{meant}'?" in error_of(f"scan {tmp_path}", capsys)
    (tmp_path / "pyproject.toml").write_text("[tool.rewarp.parity]\nwaiver = 'x'\n")
    assert "did you mean 'waivers'?" in error_of(f"parity {tmp_path}", capsys)


def test_what_is_behind_two_dashes_is_nobodys_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["verify", "run", "-q", "--no-profiler", "--", sys.executable, "-c", "import sys; sys.exit(3)", "--jsn"]
    assert main(command) in (1, 2)
    assert "unrecognized" not in capsys.readouterr().err


def test_a_value_may_hold_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "build", "--option=--jsn", "--zzzz"])
    assert "arguments: --zzzz" in capsys.readouterr().err


def test_the_beginning_of_a_word_is_enough() -> None:
    assert did_you_mean("py-ver", ["PY-VER-001", "CU-001"]) == "; did you mean 'PY-VER-001'?"
    assert did_you_mean("", ["a"]) == ""
    assert did_you_mean("bild", ["build", "run"], before="verify ") == "; did you mean 'verify build'?"


def _all(command: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield command
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _all(inner)


def test_every_command_wants_its_options_spelt_out() -> None:
    found = list(_all(parser()))
    assert len(found) > 20
    assert not [command.prog for command in found if command.allow_abbrev]


def test_where_all_is_well_nobody_waits_for_suggestions(tmp_path: Path) -> None:
    (tmp_path / "x.cu").write_text("cudaFree(0);\n")
    code = (
        "import sys; from rewarp.cli import main; main(['translate', sys.argv[1]]); "
        "sys.stderr.write(str('difflib' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x.cu"], capture_output=True, text=True)
    assert done.stderr.endswith("False"), done.stderr
