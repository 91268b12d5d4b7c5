"""Kernels where no C preprocessor stands between the text and the symbol: WGSL, GLSL, PTX, and code in strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.parity.kernels.inventory import How, Kernel
from rewarp.source import SourceFile, Span

_WGSL = re.compile(
    rb"@compute\b(?:\s*@\w+(?:\s*\([^)]*\))?){0,16}\s*fn\s+(\w+)|@workgroup_size\s*\([^)]*\)\s*@compute\s*fn\s+(\w+)"
)
_PTX = re.compile(rb"^[ \t]*(?:\.(?:visible|weak|extern)[ \t]+)*\.entry[ \t]+([\w$]+)", re.M)
_GLSL_MAIN = re.compile(rb"\bvoid\s+main\s*\(")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)", re.S)
_KERNEL_TEXT = re.compile(
    r"__global__\s+(?:[\w\[\]]+(?:\s*\([^()]*\))?\s+){0,12}void\b|\bvoid\s+__global__|\bkernel void\s"
    r"|\[\[ ?kernel\s*\]\]|@compute\b|__kernel\s+void\s"
)
_KERNEL_WORDS = (b"__global__", b"kernel void", b"[kernel]", b"@compute", b"__kernel", b"[[ kernel")
_KERNEL_BYTES = re.compile(_KERNEL_TEXT.pattern.encode())
_PYTHON_STRING = re.compile(rb"(?:\b[rRbBfFuU]{1,2})?(\"\"\"|''')(.*?)\1", re.S)


_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\", "\n": "\n"}


class Embedded(NamedTuple):
    """Code in a string literal."""

    text: str
    line: int


def wgsl(path: str, data: bytes) -> Iterator[Kernel]:
    """Compute entries; one that is called `main` is known by its file."""
    code = _COMMENT.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), data)
    for match in _WGSL.finditer(code):
        name = (match[1] or match[2]).decode()
        name = PurePosixPath(path).stem if name == "main" else name
        yield Kernel(name, path, _line(data, match.start()), How.PLAIN)


def glsl(path: str, data: bytes) -> Iterator[Kernel]:
    """A compute shader is known by its file: every one of them calls its kernel `main`."""
    if match := _GLSL_MAIN.search(data):
        yield Kernel(PurePosixPath(path).stem, path, _line(data, match.start()), How.PLAIN)


def ptx(path: str, data: bytes) -> Iterator[Kernel]:
    for match in _PTX.finditer(data):
        yield Kernel(match[1].decode(), path, _line(data, match.start()), How.BINARY)


def may_hold_kernels(data: bytes) -> bool:
    """Whether kernel code stands in a file, wherever."""
    # A search for plain bytes is many times as fast as one for a choice of patterns.
    return any(word in data for word in _KERNEL_WORDS) and _KERNEL_BYTES.search(data) is not None


def embedded(path: str, data: bytes) -> list[Embedded]:
    """The string literals of a file that hold kernels."""
    if not may_hold_kernels(data):
        return []
    if path.endswith(".py"):
        found = (
            Embedded(match[2].decode("utf-8", "replace"), _line(data, match.start(2)))
            for match in _PYTHON_STRING.finditer(data)
        )
        return [code for code in found if _KERNEL_TEXT.search(code.text)]
    source = SourceFile(path, data)
    try:
        literals = CodeFile(source, Kind.RUST if path.endswith(".rs") else Kind.CPP).literals
    except UnreadableSource:
        return []
    return [
        Embedded(_unescaped(literal.text, source.view, literal.where), source.line_at(literal.where.start))
        for literal in literals
        if _KERNEL_TEXT.search(literal.text)
    ]


def _unescaped(text: str, view: bytes, where: Span) -> str:
    """What a literal holds; a raw one holds what it says."""
    prefix = view[where.start : where.start + 3].split(b'"')[0]
    if b"r" in prefix or b"R" in prefix:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), text)


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
