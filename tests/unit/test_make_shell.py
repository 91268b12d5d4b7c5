"""What find and ls print in a Makefile, held against find and ls themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rewarp.project.build.make_shell import listed

FILES = ("main.cu", "src/a.cu", "src/b.cpp", "src/deep/c.cu", "src/deep/D.CU", "test/t.cu", "Makefile")


@pytest.mark.parametrize(
    "command",
    [
        "find src -name '*.cu'",
        "find . -name '*.cu'",
        "find ./src -name *.cu 2>/dev/null",
        "find src test -name '*.cu' -and ! -name 'a.cu'",
        "find src -name '*.cu' -o -name '*.cpp'",
        "find src -type f \\( -name '*.cu' -o -name '*.cpp' \\) -not -path '*/deep/*'",
        "find src -maxdepth 1 -name '*.cu'",
        "find src -mindepth 2 -iname '*.cu' -print",
        "find src/ -name '*.cu' | sort",
        "ls src/*.cu",
        "ls ./src/*.cu",
        "ls src/*/*.cu main.cu",
        "find gone -name '*.cu'",
    ],
)
def test_prints_what_it_would(command: str, tmp_path: Path) -> None:
    for path in FILES:
        (tmp_path / "here" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "here" / path).touch()
    shell = command.replace("*.cu 2>", "'*.cu' 2>")
    done = subprocess.run(shell, shell=True, cwd=tmp_path / "here", capture_output=True, text=True)
    found = listed(command, [f"here/{path}" for path in FILES], "here")
    assert found is not None
    assert sorted(found) == sorted(done.stdout.split())


@pytest.mark.parametrize(
    "command",
    [
        "find src -newer x",
        "find src -name '*.cu' -printf '%f '",
        "find src -name '*.cu' | grep -v a",
        "find s* -name '*.cu'",
        "find src \\( -name '*.cu'",
        "ls src",
        "ls -1 src/*.cu",
        "git ls-files",
        "find 'src",
    ],
)
def test_what_asks_for_more_is_not_known(command: str) -> None:
    assert listed(command, FILES, "") is None
