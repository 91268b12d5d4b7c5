"""Views of a scan: terminal, JSON, SARIF, Markdown, HTML. No view knows more than another."""

from __future__ import annotations


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
