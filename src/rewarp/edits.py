"""Edits: the only code that changes text.

An edit replaces a span of original bytes by other bytes. ``apply`` splices; whatever lies
outside the spans is copied untouched, so encodings, line endings and odd bytes survive.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from rewarp.errors import EditConflict
from rewarp.source import Span


class Safety(str, Enum):
    """How far a fix can be trusted without a person reading it."""

    SAFE = "safe"
    """Mechanical: the NVIDIA path provably stays as it was and the AMD path gets the documented twin."""
    UNSAFE = "unsafe"
    """Mechanical, but it changes behaviour on the target; only on request."""
    DISPLAY_ONLY = "display-only"
    """Shown to a person, never applied."""
    NONE = "none"
    """There is nothing to change, or no fix is known."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes of ``span`` by ``text``."""

    span: Span
    text: bytes
    safety: Safety = Safety.SAFE


def _ordered(size: int, edits: Iterable[Edit]) -> Sequence[Edit]:
    ordered = sorted(edits, key=lambda edit: edit.span)
    at = 0
    for edit in ordered:
        if edit.span.start < at or edit.span.end < edit.span.start or edit.span.end > size:
            raise EditConflict(f"edit at {tuple(edit.span)} overlaps another or leaves the file")
        at = edit.span.end
    inserted_at = [edit.span.start for edit in ordered if edit.span.start == edit.span.end]
    if len(set(inserted_at)) != len(inserted_at):
        raise EditConflict("two insertions at one place have no defined order")
    return ordered


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes after all edits. Raises EditConflict rather than guess."""
    return splice(data, ((*edit.span, edit.text) for edit in _ordered(len(data), edits)))


def splice(data: bytes, replacements: Iterable[tuple[int, int, bytes]]) -> bytes:
    """The bytes with each (start, end, text) put in place. They come in file order; an overlap raises EditConflict."""
    parts: list[bytes] = []
    at = 0
    for start, end, text in replacements:
        if start < at or end < start:
            raise EditConflict(f"edit at {start, end} overlaps another")
        parts += (data[at:start], text)
        at = end
    parts.append(data[at:])
    return b"".join(parts)


def reverse(data: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """Edits that turn ``apply(data, edits)`` back into ``data``."""
    undo: list[Edit] = []
    shift = 0
    for edit in _ordered(len(data), edits):
        start = edit.span.start + shift
        span = Span(start, start + len(edit.text))
        text = data[edit.span.start : edit.span.end]
        # Touching edits become one: undoing two adjacent deletions apart would insert twice at one place.
        if undo and undo[-1].span.end == span.start:
            last = undo.pop()
            span, text = Span(last.span.start, span.end), last.text + text
        undo.append(Edit(span, text, edit.safety))
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return undo
