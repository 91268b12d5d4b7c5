"""What a line says of an epoch: which one, that it begins, how long it took, after how many iterations."""

from __future__ import annotations

import re

EPOCH = re.compile(
    rb"(?i)(?<![a-z_])ep(?:och(?:s|_num)?)?[\"']?\s*[:=#]?\s*\[?\s*(?P<epoch>\d+)\b(?!\.\d|%)(?:\s*(?:/|of)\s*(?P<of>\d+))?"
)
_TIME_NAME = rb"(?i)(?<![a-z_])(?:(?:epoch[_ ])?time(?:[_ ](?:taken|elapsed|cost|spent|used))?|took|elapsed|duration|cost)[\"']?\s*"
_TIME = re.compile(
    _TIME_NAME
    + rb"(?:\((?P<before>s|sec|seconds|min)\))?\s*[:=]?\s*"
    + rb"(?P<time>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|sec|secs|seconds|m|min|mins|minutes)?(?![\w:.%]| ?\d)"
)
_LONG_TIME = re.compile(
    _TIME_NAME
    + rb"[:=]?\s*(?:(?P<h>\d+) ?h(?:ours?)?,? ?)?(?P<m>\d+) ?m(?:in(?:ute)?s?)?,? ?(?P<s>\d+(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?\b"
)
"""`Epoch Time: 0m 10s`."""
EPOCH_TOOK = re.compile(
    rb"(?i)(?<![a-z])(?:epoch time|(?:this|the|training) epoch took|time for (?:this )?epoch)(?![a-z])"
)
"""What says, in a line of its own, how long the epoch took."""
ALONE = re.compile(rb"^ {0,3}- (\d+)s(?: [\d.]+(?:us|ms|s)/\w+)? - (?=\w)")
"""Keras without its bar: ` - 12s - loss: 0.3422`."""
_IN_BRACKETS = re.compile(rb"\[(?P<time>\d+(?:\.\d+)?) ?(?P<unit>s|sec|min)\]")
"""`Epoch 3/100 [38.7s]`."""
_UNITS = {b"ms": 1e-3, b"s": 1.0, b"sec": 1.0, b"secs": 1.0, b"seconds": 1.0, b"m": 60.0, b"min": 60.0}
_UNITS |= {b"mins": 60.0, b"minutes": 60.0}
_STAMPS = re.compile(
    rb"^[IWEF]\d{4} +\d\d:\d\d:\d\d\.\d+ +\d+ |\d{4}[-/]\d\d?[-/]\d\d?[ T_]*|\d\d[-/]\d\d[-/]\d{2,4}[ T]*|\d+:\d\d(?::\d\d)?(?:[.,]\d+)?|\b[\w.]+\.py:\d+"
)
_HEAD = re.compile(rb"(?i)(?<![a-z])epoch\W{0,3}(?P<epoch>\d+)(?: {0,2}(?:/|of) {0,2}(?P<of>\d+))?[^a-z\d]{0,120}$")
"""The end of a line that says nothing but which epoch begins."""
_WORDS = re.compile(rb"\w+")
_PREFIX = 80
_MOST_WORDS = 5
"""What a logger may put before it."""
_ITERATIONS = re.compile(
    rb"(?i)(?<![a-z])(?:iter(?:ation)?s?|(?:global[_ ])?steps?)[\s:=#\[(]{1,4}(\d+)(?![\d.]*\d|\s*/|\s*(?:s|ms|sec|min)\b)"
)


def without_stamps(line: bytes) -> bytes:
    """The line with blanks in place of dates, times of day and places in sources."""
    return _STAMPS.sub(lambda found: b" " * len(found[0]), line)


def begun(line: bytes) -> re.Match[bytes] | None:
    """Of a line without stamps: the epoch that it says to begin, where it says nothing else."""
    found = _HEAD.search(line) if len(line) < 2 * _PREFIX and b"poch" in line.lower() else None
    if found is None or found.start() > _PREFIX or len(_WORDS.findall(line, 0, found.start())) > _MOST_WORDS:
        return None
    return found


def named_epoch(line: bytes) -> int | None:
    """Of a line without stamps: the epoch that it names."""
    found = EPOCH.search(line) if b"poch" in line.lower() else None
    return int(found["epoch"]) if found is not None else None


def time_taken(line: bytes, at: int) -> float | None:
    """What an epoch took, where its unit is said."""
    if (long := _LONG_TIME.search(line)) is not None:
        return 3600 * float(long["h"] or 0) + 60 * float(long["m"]) + float(long["s"])
    if (time := _TIME.search(line)) and (unit := time["unit"] or time["before"]):
        return float(time["time"]) * _UNITS[unit.lower()]
    if time := _IN_BRACKETS.search(line, at):
        return float(time["time"]) * _UNITS[time["unit"]]
    return None


def iterations(line: bytes) -> int | None:
    """After how many iterations of the run the line was printed."""
    found = _ITERATIONS.search(line)
    return int(found[1]) if found is not None else None
