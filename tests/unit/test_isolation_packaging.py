"""The isolation certificate for build and packaging files, and for files that come or go: golden cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.packaging.cmake import NotRead, condition, parse, residue
from rewarp.verify.isolation.tree import Trees
from rewarp.workspace import Folder

CASES = sorted((Path(__file__).parents[1] / "isolation" / "packaging").glob("*.txt"))
_SECTION = re.compile(r"^--- (before|after|both|expect): (.*)\n", re.MULTILINE)


def verdicts(tmp: Path, case: Path) -> tuple[list[FileVerdict], str]:
    expected = ""
    parts = _SECTION.split(case.read_text(encoding="utf-8"))[1:]
    for side in ("before", "after"):
        (tmp / side).mkdir()
    for kind, argument, text in zip(parts[::3], parts[1::3], parts[2::3]):
        expected = argument if kind == "expect" else expected
        for side in ("before", "after"):
            if kind in (side, "both"):
                (tmp / side / argument).parent.mkdir(parents=True, exist_ok=True)
                (tmp / side / argument).write_text(text, encoding="utf-8")
    return list(judge(Trees(Folder(tmp / "before", everything=True), Folder(tmp / "after", everything=True)))), expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    found, expected = verdicts(tmp_path, case)
    wanted = IsolationVerdict.IDENTICAL if expected == "proved" else IsolationVerdict(expected)
    assert [file.verdict for file in found] == [wanted], found
    assert case.stem.startswith("proved") == (expected == "proved")
    assert found[0].why or found[0].path.endswith(".py")


def test_an_install_is_told_in_words(tmp_path: Path) -> None:
    found, _ = verdicts(tmp_path, next(case for case in CASES if case.stem == "requirements_added"))
    assert found[0].why == "now also installs triton-rocm"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("USE_HIP", 0),
        ("NOT USE_HIP", 1),
        ("USE_HIP AND A", 0),
        ("A OR NOT USE_HIP", 1),
        ("NOT USE_HIP AND A", "A"),
        ("( USE_HIP OR A ) AND B", "(A AND B)"),
        ("DEFINED USE_HIP", "DEFINED USE_HIP"),
        ("USE_HIP EXTRA", "unread USE_HIP EXTRA"),
    ],
)
def test_conditions_of_cmake(text: str, value: int | str) -> None:
    assert condition(tuple(text.split()), lambda name: name == "USE_HIP") == value


@pytest.mark.parametrize(
    "text", ["if(A)", "endif()", "set(a", 'set("a)', "else()", "if(A)\nelse()\nelse()\nendif()", "a b()"]
)
def test_cmake_that_is_not_well_formed_is_refused(text: str) -> None:
    with pytest.raises(NotRead):
        residue(parse(text.encode()), lambda name: False)
