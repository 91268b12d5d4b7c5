"""Rich, for what comes from a repository: strings are text, never markup, and what is hidden in them is written out.

All views take these in place of Rich's own; nothing else makes text of a string.
"""

from __future__ import annotations

from typing import Any

import rich.console
import rich.text
from rich.style import Style

from rewarp.escape import visible

_BREAK = rich.text.Text("\n")
"""Rich's own: ours is one line."""


class Text(rich.text.Text):
    """One line of text."""

    def __init__(self, text: str = "", style: str | Style = "", **options: Any) -> None:
        super().__init__(visible(text), style, **options)

    @classmethod
    def assemble(cls, *parts: Any, **options: Any) -> Text:
        """Pieces, each alone or with its style; ``append`` sees every one."""
        text = super().assemble(*parts, **options)
        assert isinstance(text, Text)
        return text

    def append(self, text: rich.text.Text | str, style: str | Style | None = None) -> Text:
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self


def stacked(*lines: str) -> Text:
    """Lines below each other, in one cell."""
    text = Text()
    for number, line in enumerate(lines):
        text.append(_BREAK if number else "").append(line)
    return text


class Console(rich.console.Console):
    """Standard output, or another stream."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> rich.text.Text:
        """Plain strings: lines, cells, titles."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        """Rich's own ends the program as if there were findings; what the reader's leaving means is for `main` to say."""
        raise BrokenPipeError
