"""JSON as benchmark tools leave it: one document, one object a line, cut off at the end, or between lines of a log."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rewarp.lang import parsers

JsonObject = Mapping[str, Any]
_DEEPEST = 4
"""How deep in a document a result may lie: tools wrap others' records, but not this often."""
_STARTS = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)


def objects(text: str) -> Iterator[tuple[str, JsonObject]]:
    """Every outermost object, with where it was: `record 3` of a list, or the line on which it starts."""
    try:
        whole = parsers.from_json(text)
    except (ValueError, RecursionError):
        yield from _among_lines(text)
        return
    if isinstance(whole, dict):
        yield "the document", whole
    elif isinstance(whole, list):
        yield from ((f"record {n}", item) for n, item in enumerate(whole, 1) if isinstance(item, dict))


def _among_lines(text: str) -> Iterator[tuple[str, JsonObject]]:
    """Objects that start on a line of their own. A list that was cut off gives those of its objects that are whole."""
    decoder = json.JSONDecoder()
    done = line = counted = 0
    for start in _STARTS.finditer(text):
        if start.end() < done:
            continue
        try:
            value, done = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            continue
        line += text.count("\n", counted, start.end())
        counted = start.end()
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield f"line {line + 1}", item


def holding(found: Iterable[tuple[str, JsonObject]], keys: Iterable[str]) -> Iterator[tuple[str, JsonObject]]:
    """The objects that hold all these keys, also those that another tool put into a record of its own."""
    wanted = frozenset(keys)
    for where, item in found:
        yield from _holding(where, item, wanted, _DEEPEST)


def _holding(where: str, value: Any, wanted: frozenset[str], depth: int) -> Iterator[tuple[str, JsonObject]]:
    if isinstance(value, dict):
        if wanted <= value.keys():
            yield where, value
            return
        inner: Iterable[tuple[str, Any]] = ((f"{where}, {key}", item) for key, item in value.items())
    elif isinstance(value, list):
        inner = ((f"{where}, item {n}", item) for n, item in enumerate(value, 1))
    else:
        return
    if depth:
        for name, item in inner:
            yield from _holding(name, item, wanted, depth - 1)


def number(value: Any) -> float | None:
    """A finite number, also where it was written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def integer(value: Any) -> int | None:
    """A whole number, also where it was written as text or as 8.0; None for anything else."""
    found = number(value)
    return int(found) if found is not None and found == int(found) else None


def word(value: Any) -> str | None:
    """A text that says something; None for anything else."""
    return value.strip() or None if isinstance(value, str) else None
