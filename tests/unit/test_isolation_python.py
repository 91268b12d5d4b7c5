"""The isolation certificate for Python: golden cases, one file each under tests/isolation/python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Side
from rewarp.verify.isolation.python import compare

CASES = sorted((Path(__file__).parents[1] / "isolation" / "python").glob("*.txt"))
_SECTION = re.compile(r"^--- (before|after|both|expect)(?::| |$)(.*)\n", re.MULTILINE)


class Trees:
    """Two trees in memory."""

    def __init__(self) -> None:
        self.files: dict[Side, dict[str, bytes]] = {"before": {}, "after": {}}

    def read(self, path: str, side: Side) -> bytes | None:
        return self.files[side].get(path)

    def paths(self, side: Side) -> list[str]:
        return sorted(self.files[side])


def judge(before: str | None, after: str | None, path: str = "module.py") -> FileVerdict:
    trees = Trees()
    for side, text in (("before", before), ("after", after)):
        if text is not None:
            trees.files[side][path] = text.encode()  # type: ignore[index]
    return compare(path, trees.read(path, "before"), trees.read(path, "after"), trees)


def read_case(case: Path) -> tuple[str, Trees, str]:
    """The path of the changed file, the trees around it and what is expected."""
    trees, subject, expected = Trees(), "", ""
    parts = _SECTION.split(case.read_text())[1:]
    for kind, argument, text in zip(parts[::3], parts[1::3], parts[2::3]):
        path = argument.strip() or "module.py"
        if kind == "expect":
            expected = argument.strip()
            continue
        subject = subject or path
        for side in ("before", "after"):
            if kind in (side, "both"):
                trees.files[side][path] = text.encode()  # type: ignore[index]
    return subject, trees, expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path) -> None:
    path, trees, expected = read_case(case)
    found = compare(path, trees.read(path, "before"), trees.read(path, "after"), trees)
    kind, _, words = expected.partition(":")
    verdict = IsolationVerdict.IDENTICAL if kind == "proved" else IsolationVerdict(kind)
    assert found.verdict is verdict, (found.verdict, found.why, found.places)
    assert words.strip() in found.why
    if verdict is not IsolationVerdict.IDENTICAL:
        assert found.why


def test_there_are_enough_cases() -> None:
    kinds = [read_case(case)[2].partition(":")[0] for case in CASES]
    assert kinds.count("proved") >= 45
    assert len(kinds) - kinds.count("proved") >= 75
