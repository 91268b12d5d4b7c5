"""What a project's documentation says of a target: that it is supported, and not that somebody wishes it were."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.project.support.evidence import Evidence, Way
from rewarp.project.support.words import Words

_PROSE = re.compile(
    r"(?i)(?:^|/)(?:readme|install|installation|getting[-_]started|build|building|quick[-_]?start)[\w.-]*$"
)
_TEXT = re.compile(r"(?i)(?:\.(?:md|rst|txt|markdown)|(?:^|/)(?:readme|install))$")
_HEADING = re.compile(r"(#{1,6})\s+(.*)|<h(\d)[^>]*>(.*?)</h")
_ASIDE = re.compile(
    r"(?i)to[- ]?do\b|road-?map|future|missing|limitation|plan(?:s|ned)?\b|wish|related|acknowledg|citation|community|forks?\b|ecosystem|comparison|"
    r"benchmark|credits|similar|alternative|news|change-?log"
)
"""Headings below which a name is no promise."""
_LISTED = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_DENIED = re.compile(
    r"(?i)\bnot\b|n't\b|\bno\b|\bnever\b|cannot|unable|blocked|fail(?:s|ed|ure)\b|unsupported|without|to-?do|planned|plan to|coming soon|in the future|work in progress|"
    r"\bwip\b|\bforks?\b|separate|check out|instead|\[ \]|looking for|help wanted|only nvidia|nvidia only|welcome|"
    r"\bI(?:'m|'ve| am| have| had)\b|\bmy\b|can be found at|visit\b|by @?\[|\bif you want\b.*\bport\b"
)
_AFFIRMED = re.compile(
    r"(?i)support|compatib|\bruns?\b|\bworks?\b|tested|install|wheels?\b|build|compil|require|prerequisite|docker|pip\b|"
    r"conda\b|\bmake\b|cmake|--index-url|whl/rocm|toolkit|version|available|provide|cards?\b|backends?\b"
)


def is_prose(path: str) -> bool:
    return bool(_PROSE.search(path) and _TEXT.search(path)) and path.count("/") <= 2


def statements(path: str, data: bytes, words: Words) -> Iterator[Evidence]:
    """Headings about the target, and sentences and commands that offer it."""
    aside: int | None = None
    listed_aside = code = False
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            code = not code
            continue
        heading = None if code else _HEADING.match(line)
        if heading:
            depth = len(heading[1] or "") or int(heading[3] or 1)
            title = heading[2] or heading[4] or ""
            if aside is None or depth <= aside:
                aside = depth if _ASIDE.search(title) else None
        if line.strip() and not _LISTED.match(line):
            listed_aside = line.rstrip().endswith(":") and bool(_ASIDE.search(line) or _DENIED.search(line))
        if aside is None and not listed_aside and _offers(line, words, is_heading=heading is not None):
            yield Evidence(Way.DOCUMENTATION, path, number, line.strip()[:160])


def _offers(line: str, words: Words, is_heading: bool) -> bool:
    if not words.prose.search(line) or words.not_meant.search(line) or _DENIED.search(line):
        return False
    return is_heading or bool(_AFFIRMED.search(line))
