"""Lines of Rust sources that only ``cargo test`` compiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.source import SourceFile
from rewarp.workspace import Tree

_TESTS = re.compile(rb"#\[\s*cfg\s*\(\s*(?:test|all\s*\(\s*test\b[^\]]*)\s*\)\s*\]\s*(?:#\[[^\]]*\]\s*)*[^;{}]*(?=\{)")


def test_lines(tree: Tree) -> dict[str, tuple[tuple[int, int], ...]]:
    """By file, from which line to which."""
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for path in tree.files():
        if kind_of_path(path) is Kind.RUST and b"cfg(" in (data := tree.read(path) or b""):
            if ranges := tuple(_ranges(CodeFile(SourceFile(path, data), Kind.RUST))):
                found[path] = ranges
    return found


def _ranges(document: CodeFile) -> Iterator[tuple[int, int]]:
    end = 0
    for match in _TESTS.finditer(document.code):
        if match.start() >= end:
            end = document.closing(match.end())
            yield document.source.line_at(match.start()), document.source.line_at(end - 1)
