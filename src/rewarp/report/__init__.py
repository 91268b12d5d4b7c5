"""Views of a scan: terminal, JSON, SARIF, Markdown, HTML. No view knows more than another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rewarp import plugins

if TYPE_CHECKING:
    from rewarp.verdict import Verdict, Work

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


def amount(lines: float) -> str:
    """Lines as exactly as they can be told: "1,400"."""
    digits = len(f"{lines:.0f}")
    return f"{round(lines, 2 - digits) if digits > 2 else round(lines):,.0f}"


def work_text(work: Work) -> str:
    """ "about 140 lines in 2 files"."""
    from rewarp.verdict import plural  # late: a translation has a view, and no verdict to wait for

    return f"about {amount(work.lines)} lines in {plural(work.files, 'file')}" if work.files else "nothing"


def hours_text(work: Work) -> str:
    """What lines come to in time, derived and labelled so where it is shown; a range as wide as the median error."""
    from rewarp.verdict import MEDIAN_ERROR, minutes  # late, too

    return effort_text(minutes(work) / MEDIAN_ERROR, minutes(work) * MEDIAN_ERROR)


def effort_sentences(verdict: Verdict) -> tuple[str, ...]:
    """The work that is left: lines and files first, then what is derived from them."""
    from rewarp.verdict import MEDIAN_ERROR, Conclusion, plural  # late, too

    if verdict.conclusion is Conclusion.UNKNOWN:
        return ("Effort: cannot be told.",)
    if not verdict.left.files:
        automatic = f"; it changes {plural(verdict.whole.files, 'file')}" if verdict.whole.files else ""
        return (f"Effort: nothing is left to write by hand after `rewarp port`{automatic}.",)
    low, high = verdict.left.lines / MEDIAN_ERROR, verdict.left.lines * MEDIAN_ERROR
    is_there = verdict.conclusion is Conclusion.SUPPORTS
    start = "Effort: none to get there; what is still open is" if is_there else "Effort: after `rewarp port`"
    anew = len({path for _, path in verdict.rewrite})
    parts = (
        f"{plural(anew, 'file')} with parts to write anew {'counts' if anew == 1 else 'count'} like the others: most ports "
        "left such parts out, and writing them takes more."
    )
    return (
        f"{start} {work_text(verdict.left)}, {amount(low)} to {amount(high)} by the median error of ports set aside; "
        f"{amount(verdict.whole.lines)} without it.",
        *([parts] if anew else []),
        f"Derived from lines, not measured: {hours_text(verdict.left)}.",
    )


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
