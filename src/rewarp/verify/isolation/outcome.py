"""How a comparer says what it found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


class Says:
    """Says verdicts about one file by one method."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None, method: str) -> None:
        self._path, self._method = path, method
        self._digests = digest(before), digest(after)

    def __call__(self, verdict: IsolationVerdict, why: str, places: Iterable[Place] = ()) -> FileVerdict:
        return FileVerdict(self._path, verdict, self._method, why, tuple(places), *self._digests)
