"""The porting guide as an Agent Skill: SKILL.md, and references that an agent reads only in the phase that needs them.

Prose stands in ``text/``; every rule, fix, table, version and correction in it comes from this version's rules and tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from rewarp.skill import facts

NAME = "rewarp-rocm-porting"
"""Of the skill, and so of its folder."""
GUIDE = "SKILL.md"
_TEXT = Path(__file__).parent / "text"
_PLACEHOLDER = re.compile(r"\{\{(\w+)(?: ([^{}]+))?\}\}")


@lru_cache(maxsize=1)
def files() -> Mapping[str, str]:
    """The skill's files: their texts by their paths in its folder, SKILL.md first."""
    found = sorted(_TEXT.rglob("*.md"), key=lambda file: (file.name != GUIDE, file.name))
    return {file.relative_to(_TEXT).as_posix(): _filled(file.read_text("utf-8")) for file in found}


def references() -> Mapping[str, str]:
    """The paths of the references by their short names."""
    return {Path(path).stem: path for path in files() if path != GUIDE}


def _filled(text: str) -> str:
    return _PLACEHOLDER.sub(lambda match: facts.filled_in(match[1], match[2] or ""), text)
