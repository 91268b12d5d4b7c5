"""``cfg`` attributes: what they ask for, and what is left of them where some features are not there."""

from __future__ import annotations

import re

_FEATURE = re.compile(r'feature\s*=\s*"([^"]+)"')
_TOKEN = re.compile(r'\s*(not|any|all)\s*\(|\s*\)|\s*,|\s*([\w.-]+)\s*(?:=\s*"([^"]*)")?')
CUDA = "cuda"


def features(attribute: str) -> frozenset[str]:
    """The features that a cfg names."""
    return frozenset(_FEATURE.findall(attribute)) if _is_cfg(attribute) else frozenset()


def holds(attribute: str, absent: frozenset[str]) -> bool | None:
    """Whether a cfg holds where some features can never be on; None where that depends on others."""
    inner = re.match(r"#!?\[\s*cfg\s*\((.*)\)\s*\]\s*$", attribute, re.S)
    if inner is None:
        return None
    values, _ = _values(inner[1] + ")", 0, absent)
    return values[0] if values else None


def _is_cfg(attribute: str) -> bool:
    return re.match(r"#!?\[\s*cfg\s*\(", attribute) is not None


def _values(text: str, at: int, absent: frozenset[str]) -> tuple[list[bool | None], int]:
    """The values of a list of conditions up to the bracket that closes it, and where that is."""
    found: list[bool | None] = []
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match[1]:
            inner, at = _values(text, at, absent)
            found.append(_together(match[1], inner))
        elif match[2]:
            found.append(False if match[2] == "feature" and match[3] in absent else None)
        elif match[0].strip() == ")" or not match[0]:
            break
    return found, at


def _together(word: str, values: list[bool | None]) -> bool | None:
    if word == "not":
        return None if not values or values[0] is None else not values[0]
    decides = word == "any"
    if any(value is decides for value in values):
        return decides
    return None if None in values else not decides
