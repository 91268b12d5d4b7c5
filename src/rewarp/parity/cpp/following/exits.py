"""How control leaves a piece of C++ code (fallthrough, return, error, break), and what is known of its variables."""

from __future__ import annotations

import re
from dataclasses import dataclass

NEXT, YES, NO, FAIL, BREAK, CONTINUE = "next", "yes", "no", "fail", "break", "continue"
Exits = frozenset[str]
"""How code may end: one of the words above, or the constant that it gives."""
ANYTHING: Exits = frozenset({YES, NO})
GO_ON: Exits = frozenset({NEXT})
FAILED: Exits = frozenset({FAIL})
INSIDE: Exits = frozenset({NEXT, BREAK, CONTINUE})
"""Ends after which the function goes on."""
_REFUSES = re.compile(
    r"(?!\w*(?i:no_?err|err(?:or)?_(?:none|ok|success)))\w*((?<![A-Za-z])ERR(?![A-Za-z])|FAIL|ERROR|UNSUPPORTED|UNAVAILABLE|UNIMPLEMENTED|NOT_|INVALID|NotImpl|Unsupported|Invalid)\w*"
)
"""Constants that mean "no"; `NO_ERROR` is none."""


@dataclass(frozen=True)
class Known:
    """A variable that holds a truth; None: either."""

    truth: bool | None


@dataclass(frozen=True)
class Lambda:
    parameters: tuple[str, ...]
    body: tuple[int, int]


Environment = dict[str, "str | Known | Lambda"]
"""For each local name: the path that it stands for, or its truth, or its code."""


def only_refuses(exits: Exits) -> bool:
    """Whether a call can only fail, or answer with a constant that means "no"."""
    return bool(exits) and all(end == FAIL or bool(_REFUSES.fullmatch(end)) for end in exits)


def may_succeed(exits: Exits) -> bool:
    """Whether a call may do what it was asked."""
    return any(end == YES or (end not in (NO, FAIL) and not _REFUSES.fullmatch(end)) for end in exits)
