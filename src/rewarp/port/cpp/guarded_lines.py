"""Edits that no header of aliases can make, made in the sources themselves: the lines for HIP under an ``#if``, the lines as
they were under its ``#else``. A few such lines are less to maintain than copies of whole files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rewarp.edits import Edit, apply
from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.port.changes import Change, PortPhase
from rewarp.source import Span
from rewarp.translation.changes import ON_AMD, Replacement, Translation
from rewarp.translation.shim import Found, is_beyond_headers

_WHY = "A few lines are written for HIP where the compiler is HIP's; all others read what they read before."
_TALLEST = 8
"""Lines of one statement that is written twice."""
_MOST = 40
"""Lines of a project; with more of them a translated copy is easier to read."""


def guarded(translations: Iterable[Translation], problems: Iterable[Found]) -> list[Change]:
    """The sources with those lines twice; none where a single one cannot be, for then the build would end there."""
    places: dict[str, list[int]] = {}
    for path, problem, _ in problems:
        if is_beyond_headers(problem):
            places.setdefault(path, []).append(problem.where.start)
    found, lines = [], 0
    for translation in translations if places else ():
        if translation.path not in places:
            continue
        blocks = _blocks(translation, places[translation.path])
        if blocks is None:
            return []
        view = translation.source.view
        lines += sum(view.count(b"\n", block.start, block.end) for block in blocks)
        edits = [_edit(translation, block) for block in blocks]
        found.append(Change(translation.path, apply(translation.source.data, edits), PortPhase.TRANSLATION, _WHY))
    return found if lines <= _MOST else []


def _blocks(translation: Translation, places: Collection[int]) -> list[Span] | None:
    """The lines of whole statements around the places; None where one is in a macro or a directive, or is long."""
    try:
        code = CodeFile(translation.source, Kind.CUDA).code
    except UnreadableSource:
        return None
    starts, open_at = _lines(code)
    blocks: list[Span] = []
    for place in sorted(places):
        block = _around(place, code, starts, open_at)
        if block is None:
            return None
        if blocks and block.start <= blocks[-1].end:
            blocks[-1] = Span(blocks[-1].start, max(block.end, blocks[-1].end))
        else:
            blocks.append(block)
    return None if any(_is_more(item, block) for item in translation.replacements for block in blocks) else blocks


def _is_more(item: Replacement, block: Span) -> bool:
    """Whether an edit reaches out of the lines, or is a guard itself: what it keeps off AMD may mean something there."""
    crosses = any(item.start < edge < item.end for edge in (block.start, block.end))
    return crosses or (b"#" in item.text and item.start < block.end and item.end >= block.start)


def _lines(code: bytes) -> tuple[list[int], list[bool]]:
    """Where the lines start, and whether a bracket of a call is open there; the end of the file is the last."""
    starts, open_at, at, depth = [0], [False], 0, 0
    for line in code.splitlines(keepends=True):
        at += len(line)
        if not line.lstrip().startswith(b"#"):
            depth += line.count(b"(") + line.count(b"[") - line.count(b")") - line.count(b"]")
        starts.append(at)
        open_at.append(depth != 0)
    return starts, open_at


def _around(place: int, code: bytes, starts: Sequence[int], open_at: Sequence[bool]) -> Span | None:
    first = max(index for index, start in enumerate(starts) if start <= place)
    last = first + 1
    while open_at[first] and last - first < _TALLEST:
        first -= 1
    while last < len(starts) - 1 and open_at[last] and last - first < _TALLEST:
        last += 1
    if last >= len(starts) or open_at[first] or open_at[last]:
        return None
    block = Span(starts[first], starts[last])
    lines = code[starts[max(first - 1, 0)] : block.end].splitlines()
    if any(line.rstrip().endswith(b"\\") for line in lines):
        return None
    own = code[block.start : block.end]
    return (
        block if own.endswith(b"\n") and not any(line.lstrip().startswith(b"#") for line in own.splitlines()) else None
    )


def _edit(translation: Translation, block: Span) -> Edit:
    source = translation.source
    before = source.view[block.start : block.end]
    newline = b"\r\n" if before.endswith(b"\r\n") else b"\n"
    inside = [item for item in translation.replacements if block.start <= item.start and item.end <= block.end]
    after = _replaced(before, block.start, inside)
    text = newline.join((ON_AMD, after.rstrip(b"\r\n"), b"#else", before.rstrip(b"\r\n"), b"#endif", b""))
    return Edit(source.original(block), source.encoded(text))


def _replaced(text: bytes, offset: int, items: Iterable[Replacement]) -> bytes:
    for item in sorted(items, reverse=True):
        text = text[: item.start - offset] + item.text + text[item.end - offset :]
    return text
