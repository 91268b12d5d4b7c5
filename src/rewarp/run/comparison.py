"""Several runs of one program: where do their outputs part?"""

from __future__ import annotations

from collections.abc import Sequence

from rewarp.run.results import Difference, Ran
from rewarp.verify.checks import Outcome
from rewarp.verify.programs.text import TextRules, compare_numbers_in_text, compare_text

_MEASURED = (
    r"[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?[ \t]*[(\[]?(?:[num\u00b5]?s|secs?|seconds?|milliseconds?|microseconds?|minutes?|[KMGT]i?B/s"
    r"|[KMGT]?FLOPS?|[KMGT]?FLOP/s|[KMG]?Hz)\b",
    r"(?i)^(?![^\n]{0,300}\btime[ _-]?steps?\b)[^\n]{0,300}\b(?:time|timing|elapsed|duration|bandwidth|throughput|[gt]flops|runtime|latency"
    r"|speed[- ]?up)\b[^\n]{0,300}$",
)
"""What no two runs have in common: figures with a unit of time or speed, and lines that say that they are about it."""


def differences(runs: Sequence[Ran], tolerance: float | None) -> tuple[Difference, ...]:
    """Each run against the first: how it ended, what it printed. A run that was cut short is not compared."""
    found: list[Difference] = []
    whole = [ran for ran in runs if not ran.incomplete]
    for ran in whole[1:]:
        words = _parting(whole[0], ran, tolerance)
        if words:
            found.append(Difference(whole[0].name, ran.name, words))
    return tuple(found)


def _parting(first: Ran, second: Ran, tolerance: float | None) -> str:
    if first.ended.code != second.ended.code:
        return f"{second.ended.words}, and in the first run {first.ended.words}"
    golden, actual = first.ended.stdout or b"", second.ended.stdout or b""
    if golden == actual:
        return ""
    if tolerance is None:
        outcome, words, _ = compare_text(golden, actual, TextRules(ignored=_MEASURED))
    else:
        outcome, words, _ = compare_numbers_in_text(golden, actual, TextRules(tolerance, tolerance, _MEASURED))
    return "" if outcome is Outcome.PASSED else words
