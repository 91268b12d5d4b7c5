"""CMake's regular expressions: a small language of its own, in which braces mean themselves and ``\\d`` is a ``d``."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"\\(?P<escaped>.)|(?P<set>\[\^?\]?[^\]]*\])|(?P<special>[\^$.*+?|()])|(?P<plain>.)", re.S)

_IN_SET = re.compile(r"[\\\[&~|]")
"""What means something in Python's sets, or may one day, and nothing in CMake's."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str] | None:
    """None where it is not one."""
    found: list[str] = []
    for token in _TOKEN.finditer(pattern):
        if token["special"]:
            found.append({"$": r"\Z", ".": r"[\s\S]"}.get(token["special"], token["special"]))
        elif token["set"]:
            body = token["set"][1:-1]
            denied, body = body.startswith("^"), body.removeprefix("^")
            found.append("[" + "^" * denied + _IN_SET.sub(r"\\\g<0>", body) + "]")
        else:
            found.append(re.escape(token["escaped"] or token["plain"]))
    try:
        return re.compile("".join(found))
    except re.error:
        return None
