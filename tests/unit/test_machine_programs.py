"""CUDA programs, translated and run as AMD machine code, give the numbers that their originals gave on an NVIDIA GPU."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from rewarp.config import tomllib

FOLDER = Path(__file__).parents[1] / "machine" / "programs"
TABLE = tomllib.loads((FOLDER / "programs.toml").read_text("utf-8"))
ARCHES = ("gfx942", "gfx1100")
FLOATS = ("f32", "f64")


def run(source: Path, arch: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", "run", "--quiet", "--arch", arch, *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


def tolerances(name: str) -> dict[str, float]:
    return {
        **TABLE["tolerance"],
        **{key: TABLE["programs"][name][key] for key in FLOATS if key in TABLE["programs"][name]},
    }


def differences(expected: str, found: str, tolerance: dict[str, float]) -> list[str]:
    """Lines that are not near enough; lines that are missing or too many."""
    wanted, given = expected.splitlines(), found.splitlines()
    wrong = [f"{len(given)} lines, not {len(wanted)}"] if len(given) != len(wanted) else []
    return wrong + [f"{a}\n{b}" for a, b in zip(wanted, given) if not _agree(a, b, tolerance)]


def _agree(expected: str, found: str, tolerance: dict[str, float]) -> bool:
    if expected == found:
        return True
    wanted, given = expected.split(), found.split()
    if wanted[:2] != given[:2] or len(wanted) != len(given) or len(wanted) < 3 or wanted[1] not in FLOATS:
        return False
    (label, kind, *wanted), given = wanted, given[2:]
    magnitude = float(wanted[1]) if label.endswith(".sum") else None
    return all(_near(float(a), float(b), tolerance[kind], magnitude) for a, b in zip(wanted, given))


def _near(a: float, b: float, tolerance: float, magnitude: float | None) -> bool:
    if math.isnan(a) or math.isinf(a):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= tolerance * (abs(a) if magnitude is None else magnitude)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", TABLE["programs"])
def test_the_numbers_of_an_nvidia_gpu(name: str, arch: str) -> None:
    """Watched: nothing is said of a program that does nothing wrong."""
    done = run(FOLDER / f"{name}.cu", arch)
    assert not differences((FOLDER / f"{name}.out").read_text("utf-8"), done.stdout, tolerances(name)), done.stderr
    races = arch in TABLE["programs"][name].get("races", ())
    assert (done.returncode, "race" in done.stderr) == ((1, True) if races else (0, False)), done.stderr


def ported_by_names(name: str, folder: Path) -> Path:
    """As a port that only renames makes it: warps are as wide as the hardware has them."""
    (folder / "thirty_two").mkdir()
    for source, target in ((FOLDER / "common.h", "common.h"), (FOLDER / f"{name}.cu", f"{name}.hip")):
        text = source.read_text("utf-8").replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cuda", "hip")
        (folder / target).write_text(text.replace("_sync(0xffffffff, ", "("), "utf-8")
    return folder / f"{name}.hip"


@pytest.mark.parametrize("name", [name for name in TABLE["programs"] if name.startswith("thirty_two/")])
def test_what_assumes_32_lanes_breaks_where_there_are_64(name: str, tmp_path: Path) -> None:
    source, expected = ported_by_names(name, tmp_path), (FOLDER / f"{name}.out").read_text("utf-8")
    assert differences(expected, run(source, "gfx942", "--fast").stdout, tolerances(name))
    assert not differences(expected, run(source, "gfx1100", "--fast").stdout, tolerances(name))


def test_every_program_is_listed_and_recorded() -> None:
    written = {source.relative_to(FOLDER).with_suffix("").as_posix() for source in FOLDER.rglob("*.cu")}
    assert written == set(TABLE["programs"])
    assert written == {output.relative_to(FOLDER).with_suffix("").as_posix() for output in FOLDER.rglob("*.out")}
    assert len(written) >= 60


def test_a_wrong_digit_is_a_difference() -> None:
    tolerance = {"f32": 1e-6, "f64": 1e-12}
    text = "x f32 1 2.5 0\nx.sum f32 0.001 1000\nn int 7 8\nworld\n"
    assert not differences(text, text, tolerance)
    assert not differences(text, text.replace("2.5", "2.500001"), tolerance)
    assert not differences(text, text.replace("0.001", "0.0015"), tolerance)
    for old, new in (("2.5", "2.50001"), ("2.5 0", "2.5 1e-30"), ("0.001", "0.003"), ("7 8", "7 9"), ("world", "word")):
        assert differences(text, text.replace(old, new), tolerance), new
    assert differences(text, text + "more\n", tolerance)
    assert differences(text, "x f32 1 2.5\n", tolerance)
    assert differences("x f64 nan\n", "x f64 1\n", tolerance)
