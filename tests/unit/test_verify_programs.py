"""Two programs side by side: text with numbers in it, files, buffers, recorded runs."""

from __future__ import annotations

import json
import shlex
import struct
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.verify.checks import Outcome
from rewarp.verify.programs import Output, TextRules, compare_programs, recorded, run_program
from rewarp.verify.programs.text import compare_bytes, compare_numbers_in_text, compare_text

PASSED, FAILED, NOT_CHECKED = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_CHECKED


def outcome(golden: str, actual: str, **rules: object) -> Outcome:
    return compare_numbers_in_text(golden.encode(), actual.encode(), TextRules(**rules))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("golden", "actual", "expected"),
    [
        ("sum 1.00000001", "sum 1.00000002", PASSED),
        ("sum 1.0001", "sum 1.0002", PASSED),  # one in the last printed digit
        ("sum 1.0001", "sum 1.0003", FAILED),
        ("sum 1.000100", "sum 1.000200", FAILED),
        ("n = 1000000", "n = 1000001", FAILED),  # whole numbers are counted, not measured
        ("n = 007", "n = 7", PASSED),
        ("at 0x1F", "at 0x1f", PASSED),
        ("at 0x10", "at 16", FAILED),
        ("x 1", "x 1.0", PASSED),
        ("x -0", "x 0", PASSED),
        ("x -5", "x 5", FAILED),
        ("x nan", "x -nan", PASSED),
        ("x nan", "x 1.0", FAILED),
        ("x inf", "x -inf", FAILED),
        ("x 1e-3", "x 0.001", PASSED),
        ("PASSED 1.0", "FAILED 1.0", FAILED),
        ("a  b\t1.5", "a b 1.5  ", PASSED),
        ("one\ntwo", "one", FAILED),
        ("one", "one\ntwo", FAILED),
        ("12 3", "123", FAILED),
        ("v1.2.3 rc1", "v1.2.4 rc1", FAILED),
        ("9" * 5000, "9" * 5000 + "1", FAILED),
        ("x 1e999", "x 2e999", FAILED),
    ],
)
def test_words_exactly_and_numbers_nearly(golden: str, actual: str, expected: Outcome) -> None:
    assert outcome(golden, actual) is expected


def test_tolerances_and_ignored_parts() -> None:
    assert outcome("x 1.00", "x 1.10", rtol=0.2) is PASSED
    assert outcome("x 1.000", "x 1.005") is FAILED
    assert outcome("x 1.000", "x 1.005", atol=0.01) is PASSED
    assert outcome("x 1 in 35 ms", "x 1 in 36 ms") is FAILED
    assert outcome("x 1 in 35 ms", "x 1 in 36 ms", ignored=(r"in \d+ ms",)) is PASSED
    assert outcome("x 1 in 35 ms", "x 2 in 36 ms", ignored=(r"in \d+ ms",)) is FAILED
    for wrong in ({"rtol": -1.0}, {"atol": float("nan")}, {"ignored": ("(",)}):
        with pytest.raises(UsageError):
            TextRules(**wrong)  # type: ignore[arg-type]


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["%.17g", "%.6f", "%e", "%g"]))
def test_a_number_is_like_itself_in_any_spelling(number: float, spelling: str) -> None:
    assert outcome(f"x {number!r}", f"x {number!r}") is PASSED
    assert outcome(f"x {spelling % number}", f"x {spelling % number} ") is PASSED


@given(st.floats(1e-3, 1e9), st.floats(1.001, 10))
def test_a_number_that_is_off_is_seen(number: float, factor: float) -> None:
    assert outcome(f"x {number:.9e}", f"x {number * factor:.9e}") is FAILED


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_have_an_outcome(golden: bytes, actual: bytes) -> None:
    for compare in (compare_text, compare_numbers_in_text):
        found, why, evidence = compare(golden, actual, TextRules())
        assert found is PASSED or why
        json.dumps(evidence).encode()
    assert (compare_bytes(golden, actual)[0] is PASSED) == (golden == actual)


# --- programs -----------------------------------------------------------------------------

WRITES = """
import struct, sys
factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
if factor:
    with open("out.bin", "wb") as stream:
        stream.write(struct.pack("<100f", *(factor * (i + 1) for i in range(100))))
print("sum", 5050 * (factor or 1))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "program.py").write_text(WRITES)
    monkeypatch.chdir(tmp_path)
    return shlex.join([sys.executable, "program.py"])


def programs(*arguments: str) -> tuple[int, dict[str, dict[str, str]]]:
    file = Path("report.json")
    file.unlink(missing_ok=True)
    code = main(["verify", "programs", "-q", "--json", str(file), *arguments])
    found = json.loads(file.read_text())["levels"][0]["checks"] if file.exists() else []
    return code, {check["what"]: check for check in found}


FILE = "file out.bin (float32)"


def test_buffers_are_compared_by_dtype(program: str) -> None:
    code, checks = programs("--a", program, "--b", f"{program} 1.0000001", "--files", "out.bin:f32")
    assert code == 0
    assert checks[FILE]["outcome"] == "passed"
    code, checks = programs("--a", program, "--b", f"{program} 1.01", "--files", "out.bin:f32")
    assert code == 1
    assert checks[FILE]["outcome"] == "failed"
    code, checks = programs("--a", program, "--b", f"{program} 1.01", "--files", "out.bin:f32", "--rtol", "0.1")
    assert code == 0


def test_the_first_programs_file_is_never_taken_for_the_seconds(program: str) -> None:
    code, checks = programs("--a", program, "--b", f"{program} 0", "--files", "out.bin:bytes")
    assert code == 1
    assert checks["file out.bin"]["outcome"] == "failed"
    assert "second run did not write it" in checks["file out.bin"]["why"]


def test_in_copies_nothing_is_left_behind(program: str, tmp_path: Path) -> None:
    code, checks = programs("--a", program, "--b", program, "--copy", "--files", "out.bin")
    assert code == 0
    assert checks["file out.bin (bytes)"]["outcome"] == "passed"
    assert not (tmp_path / "out.bin").exists()


def test_a_recorded_run_stands_for_a_program(program: str, tmp_path: Path) -> None:
    assert programs("--a", program, "--files", "out.bin:bytes", "--record", "golden.zip")[0] == 0
    (tmp_path / "out.bin").unlink()
    code, checks = programs("--a-recorded", "golden.zip", "--b", program, "--files", "out.bin:bytes")
    assert code == 0
    assert checks["file out.bin (bytes)"]["outcome"] == "passed"
    code, checks = programs("--a-recorded", "golden.zip", "--b", f"{program} 2", "--files", "out.bin:bytes", "x:text")
    assert code == 1
    assert checks["standard output (numbers)"]["outcome"] == "failed"
    assert checks["file x"]["outcome"] == "not checked"


def test_a_recorded_run_that_was_changed_or_cut_is_refused(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert programs("--a", program, "--record", "golden.zip")[0] == 0
    whole = Path("golden.zip").read_bytes()
    with zipfile.ZipFile("golden.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile("changed.zip", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data.replace(b"5050", b"5051") if name == "stdout" else data)
    Path("cut.zip").write_bytes(whole[: len(whole) // 2])
    Path("empty.zip").write_bytes(b"")
    for name in ("changed", "cut", "empty", "absent"):
        assert programs("--a-recorded", f"{name}.zip", "--b", program)[0] == 2
        assert f"{name}.zip" in capsys.readouterr().err


def test_a_recording_comes_back_as_it_was(program: str, tmp_path: Path) -> None:
    ran = run_program(
        shlex.split(program), [Output("out.bin", "bytes"), Output("no", "text")], folder=tmp_path, timeout=300
    )
    recorded.write(ran, tmp_path / "golden.zip")
    assert recorded.read(tmp_path / "golden.zip") == ran
    assert ran.files["no"] is None
    assert ran.files["out.bin"] == struct.pack("<100f", *range(1, 101))


def test_the_same_failure_twice_is_no_success(tmp_path: Path) -> None:
    ran = run_program([sys.executable, "-c", "print(1); raise SystemExit(3)"], [], folder=tmp_path, timeout=300)
    evidence = compare_programs(ran, ran, [])
    assert evidence.outcome is FAILED
    silent = run_program([sys.executable, "-c", ""], [], folder=tmp_path, timeout=300)
    assert compare_programs(silent, silent, []).outcome is NOT_CHECKED


def test_what_is_ignored_whole_is_not_checked(program: str) -> None:
    code, checks = programs("--a", program, "--b", f"{program} 2", "--ignore", ".*")
    assert checks["standard output (numbers)"]["outcome"] == "not checked"
    assert code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["--a", "true"],
        ["--b", "true"],
        ["--a", "true", "--a-recorded", "x.zip", "--b", "true"],
        ["--a", "true", "--b", "'"],
        ["--a", "true", "--b", ""],
        ["--a", "true", "--b", "no-such-program"],
        ["--a", "true", "--b", "true", "--cwd-b", "no-such-folder"],
        ["--a", "true", "--b", "true", "--files", "../out:text"],
        ["--a", "true", "--b", "true", "--files", "/etc/passwd"],
        ["--a", "true", "--b", "true", "--files", "out:f31"],
        ["--a", "true", "--b", "true", "--ignore", "("],
        ["--a", "true", "--b", "true", "--timeout", "-1"],
        ["--a", "true", "--b", "true", "--record", "x.zip"],
    ],
)
def test_wrong_requests_are_told(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "programs", *arguments]) == 2
    assert "rewarp: error:" in capsys.readouterr().err
