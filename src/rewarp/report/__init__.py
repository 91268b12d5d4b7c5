"""Views of a scan: terminal, JSON, SARIF, Markdown, HTML. No view knows more than another."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp import plugins

COMMENT_LIMIT = 60_000
"""GitHub takes comments of at most 65,536 characters."""


def plugins_line() -> str:
    """Whose rules took part besides rewarp's own; empty where nobody's did."""
    found = plugins.names(plugins.RULES)
    return f"With rules of {', '.join(found)}, which are not rewarp's own." if found else ""


def duration(minutes: float) -> str:
    """Minutes as a person would say them, working days of eight hours."""
    if minutes < 1:
        return "no work"
    if minutes < 90:
        return f"{max(5, round(minutes / 5) * 5)} minutes"
    hours = minutes / 60
    if hours < 16:
        return f"{round(hours)} hours"
    days = hours / 8
    return f"{round(days)} days" if days < 100 else f"{round(days / 10) * 10} days"


def effort_text(low: float, high: float) -> str:
    """A range of work: "2 to 9 hours"."""
    if high < 1:
        return "no work"
    first, second = duration(low), duration(high)
    if first == second:
        return first
    if first.split()[-1] == second.split()[-1]:
        first = first.split()[0]
    return f"{first} to {second}"


def fitted(parts: Iterable[str], whole: str, limit: int = COMMENT_LIMIT) -> str:
    """Parts of a comment, as many as fit one; none is cut in two, so that no fence or fold stays open."""
    text = ""
    for part in parts:
        if len(text) + len(part) >= limit:
            return f"{text}\n… cut to fit a comment: {whole} has everything.\n"
        text += f"{part}\n"
    return text
