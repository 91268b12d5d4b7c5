"""Patterns: which data types fit one, and which do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.rust.following.values import Value
from rewarp.parity.rust.reading.tree import (
    Pattern,
    Several,
    Variant,
    alternatives,
    takes_all,
)

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame


def of_pattern(frame: Frame, pattern: Pattern, value: Value) -> tuple[int, int, bool]:
    """The data types that may fit a pattern, those that may not, and whether the pattern looks at the data type."""
    every = frame.dtypes.every
    fits, certain, told = 0, 0, 0
    looks = False
    for one in alternatives(pattern):
        if value.holds and (asks_for := _asked_of_option(one)) is not None:
            yes, no = value.holds if asks_for else value.holds[::-1]
            fits, certain, looks = fits | yes, certain | (yes & ~no), True
            continue
        mask, is_sure = _of_one(frame, one, value)
        if mask is None:
            fits = every
            certain |= every if takes_all(one) else 0
        else:
            looks = True
            fits |= mask
            told |= mask
            certain |= mask if is_sure else 0
    if told and not value.variant and not value.dtypes:
        frame.record.told |= told
        _look(frame, value)
    return fits, every & ~certain, looks


def _asked_of_option(pattern: Pattern) -> bool | None:
    """Whether a pattern takes every `Some` or every `None`."""
    name = last_segment(pattern.path) if isinstance(pattern, Variant) else ""
    if name == "Some" and isinstance(pattern, Variant) and all(map(takes_all, pattern.inner)):
        return True
    return False if name == "None" else None


def _look(frame: Frame, value: Value) -> None:
    for part in (value, *value.items):
        if part.subject:
            frame.record.looked_at.add(part.subject)


def _of_one(frame: Frame, pattern: Pattern, value: Value) -> tuple[int | None, bool]:
    """The data types of the followed value that one pattern takes, and whether it takes all of these."""
    if isinstance(pattern, Several):
        return _of_tuple(frame, pattern, value)
    if value.variant and isinstance(pattern, Variant):
        return (frame.dtypes.every if last_segment(pattern.path) == value.variant else 0), True
    mask = frame.dtypes.of(pattern.path) if isinstance(pattern, Variant) else 0
    if mask and value.dtypes:
        return (frame.dtypes.every if mask & value.dtypes else 0), True
    if isinstance(pattern, Variant) and not mask and last_segment(pattern.path) in ("Some", "Ok") and pattern.inner:
        return _of_one(frame, pattern.inner[0], value)
    if mask and value.subject and value.subject != frame.axis:
        frame.record.looked_at.add(value.subject)
    return (mask, True) if mask and value.subject == frame.axis != "" else (None, False)


def _of_tuple(frame: Frame, pattern: Several, value: Value) -> tuple[int | None, bool]:
    found: int | None = None
    is_sure = True
    _tie(frame, pattern, value)
    for place, inner in enumerate(pattern.items):
        part = value.items[place] if place < len(value.items) else Value(subject=value.subject)
        masks = [_of_one(frame, one, part)[0] for one in alternatives(inner)]
        known = [mask for mask in masks if mask is not None]
        if known and len(known) == len(masks):
            union = 0
            for mask in known:
                union |= mask
            found = union if found is None else found & union
        elif not takes_all(inner):
            is_sure = False
    return found, is_sure


def _tie(frame: Frame, pattern: Several, value: Value) -> None:
    """Two values that one pattern wants to be of the same data type."""
    seen: dict[int, str] = {}
    for inner, part in zip(pattern.items, value.items):
        mask = frame.dtypes.of(inner.path) if isinstance(inner, Variant) else 0
        if mask and part.subject:
            other = seen.setdefault(mask, part.subject)
            if other != part.subject:
                frame.record.tied.add(frozenset((other, part.subject)))
