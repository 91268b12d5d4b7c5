"""Differences of texts, line by line."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.port.writing import differences as module
from rewarp.port.writing.differences import Difference, differences

LINES = st.lists(st.sampled_from([b"\n", b"a\n", b"b\n", b"c\n", b"d\n", b"e\n", b"f\n"]), max_size=30)


def applied(old: list[bytes], new: list[bytes]) -> list[bytes]:
    result, at = [], 0
    for first, last, begin, end in differences(old, new):
        assert at <= first <= last
        result += [*old[at:first], *new[begin:end]]
        at = last
    return result + old[at:]


@given(LINES, LINES)
def test_they_make_the_new_text_of_the_old_one(old: list[bytes], new: list[bytes]) -> None:
    assert applied(old, new) == new


@given(LINES, LINES)
def test_also_where_texts_are_cut_at_lines_that_stand_once(old: list[bytes], new: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW_PAIRS", -1)
        assert applied(old, new) == new


def test_lines_that_are_all_alike_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Counted(SequenceMatcher[bytes]):
        def __init__(self, junk: None, ours: list[bytes], theirs: list[bytes], autojunk: bool) -> None:
            compared.append(sum(theirs.count(line) for line in ours))
            super().__init__(junk, ours, theirs, autojunk)

    monkeypatch.setattr(module, "SequenceMatcher", Counted)
    alike = [b"\n"] * 3_000
    old = [b"first\n", b"project\n", *alike, b"last\n", b"tail\n"]
    new = [b"First\n", b"project\n", *alike, b"last\n", b"Tail\n"]
    assert list(differences(old, new)) == [Difference(0, 1, 0, 1), Difference(3_003, 3_004, 3_003, 3_004)]
    assert applied([b"x\n", *alike], [*alike, b"y\n"]) == [*alike, b"y\n"]
    assert sum(compared) < 1_000
