"""What two programs print, compared: words exactly, numbers within a tolerance."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewarp.errors import UsageError
from rewarp.verdict import plural
from rewarp.verify.checks import Outcome

Compared = tuple[Outcome, str, dict[str, Any]]

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?![\w]|\.\d)", re.IGNORECASE
)
_WHOLE = re.compile(r"[-+]?\d+")
_SHOWN = 5


@dataclass(frozen=True)
class TextRules:
    """How exact text must agree. What matches an ignored pattern (times, dates, device names) is cut out first."""

    rtol: float | None = None
    atol: float | None = None
    ignored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in self.ignored:
            try:
                re.compile(pattern)
            except re.error as error:
                raise UsageError(f"--ignore {pattern}: {error}") from None
        if any(number is not None and not 0 <= number < math.inf for number in (self.rtol, self.atol)):
            raise UsageError("tolerances must be 0 or above")

    @property
    def given(self) -> Mapping[str, float]:
        """The tolerances that were asked for."""
        pairs = {"rtol": self.rtol, "atol": self.atol}
        return {name: number for name, number in pairs.items() if number is not None}

    def lines(self, data: bytes) -> list[str]:
        text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
        for pattern in self.ignored:
            text = re.sub(pattern, "", text, flags=re.MULTILINE)
        return [line.rstrip() for line in text.rstrip().split("\n")]


def compare_bytes(golden: bytes, actual: bytes) -> Compared:
    if golden == actual:
        return Outcome.PASSED, f"the same {len(golden):,} bytes", {}
    if len(golden) != len(actual):
        return Outcome.FAILED, f"{len(actual):,} bytes, and {len(golden):,} in the first run", {}
    place = next(place for place, (one, other) in enumerate(zip(golden, actual)) if one != other)
    return Outcome.FAILED, f"the bytes differ from place {place:,} on", {"place": place}


def compare_text(golden: bytes, actual: bytes, rules: TextRules) -> Compared:
    ours, theirs = rules.lines(actual), rules.lines(golden)
    differing = [place for place, (one, other) in enumerate(zip(theirs, ours), 1) if one != other]
    return _verdict(theirs, ours, differing, f"the same, {plural(len(theirs), 'line')}", {})


def compare_numbers_in_text(golden: bytes, actual: bytes, rules: TextRules) -> Compared:
    """Line by line: between the numbers the same text, and the numbers alike."""
    if b"\0" in golden or b"\0" in actual:
        return compare_bytes(golden, actual)
    ours, theirs = rules.lines(actual), rules.lines(golden)
    tally = _Tally(rules)
    differing = [place for place, (one, other) in enumerate(zip(theirs, ours), 1) if not tally.alike(one, other)]
    words = f"{plural(len(theirs), 'line')}, {plural(tally.numbers, 'number')}"
    if tally.worst > 0:
        words += f", the largest difference {tally.worst:.3g} of the number"
    if tally.last_digit:
        words += f"; {tally.last_digit:,} differ by one in the last printed digit"
    evidence = {
        "lines": len(theirs),
        "numbers": tally.numbers,
        "max_rel": tally.worst,
        "last_digit": tally.last_digit,
        "tolerance": {"atol": tally.atol, "rtol": tally.rtol},
    }
    return _verdict(theirs, ours, differing, words, evidence)


def _verdict(
    golden: list[str], actual: list[str], differing: list[int], words: str, evidence: dict[str, Any]
) -> Compared:
    if len(golden) != len(actual):
        evidence = {**evidence, "lines": [len(golden), len(actual)]}
    elif not differing:
        return Outcome.PASSED, words, evidence
    place = differing[0] if differing else min(len(golden), len(actual)) + 1
    one = golden[place - 1] if place <= len(golden) else None
    other = actual[place - 1] if place <= len(actual) else None
    evidence = {
        **evidence,
        "differing_lines": differing[:_SHOWN],
        "first": {"golden": _plain(one), "actual": _plain(other)},
    }
    count = f"different: {plural(len(differing), 'line')}; " if differing else ""
    if len(golden) != len(actual):
        count += f"{len(actual):,} lines, and {len(golden):,} in the first run; "
    return Outcome.FAILED, f"{count}line {place}: {_quoted(other)}, and in the first run {_quoted(one)}", evidence


def _plain(line: str | None) -> str | None:
    """Bytes that are no text are shown, not lost."""
    return None if line is None else line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")[:500]


def _quoted(line: str | None) -> str:
    text = _plain(line)
    return "nothing" if text is None else f"`{text[:100]}`"


class _Tally:
    """Counts numbers while lines are compared."""

    def __init__(self, rules: TextRules) -> None:
        self.rtol = 1e-5 if rules.rtol is None else rules.rtol
        self.atol = 1e-8 if rules.atol is None else rules.atol
        self.numbers = 0
        self.last_digit = 0
        self.worst = 0.0

    def alike(self, golden: str, actual: str) -> bool:
        one, other = _NUMBER.findall(golden), _NUMBER.findall(actual)
        if [part.split() for part in _NUMBER.split(golden)] != [part.split() for part in _NUMBER.split(actual)]:
            return False
        self.numbers += len(one)
        return len(one) == len(other) and all(self._close(first, second) for first, second in zip(one, other))

    def _close(self, golden: str, actual: str) -> bool:
        if golden == actual:
            return True
        if (_WHOLE.fullmatch(golden) and _WHOLE.fullmatch(actual)) or "x" in (golden + actual).lower():
            return _same_whole(golden, actual)
        one, other = float(golden), float(actual)
        if not (math.isfinite(one) and math.isfinite(other)):
            # Digits that read as infinite are too large to be told apart here, and are not taken for the same.
            spelled_out = not re.search(r"\d", golden + actual)
            return spelled_out and (one == other or (math.isnan(one) and math.isnan(other)))
        distance = abs(one - other)
        if distance <= self.atol + self.rtol * abs(one):
            self.worst = max(self.worst, distance / abs(one)) if one else self.worst
            return True
        # Rounding may tip the last printed digit, however close the numbers themselves are.
        if distance <= 1.001 * max(_last_place(golden), _last_place(actual)):
            self.last_digit += 1
            return True
        return False


def _same_whole(golden: str, actual: str) -> bool:
    """`007` is `7`, and `0x1F` is `0x1f`; but `16` is not `0x10`: something else was printed."""
    return _stripped(golden) == _stripped(actual)


def _stripped(number: str) -> tuple[bool, str]:
    digits = number.lower().lstrip("+-").removeprefix("0x").lstrip("0")
    return number.startswith("-") and bool(digits), ("x" if "x" in number.lower() else "") + digits


def _last_place(number: str) -> float:
    """The size of one in the last printed digit; 0 for a whole number, whose digits are all meant."""
    digits, _, exponent = number.lower().partition("e")
    _, point, fraction = digits.partition(".")
    if not point and not exponent:
        return 0.0
    return float(10.0 ** (int(exponent or 0) - len(fraction)))
