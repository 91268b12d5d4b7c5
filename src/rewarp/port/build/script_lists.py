"""Lists of options, libraries and folders in a build script: what ROCm's tools get in place of some items."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from rewarp.fixes.options import Option, hip_words, read_options
from rewarp.fixes.script import ScriptGate
from rewarp.fixes.text import indent_at, newline_of, starts_line
from rewarp.lang.python import PythonFile
from rewarp.source import Span
from rewarp.tables.libraries import twin

Replacement = tuple[int, int, str]
_WIDTH = 116
_LOOSE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.keyword, ast.Return, ast.Call, ast.Dict)
"""Around these a conditional expression needs no parentheses."""
OLD_STANDARD = re.compile(r"--?std=(?:c|gnu)\+\+(?:0x|11|1y|14)")
"""What torch's headers stop at since 2.1; it asks for a newer standard itself where none is given."""
_OTHER = "\0"
"""Stands for an item whose text is not known."""
_RUNTIME = frozenset({"cuda", "cudart", "cudart_static", "cudadevrt"})
"""torch links the runtime of ROCm itself."""


def in_list(document: PythonFile, node: ast.expr) -> tuple[ast.List | ast.Tuple, ast.expr] | None:
    """The list a node is an item of, and the item."""
    child: ast.expr = node
    parent = document.parent(node)
    while isinstance(parent, (ast.Call, ast.BinOp, ast.JoinedStr, ast.FormattedValue)) and isinstance(parent, ast.expr):
        child, parent = parent, document.parent(parent)
    return (parent, child) if isinstance(parent, (ast.List, ast.Tuple)) and child in parent.elts else None


def options_in(
    document: PythonFile, items: ast.List | ast.Tuple, _: set[ast.expr], gate: ScriptGate
) -> list[Replacement]:
    """Edits that give ROCm its own options. Only lists of which an item was found wanting come here, so that the
    whole list is nvcc's."""
    texts = [_text(document, item) for item in items.elts]
    options = (Option(one.words, ()) if OLD_STANDARD.fullmatch(one.words[0]) else one for one in read_options(texts))
    return _edits(document, items, options, set(items.elts), gate)


def libraries_in(
    document: PythonFile, items: ast.List | ast.Tuple, flagged: set[ast.expr], gate: ScriptGate
) -> list[Replacement]:
    names = (_text(document, item) for item in items.elts)
    return _edits(document, items, (Option((name,), hip_library(name)) for name in names), flagged, gate)


def dropped_from(
    document: PythonFile, items: ast.List | ast.Tuple, flagged: set[ast.expr], gate: ScriptGate
) -> list[Replacement]:
    """Edits that leave items out on ROCm."""
    options = (Option((_OTHER,), () if item in flagged else (_OTHER,)) for item in items.elts)
    return _edits(document, items, options, flagged, gate)


def replaced_in(
    document: PythonFile, items: ast.List | ast.Tuple, new: Mapping[ast.expr, str], gate: ScriptGate
) -> list[Replacement]:
    """Edits that give ROCm other items."""
    options = (Option((_OTHER,), (new[item],) if item in new else (_OTHER,)) for item in items.elts)
    return _edits(document, items, options, set(new), gate)


def hip_library(name: str) -> tuple[str, ...]:
    library = twin(name)
    if library is None:
        return (name,)
    return (library.link,) if library.link and name not in _RUNTIME else ()


def has_hip_library(text: str) -> bool:
    """Whether a library's name, or an option that links it, has a twin for ROCm."""
    name = text.removeprefix("-l")
    return bool(hip_library(name)) and hip_library(name) != (name,)


def _text(document: PythonFile, item: ast.expr) -> str:
    text = document.string(item)
    return text if text and isinstance(item, (ast.Constant, ast.JoinedStr)) else _OTHER


def _edits(
    document: PythonFile,
    items: ast.List | ast.Tuple,
    options: Iterable[Option],
    flagged: set[ast.expr],
    gate: ScriptGate,
) -> list[Replacement]:
    runs = list(_runs(items.elts, options, flagged))
    if len(runs) == 1 and len(runs[0][0]) == len(items.elts) and isinstance(items, ast.List):
        start, end = document.span(items)
        parent = document.parent(items)
        opened, closed = ("", "") if isinstance(parent, _LOOSE) else ("(", ")")
        edits = [(start, start, f"{opened}[{_listed(runs[0][1])}] if {gate.rocm} else "), (end, end, closed)]
        return [edit for edit in edits if edit[2]]
    return [edit for elements, hip in runs for edit in _run(document, elements, hip, gate)]


def _runs(
    elements: list[ast.expr], options: Iterable[Option], flagged: set[ast.expr]
) -> Iterator[tuple[list[ast.expr], list[str]]]:
    """Items beside each other that ROCm gets others for."""
    run: list[ast.expr] = []
    hip: list[str] = []
    at = 0
    for option in options:
        taken = elements[at : at + len(option.words)]
        at += len(option.words)
        wanted = option.changes and _OTHER not in option.hip and any(item in flagged for item in taken)
        if wanted:
            run += taken
            hip += option.hip
        elif run:
            yield run, hip
            run, hip = [], []
    if run:
        yield run, hip


def _run(document: PythonFile, elements: list[ast.expr], hip: list[str], gate: ScriptGate) -> Iterator[Replacement]:
    start, end = document.span(elements[0]).start, document.span(elements[-1]).end
    if len(elements) == 1 and len(hip) == 1 and not isinstance(elements[0], ast.Starred):
        yield start, start, f"{_listed(hip)} if {gate.rocm} else "
        return
    head = f"*([{_listed(hip)}] if {gate.rocm} else ["
    source = document.source
    spans = [document.span(element) for element in elements]
    gaps = [Span(left.end, right.start) for left, right in zip(spans, spans[1:])]
    plain = all(source.view[gap.start : gap.end].strip() == b"," for gap in gaps)  # no comment stands between
    width = len(indent_at(source, start)) + len(head) + sum(span.end - span.start + 2 for span in spans)
    if plain and (width < _WIDTH or not all(starts_line(source, span.start) for span in spans)):
        yield start, start, head
        yield from ((gap.start, gap.end, ", ") for gap in gaps)
        yield end, end, "])"
        return
    indent, newline = indent_at(source, start), newline_of(source)
    yield start, start, f"{head}{newline}{indent}    "
    for line in range(source.line_at(start) + 1, source.line_at(end) + 1):
        yield source.line_starts[line - 1], source.line_starts[line - 1], "    "
    yield end, end, f",{newline}{indent}])"


def _listed(words: Iterable[str]) -> str:
    return ", ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)


def single_string(document: PythonFile, node: ast.expr, gate: ScriptGate, library: bool) -> Replacement | None:
    """``"x" if on NVIDIA else "y"`` for a string that stands alone; None where ROCm would get nothing."""
    text = document.string(node)
    if not isinstance(node, ast.Constant) or not text:
        return None
    convert: Callable[[str], Iterable[str]] = hip_library if library else lambda words: hip_words(words.split())
    hip = list(convert(text))
    start = document.span(node).start
    return (start, start, f"{_listed([' '.join(hip)])} if {gate.rocm} else ") if hip else None
