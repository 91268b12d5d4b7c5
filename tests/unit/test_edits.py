"""Splicing bytes: exact, reversible, and never a guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.edits import Edit, apply, reverse
from rewarp.errors import EditConflict
from rewarp.source import Span


@st.composite
def data_and_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    data = draw(st.binary(max_size=80))
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    edits: list[Edit] = []
    for start, end in zip(cuts[::2], cuts[1::2]):
        if edits and start == end and edits[-1].span == (start, end):
            continue  # two insertions at one place are refused, tested below
        edits.append(Edit(Span(start, end), draw(st.binary(max_size=8))))
    return data, draw(st.permutations(edits))


@given(data_and_edits())
def test_apply_then_reverse_is_the_original(case: tuple[bytes, list[Edit]]) -> None:
    data, edits = case
    assert apply(apply(data, edits), reverse(data, edits)) == data


@given(data_and_edits())
def test_bytes_outside_the_spans_survive(case: tuple[bytes, list[Edit]]) -> None:
    data, edits = case
    ordered = sorted(edits, key=lambda edit: edit.span)
    result, at, shift = apply(data, edits), 0, 0
    for edit in [*ordered, Edit(Span(len(data), len(data)), b"")]:
        assert result[at + shift : edit.span.start + shift] == data[at : edit.span.start]
        at = edit.span.end
        shift += len(edit.text) - (edit.span.end - edit.span.start)


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Span(0, 3), b""), Edit(Span(2, 4), b"")],
        [Edit(Span(1, 1), b"a"), Edit(Span(1, 1), b"b")],
        [Edit(Span(3, 1), b"")],
        [Edit(Span(0, 99), b"")],
        [Edit(Span(-1, 0), b"")],
    ],
)
def test_conflicts_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditConflict):
        apply(b"hello", edits)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa = 1\r\nb = 2\r\n",
        "café = 1  # é\n".encode("latin-1"),
        b"no newline at end",
        "\ufeffx".encode("utf-16-le"),
    ],
)
def test_encodings_and_line_endings_survive(data: bytes) -> None:
    at = len(data) // 2
    changed = apply(data, [Edit(Span(at, at), b"XYZ")])
    assert changed == data[:at] + b"XYZ" + data[at:]
