"""Bytes, lines, encodings and positions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import BinarySource, DecodeError
from rewarp.source import SourceFile, Span


def source(data: bytes) -> SourceFile:
    return SourceFile("x.py", data)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b"plain\n", "utf-8"),
        ("é".encode(), "utf-8"),
        (b"\xef\xbb\xbfx", "utf-8"),
        ("é".encode("latin-1"), "latin-1"),
        ("\ufeffx".encode("utf-16-le"), "utf-16-le"),
        ("\ufeffx".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_encoding(data: bytes, encoding: str) -> None:
    assert source(data).encoding == encoding


def test_binary_is_refused() -> None:
    with pytest.raises(BinarySource):
        _ = source(b"\x7fELF\0\0\0").encoding


def test_broken_utf16_is_refused() -> None:
    with pytest.raises(DecodeError):
        _ = source("\ufeffa".encode("utf-16-le") + b"\x00").view


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_lines(newline: bytes) -> None:
    file = source(newline.join([b"one", b"", b"three"]))
    assert [file.line_text(n) for n in (1, 2, 3)] == ["one", "", "three"]
    assert file.line_at(0) == 1
    assert file.line_at(len(file.data) - 1) == 3


def test_columns_count_characters_and_skip_the_bom() -> None:
    file = source("\ufeffé = x\n".encode())
    assert file.position(file.view.index(b"x")) == (1, 5)
    assert file.line_text(1) == "é = x"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-32-be", "latin-1"])
def test_places_on_disk_and_in_the_view(encoding: str) -> None:
    mark = "\ufeff" if encoding.startswith(("utf-16", "utf-32")) else ""
    file = source((mark + "é = x\r\n").encode(encoding))
    for at in (0, *(match.start() for match in re.finditer(b"[ =x\r\n]", file.view)), len(file.view)):
        place = file.original(Span(at, at))
        assert file.viewed(place) == (at, at)
        assert place.start >= len(file.bom)
    assert file.restored(file.view) == file.data


def test_utf16_spans_map_back_to_bytes_on_disk() -> None:
    text = "/* é */ cudaMalloc(&p, 4);"
    data = b"\xff\xfe" + text.encode("utf-16-le")
    file = SourceFile("x.cu", data)
    start = file.view.index(b"cudaMalloc")
    span = file.original(Span(start, start + 10))
    assert data[span.start : span.end].decode("utf-16-le") == "cudaMalloc"


@given(st.binary(max_size=300))
def test_every_offset_has_a_position(data: bytes) -> None:
    file = source(data)
    try:
        view = file.view
    except (BinarySource, DecodeError):
        return
    for offset in range(len(view) + 1):
        line, column = file.position(offset)
        assert 1 <= line <= len(file.line_starts)
        assert column >= 1
        start, end = file.line_span(line)
        assert start <= offset
        assert view[start:end].count(b"\n") == 0
