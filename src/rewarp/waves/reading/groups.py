"""Groups of the threads that happen to be together, as they stand in the code."""

from __future__ import annotations

import re

from rewarp.waves.support.names import GROUP

_SCOPE = re.compile(rb"(?:(?:\b(?!(?:return|else|throw|case)\b)[A-Za-z_]\w*)?\s*::\s*)+\Z")
_LOOK_BACK = 100


def is_within_a_warp(code: bytes, at: int) -> bool:
    """Whether an earlier fix was here."""
    return code.endswith((GROUP + b"(", b"rewarp_warp_group("), 0, scoped_start(code, at))


def scoped_start(code: bytes, at: int) -> int:
    """Where a name begins, with the namespaces before it."""
    scope = _SCOPE.search(code, max(0, at - _LOOK_BACK), at)
    return at - len(scope[0].lstrip()) if scope else at
