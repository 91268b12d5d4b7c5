"""What `rewarp run` is asked for, word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.cli import main, parser
from rewarp.cli.run import request_of
from rewarp.errors import UsageError
from rewarp.run import Request


def asked(*words: str) -> Request:
    return request_of(parser(("run",)).parse_args(["run", *words]))


def test_what_is_not_said() -> None:
    request = asked("a.cu")
    assert request.files == (Path("a.cu"),)
    assert (request.arches, request.watch, request.orders, request.arguments) == (("gfx942",), True, 0, ())
    assert (request.limits.seconds, request.limits.memory, request.tolerance) == (None, None, None)


def test_a_gpu_knows_its_own_architecture() -> None:
    assert asked("a.cu", "--on", "gpu").arches == ("native",)
    assert asked("a.cu", "--on", "gpu", "--arch", "gfx90a").arches == ("gfx90a",)


def test_words_behind_two_dashes_are_the_program_s_own() -> None:
    request = asked("a.cu", "--arch", "gfx1100", "--", "--size", "4096", "--", "-I")
    assert request.arguments == ("--size", "4096", "--", "-I")
    assert request.arches == ("gfx1100",)
    assert request.files == (Path("a.cu"),)


@pytest.mark.parametrize("words", [("-Iinc", "-DN=1", "-std=c++20", "-lcublas"), ("-I", "inc", "-D", "N=1", "-std", "c++20", "-l", "cublas")])  # fmt: skip
def test_options_as_a_compiler_takes_them(words: tuple[str, ...]) -> None:
    request = asked("a.cu", *words, "--option=-ffast-math")
    assert request.includes == (Path("inc"),)
    assert request.options == ("-DN=1", "-std=c++20", "-ffast-math")
    assert request.libraries == ("cublas",)


@pytest.mark.parametrize(("text", "size"), [("512M", 512 << 20), ("4G", 4 << 30), ("1.5KiB", 1536), ("1000", 1000)])
def test_sizes(text: str, size: int) -> None:
    assert asked("a.cu", "--memory-limit", text).limits.memory == size


@pytest.mark.parametrize(
    "words",
    [
        ("--compare", "gfx942"),
        ("--arch", "gfx942,gfx1100"),
        ("--arch", "sm_90"),
        ("--orders", "-1"),
        ("--cores", "0"),
        ("--time-limit", "0"),
        ("--tolerance", "-1"),
        ("--memory-limit", "much"),
        ("--memory-limit", "0"),
    ],
)
def test_what_cannot_be_asked_for(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        asked("a.cu", *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.cu"], "none.cu does not exist"),
        (["notes.txt"], "neither a source"),
        (["a.cu", "notes.txt"], "neither a source"),
        (["a.cu", "--json", "-"], "the program has standard output"),
        (["a.cu", "--json", "b.cu"], "not a place for a report"),
        (["a.cu", "--on", "gpu"], "not installed"),
        (["a.cu", "--on", "rocjitsu"], "not installed"),
    ],
)
def test_misuse_is_said_and_ends_with_2(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("ROCM_PATH", raising=False)
    Path("a.cu").write_text("int main() {}\n")
    Path("b.cu").write_text("int main() {}\n")
    Path("notes.txt").write_text("notes\n")
    if "--on" in words and Path("/opt/rocm").exists():
        pytest.skip("a GPU's software is here")
    assert main(["run", *words]) == 2
    assert said in capsys.readouterr().err
    assert Path("b.cu").read_text() == "int main() {}\n"


def test_help_says_whose_rights_it_runs_with(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    out = capsys.readouterr().out
    assert "with your rights" in out
    assert "did not run on a card" in out
