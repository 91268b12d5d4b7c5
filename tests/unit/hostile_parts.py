"""Hostile names, code and messages, in every string of every report; and what no view may make of them."""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

from markdown_it import MarkdownIt

from rewarp.targets import Target

STEERING = "EVIL\x1b]0;own\x07\x1b[31m\x9b2J\x7f\b\r\t\u202e\u2066\u200f\u061c\u200b\u2028\ufeff\U000e0041\udcff"
BLOCKS = "\n# EVILHEADING\n- EVILITEM\n\n    EVILBLOCK\n```\n~~~\n---\n|EVILCELL|b\n|---|---|\n"
TAGS = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script></script><b>EVILTAG</b><!-- --> </details>"
LINKS = (
    "[red]EVIL[/red] ](http://evil.example) ![i](http://evil.example/i.png) [a](javascript:pwned) <http://evil.example>"
)
SPAM = "@octocat evil/repo#1 fixes #2 GH-3 https://evil.example www.evil.example a@evil.example $x$ `one` ``two`` | **x** _y_ ```open` \\"
HOSTILE = f"{STEERING}{BLOCKS}{TAGS} {LINKS} {SPAM}"
NAME = "EVIL\x1b]0;own\x07\x9b\u202e\u2066\u200b\r\t\n# EVILHEADING `a``|<img src=x onerror=window.pwned=1>@octocat #1 [red](x)\udcff"
"""Of a file: what a file system takes in one."""
LINE = STEERING.removesuffix("\udcff").replace("\r", "") + f" {TAGS} {LINKS} {SPAM} end"
"""Of a text file: in UTF-8, and one line."""

_RULE = re.compile(r"[A-Z0-9]+(-[A-Z]+)?-\d+")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_LINKED = re.compile(r"@\w|#\d|\$|://|\bgh-\d|\bwww\.", re.I)
_OWN_HTML = re.compile(r"<details><summary>[^<>]*(<b>[^<>]*</b>[^<>]*)?</summary>|</details>|<sub>[^<>]*</sub>")


def poisoned(value: Any, keep: frozenset[str] = frozenset()) -> Any:
    """The same report, hostile in all its strings but those that the views themselves tell apart."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return value if value in keep or _RULE.fullmatch(value) else value + HOSTILE
    if isinstance(value, (Enum, Target, PurePath)):
        return value
    if isinstance(value, Mapping):
        return {key if _is_field(key, keep) else poisoned(key): poisoned(item, keep) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [poisoned(item, keep) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if is_dataclass(value):
        made = copy.copy(value)
        own = {field.name for field in fields(value)}
        for name in [*getattr(made, "__dict__", ())]:
            if name not in own:  # what was computed of the text before
                del made.__dict__[name]
        for name in own:
            object.__setattr__(made, name, poisoned(getattr(value, name), keep))
        return made
    return value


def _is_field(key: Any, keep: frozenset[str]) -> bool:
    return not isinstance(key, str) or isinstance(key, Enum) or key in keep or bool(re.fullmatch(r"[a-z_0-9]+", key))


def steering(text: str) -> list[str]:
    """Characters that a terminal obeys or nobody sees, but for line ends."""
    return sorted({ascii(c) for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")})


def check_text(text: str) -> None:
    """Nothing raw; and no line that begins with what stood behind a line break in a name."""
    assert steering(text) == []
    assert not re.search(r"^\s*(# EVILHEADING|- EVILITEM|EVILBLOCK|\|EVILCELL)", text, re.M)


def check_markdown(text: str) -> None:
    """By a parser of CommonMark: no link, no markup, no mention, no broken table."""
    assert "EVIL" in text, "nothing hostile came through, so that nothing was shown"
    assert steering(text.replace("\ufe0f", "")) == []
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type == "html_block":
            assert all(map(_OWN_HTML.fullmatch, token.content.strip().splitlines())), token.content
            assert "EVIL" not in token.content
        assert token.type != "code_block", token.content
        _check_line(token.children or [])
    _check_starts(tokens)
    _check_tables(text)


def _check_line(children: list[Any]) -> None:
    for child in children:
        assert child.type not in ("link_open", "image", "hardbreak"), child
        assert child.type != "html_inline" or _OWN_HTML.fullmatch(child.content) or child.content in ("<sub>", "</sub>")
        assert child.type == "code_inline" or not _LINKED.search(child.content), child.content


def _check_starts(tokens: list[Any]) -> None:
    """Headings and items are ours."""
    for token, line in zip(tokens, tokens[1:]):
        if token.type in ("heading_open", "paragraph_open"):
            assert not line.content.lstrip("\\# -").startswith(("EVILHEADING", "EVILITEM", "EVILBLOCK", "|EVILCELL"))


def _check_tables(text: str) -> None:
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.split(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width, line
