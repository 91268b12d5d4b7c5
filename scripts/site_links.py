"""Hooks of MkDocs. Pages link to files of the repository, which the site does not hold: there, only their names stay. Code in a
table writes ``|`` as ``\\|``, which GitHub takes back and MkDocs does not. And whoever copies a terminal wants its commands."""

from __future__ import annotations

import html
import re
from typing import Any

_OUTSIDE = re.compile(
    r"\[([^\[\]]+)\]\((?:\.\./)+(?!rules/|guides/)(?:src|examples|benchmarks|tests|scripts|CONTRIBUTING|CHANGELOG)[^()]*\)"
)
_CELL = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
_CODE = re.compile(r"<code>.*?</code>", re.DOTALL)
_TERMINAL = re.compile(
    r'<div class="highlight"(?=>(?:<span class="filename">[^<]*</span>)?<pre[^>]*>(?:<span></span>)?<code>'
    r'(<span class="gp">.*?)</code>)',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    return _OUTSIDE.sub(r"\1", markdown)


def on_page_content(page_html: str, page: Any, config: Any, files: Any) -> str:
    return _TERMINAL.sub(_terminal, _CELL.sub(_cell, page_html))


def _cell(found: re.Match[str]) -> str:
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), found[0])


def _terminal(found: re.Match[str]) -> str:
    """With what the theme's copy button takes in place of the text: the commands, without prompts and output."""
    lines = html.unescape(_TAG.sub("", found[1])).splitlines()
    commands = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    return f'{found[0]} data-copy="{html.escape(commands)}"'
