"""The factors of the effort are those that the benchmark fits on the ports in its table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rewarp.verdict import effort

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def said() -> list[str]:
    done = subprocess.run([sys.executable, BENCHMARKS / "effort.py"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_factors_are_fitted(said: list[str]) -> None:
    line = next(line for line in said if line.startswith("lines = "))
    base, automatic, left = (float(word) for word in line.split() if word.replace(".", "").isdigit())
    assert pytest.approx((base, automatic, left), rel=0.02) == (effort.BASE, effort.AUTOMATIC, effort.LEFT)


def test_the_error_is_that_on_ports_set_aside(said: list[str]) -> None:
    line = said[said.index(next(line for line in said if line.startswith("lines = "))) + 1]
    aside = float(line.partition("those learnt from, ")[2].split()[0])
    assert pytest.approx(aside, rel=0.02) == effort.MEDIAN_ERROR
    assert said[0].startswith(f"{effort.PORTS} ports")
    assert f"{effort.LINES_A_DAY:.0f} lines a day" in said[-1]


def test_enough_was_learnt_from(said: list[str]) -> None:
    words = said[0].split()
    assert int(words[0]) >= 40
    assert int(words[3]) >= 25
