r"""What a repository holds is shown, never obeyed: its names, code and messages for a terminal, Markdown, a page, SARIF.

A file may be called ``\x1b]0;owned\x07``, a kernel may hold characters that turn the line around, a log may mention
``@everyone``. Whatever steers a terminal or cannot be seen is written out as ``\x1b`` or ``\u202e``, never left out; JSON
has the characters themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Controls, format characters, line and paragraph separators, surrogates; letters and marks that no font draws.
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd"
    "\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_TAB = 4
_LONGEST_LINE = 240


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode()


def visible(text: str) -> str:
    """Text that stays in one line, and shows what it holds."""
    # Patterns are compiled where they are met: a short run on plain names waits for none.
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HIDDEN, _written_out, text)


def visible_but(text: str, kept: str) -> str:
    """Text with characters in it, line breaks for instance, that are ours or do no harm."""
    return re.sub(_HIDDEN, lambda match: match[0] if match[0] in kept else _written_out(match), text)


def joined(lines: Iterable[str]) -> str:
    """Lines as a text: no line can become two."""
    return "".join(f"{visible(line)}\n" for line in lines)


def code_line(text: str, most: int = _LONGEST_LINE) -> str:
    """A line of code: without its indentation, tabs inside it as blanks, cut where nobody would read on."""
    code = text.strip(" \t\r\n")
    line = visible(code[: most + 1].expandtabs(_TAB))
    return line if len(line) <= most else line[: most - 1] + "…"


# --- Markdown -------------------------------------------------------------------------------

_MARKUP = r"[\\`*#\[\]<>&~]|(?<![^\W_])_|_(?![^\W_])"
_BLOCK = r"^(?:([+=-])|(\d+)([.)]))"
"""What begins a list or a ruler, or makes a heading of the line above, where a line begins."""
_ACTIVE = r"(?i)@\w|[#!]\d|\$|://|\bgh-\d|\bwww\.|\b(?:mailto|xmpp):"
"""What a forge makes more of than text, whatever stands before it: mentions, issues, formulas, addresses."""
_PIPE = "\\|"
_LAYOUT = r"(?:[ \t]|\r?\n)+"


def markdown(text: str) -> str:
    """Text that stays text, in one line. Words that a forge would link become code, where it links nothing."""
    words = visible(re.sub(_LAYOUT, " ", text).strip(" ")).split(" ")
    return re.sub(_BLOCK, _no_block, " ".join(map(_word, words)))


def _word(word: str) -> str:
    return markdown_code(word) if re.search(_ACTIVE, word) else re.sub(_MARKUP, r"\\\g<0>", word)


def _no_block(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def markdown_code(text: str) -> str:
    """A code span; backticks inside it do not end it."""
    shown = visible(text)
    fence = "`" * (_longest_run(shown) + 1)
    padding = " " if not shown or "`" in (shown[0], shown[-1]) or shown[0] == shown[-1] == " " else ""
    return f"{fence}{padding}{shown}{padding}{fence}"


def markdown_row(*cells: str) -> str:
    """The row of a table, from cells that are Markdown already."""
    return f"| {' | '.join(cell.replace('|', _PIPE) for cell in cells)} |"


def markdown_block(lines: Iterable[str]) -> str:
    """A block of code, line by line."""
    shown = [visible(line) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return "\n".join((fence, *shown, fence))


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


# --- pages, charts, SARIF ---------------------------------------------------------------------


def html(text: str) -> str:
    """Text between tags, or in the quotes of an attribute."""
    from html import escape

    return escape(visible(text))


def page_data(data: Any) -> Any:
    """The data of a page, whose script shows strings as text; line ends and tabs are for the page's style to show."""
    if isinstance(data, str):
        return visible_but(data, "\n\t")
    if isinstance(data, Mapping):
        return {page_data(key): page_data(value) for key, value in data.items()}
    return [page_data(item) for item in data] if isinstance(data, (list, tuple)) else data


def mermaid(text: str) -> str:
    """Text in the quotes of a Mermaid chart."""
    return re.sub(r'["<>#&`]', lambda match: f"#{ord(match[0])};", visible(text))


def sarif(text: str) -> str:
    """The text of a SARIF message, where ``[text](target)`` would be a link."""
    return re.sub(r"\[(?=[^\[\]]*\]\()", r"\\[", visible(text))
