"""Pages of a list that nobody keeps: a cursor says where to go on, and in which list."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from itertools import accumulate
from typing import Any, TypeVar

from rewarp.errors import UsageError
from rewarp.escape import visible, visible_but
from rewarp.mcp.results import Page, Untrusted

Item = TypeVar("Item")
MOST = 200
_LONGEST = 400
_LONGEST_LINE = 8_000
_PAGE = 24_000
"""Characters of a page: fewer items where they are long, and never none."""
_CURSOR = re.compile(r"(\d{1,9})\.([0-9a-f]{16})")


def page(items: Sequence[Item], limit: int, cursor: str | None) -> tuple[list[Item], Page]:
    """Raises UsageError for a cursor of another list: the tree has changed, and pages would not fit together."""
    if not 1 <= limit <= MOST:
        raise UsageError(f"limit must be from 1 to {MOST}")
    written = [_written(item) for item in items]
    mark = hashlib.sha256("\n".join(written).encode("utf-8", "backslashreplace")).hexdigest()[:16]
    start = 0
    if cursor is not None:
        match = _CURSOR.fullmatch(cursor)
        if match is None:
            raise UsageError("this is no cursor that rewarp gave")
        if match[2] != mark or int(match[1]) > len(items):
            raise UsageError("the answer has changed since this cursor was given: begin again without one")
        start = int(match[1])
    sums = accumulate(map(len, written[start : start + limit]))
    end = start + max(1, sum(size <= _PAGE for size in sums)) if start < len(items) else start
    shown = list(items[start:end])
    return shown, Page(len(items), len(shown), f"{end}.{mark}" if end < len(items) else None)


def _written(item: Any) -> str:
    plain = asdict(item) if is_dataclass(item) and not isinstance(item, type) else item
    return json.dumps(plain, sort_keys=True)


def quoted(path: str = "", *texts: str) -> Untrusted:
    """What a repository wrote, with nothing hidden in it, and none of it too long."""
    return Untrusted(visible(path), "\n".join(_cut(visible(text), _LONGEST) for text in texts))


def quoted_lines(text: str) -> Untrusted:
    """The same of code, whose lines stay."""
    return Untrusted("", visible_but(text, "\n\t"))


def lines_of(text: str) -> list[str]:
    """Lines of code; of one that is a page by itself, the beginning. Split at "\\n" alone: other line ends are characters."""
    return [_cut(line, _LONGEST_LINE) for line in text.split("\n")] if text else []


def pieces(text: str) -> list[str]:
    """Code in pieces that each fit a page, with whole lines in them."""
    found: list[list[str]] = []
    size = _LONGEST_LINE
    for line in lines_of(text):
        size += len(line) + 1
        if size > _LONGEST_LINE:
            found.append([])
            size = len(line)
        found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"
