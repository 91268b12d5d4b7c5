"""The time that a comparison may take. What is not done by then is said, and nothing is scored."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rewarp.errors import GaveUp

_until: ContextVar[float | None] = ContextVar("until", default=None)


class OutOfTime(GaveUp):
    pass


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Inside, ``check`` raises once so many seconds have passed; an outer limit stays in force."""
    outer = _until.get()
    until = None if seconds is None else time.monotonic() + seconds
    before = _until.set(until if outer is None else outer if until is None else min(outer, until))
    try:
        yield
    finally:
        _until.reset(before)


def left() -> float | None:
    """The seconds that are left; None where there is no limit."""
    until = _until.get()
    return None if until is None else max(0.0, until - time.monotonic())


def is_over() -> bool:
    until = _until.get()
    return until is not None and time.monotonic() > until


def check() -> None:
    if is_over():
        raise OutOfTime
