"""A byte-order mark stays the first thing in a file, whoever writes to it: compilers refuse one anywhere else."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

import pytest
from port_parts import _SECTION, CASES
from port_trees import plain
from test_port_gaudi import read_case as read_gaudi
from test_port_python import read_case as read_python
from test_translation_cases import FOLDER, Case
from test_waves_fix import CASES as WAVES
from test_waves_fix import fixed, parts

import rewarp
from rewarp.errors import BinarySource, DecodeError
from rewarp.port.changes import PortContext
from rewarp.port.parts import parts_for
from rewarp.port.tree import Tree
from rewarp.source import BOMS, SourceFile, Span
from rewarp.targets import TARGETS
from rewarp.translation.changes import Options
from rewarp.translation.translator import translate

MARK = codecs.BOM_UTF8
_TOP = re.compile(rb"\A(?:[ \t]*(?://[^\n]*|#[ \t][^\n]*)?\r?\n)+")


def from_the_first_line(data: bytes) -> bytes:
    """Without comments at the top: code begins where the mark stands."""
    return _TOP.sub(b"", data)


def shapes(data: bytes) -> list[bytes]:
    bare = from_the_first_line(data)
    data, bare = data.removeprefix(MARK), bare.removeprefix(MARK)
    return [data, bare, bare.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")]


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.cu")), ids=lambda file: file.stem)
def test_translation(file: Path) -> None:
    case = Case.read(file)
    for data in shapes(case.source):
        assert case.translate(MARK + data).data == MARK + case.translate(data).data


@pytest.mark.parametrize("file", WAVES, ids=lambda file: file.stem)
def test_waves(file: Path) -> None:
    grade, before, _ = parts(file)
    whole = "whole waves" in grade
    for data in shapes(before):
        assert fixed(MARK + data, whole_waves=whole) == MARK + fixed(data, whole_waves=whole)


def files_of(case: Path) -> dict[str, bytes]:
    """The tree before, of a golden case of the port."""
    if case.parent.name in ("python", "gaudi"):
        return dict((read_python if case.parent.name == "python" else read_gaudi)(case).before)
    sections = _SECTION.split(case.read_text(encoding="utf-8"))[1:]
    found = zip(sections[::3], sections[1::3], sections[2::3])
    return {name: text.encode() for kind, name, text in found if kind == "before"}


@pytest.mark.parametrize("case", sorted(CASES.rglob("*.txt")), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_port(case: Path, tmp_path: Path) -> None:
    files = files_of(case)
    target = TARGETS["gaudi" if case.parent.name == "gaudi" else "rocm"]
    bare = Tree(plain(tmp_path / "bare", files))
    marked = Tree(plain(tmp_path / "marked", {path: MARK + data for path, data in files.items()}))
    for name, run in parts_for(target.name).items():
        expected = {change.path: change.after for change in run(bare, PortContext(target)).changes}
        found = {change.path: change.after for change in run(marked, PortContext(target)).changes}
        for path, after in found.items():
            if after is not None:
                assert after.startswith(MARK) or path not in files, (name, path)
                assert MARK not in after[1:], (name, path)
        assert {path: after and after.removeprefix(MARK) for path, after in found.items()} == expected, name


def test_shebang_and_other_lines_that_come_first() -> None:
    for first in (b"", b"#!/usr/bin/env python\n", b"# -*- coding: utf-8 -*-\n"):
        text = first + b"import torch\nx = 1\n"
        source = SourceFile("x.py", MARK + text)
        assert source.view == text
        assert source.original(Span(0, 2)) == (3, 5)
        assert source.line_text(1) == text.splitlines()[0].decode()
        assert source.position(0) == (1, 1)


def translated(data: bytes) -> bytes:
    return translate(SourceFile("x.cu", data), Options()).data


def test_a_mark_alone() -> None:
    for mark, _ in BOMS:
        assert translated(mark) == mark


def test_a_mark_in_the_middle_stays_where_it_is() -> None:
    """Files that somebody joined."""
    one, two = b"#include <cuda_runtime.h>\n", b"#include <cuda_fp16.h>\ncudaFree(p);\n"
    assert translated(one + MARK + two) == translated(one) + MARK + b"#include <hip/hip_fp16.h>\nhipFree(p);\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters(encoding: str) -> None:
    """What has no mark of one byte each is written in the encoding it came in."""
    text = '\ufeff#include "own.h"\r\n// \u4e2d\r\nint main() { cudaFree(0); }\r\n'
    done = translated(text.encode(encoding))
    assert done.decode(encoding) == "\ufeff" + translated(text[1:].encode()).decode()
    assert "hipFree" in done.decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_characters_without_a_mark_are_refused(encoding: str) -> None:
    with pytest.raises(BinarySource):
        translated("cudaFree(p);".encode(encoding))


def test_half_a_wide_character_is_refused() -> None:
    with pytest.raises(DecodeError):
        translated("\ufeffcudaFree(p);".encode("utf-16-le")[:-1])


def test_what_pytorchs_translator_would_write(tmp_path: Path) -> None:
    text = '#include "own.h"\n__global__ void k() {}\nvoid f() { cudaFree(0); }\n'
    for name, encoding in (("plain.cu", "utf-8"), ("wide.cu", "utf-16-le")):
        (tmp_path / name).write_bytes(f"\ufeff{text}".encode(encoding))
    (tmp_path / "bare.cu").write_text(text)
    results = rewarp.hipify(str(tmp_path), output_directory=str(tmp_path), show_progress=False)
    plain, wide, bare = (
        Path(str(results[str(tmp_path / name)].hipified_path)).read_bytes()
        for name in ("plain.cu", "wide.cu", "bare.cu")
    )
    assert plain == MARK + bare
    assert wide.decode("utf-16-le") == "\ufeff" + bare.decode()
