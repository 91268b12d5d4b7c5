"""What the runtime noted while the program ran: lines of JSON, one for each thing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rewarp.findings import Severity
from rewarp.machine.watch import Side, from_record
from rewarp.run.results import NO_ROOM, Alarm, Kernel, Records
from rewarp.toolchain.demangle import demangled

Place = Callable[[str, int], tuple[str, int]]


def read(file: Path, original: Place = lambda name, line: (name, line)) -> Records:
    """The records, with places in the user's own files. A line that is cut off is counted, not guessed."""
    try:
        lines = file.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return Records()
    found: dict[str, list[dict[str, Any]]] = {}
    damaged = 0
    for line in filter(str.strip, lines):
        try:
            record = json.loads(line)
            found.setdefault(str(record["kind"]), []).append(record)
        except (ValueError, KeyError, TypeError):
            damaged += 1
    return Records(
        _kernels(found.get("kernel", [])),
        _alarms(found.get("alarm", []), original),
        tuple(
            dict.fromkeys(
                (str(one.get("kernel", "")), str(one.get("instruction", ""))) for one in found.get("unsupported", [])
            )
        ),
        tuple(_host(found.get("host", []))),
        tuple(dict.fromkeys(str(record.get("function", "")) for record in found.get("missing", []))),
        tuple(dict.fromkeys(_limit(record) for record in found.get("limit", []))),
        damaged,
    )


def _limit(record: dict[str, Any]) -> str:
    mangled = str(record.get("kernel", ""))
    return str(record.get("text", "")).replace(mangled, demangled(mangled), 1)


def _kernels(records: list[dict[str, Any]]) -> tuple[Kernel, ...]:
    """Each kernel once: several processes may have launched it."""
    sums: dict[str, list[float]] = {}
    for record in records:
        one = sums.setdefault(str(record.get("name", "")), [0, 0.0, 0])
        for at, key in enumerate(("launches", "seconds", "waves")):
            one[at] += record.get(key) or 0
    return tuple(Kernel(name, int(launches), seconds, int(waves)) for name, (launches, seconds, waves) in sums.items())


def _alarms(records: list[dict[str, Any]], original: Place) -> tuple[Alarm, ...]:
    """In their order. A loop that the compiler unrolled has many instructions at one line: they are one alarm."""
    found: dict[object, Alarm] = {}
    for number, record in enumerate(records):
        alarm = _alarm(record, original)
        other = alarm.other or {}
        sides = (alarm.file, alarm.line, record.get("how"), other.get("file"), other.get("line"), other.get("does"))
        has_places = alarm.line and (not other or other.get("line"))
        key = (alarm.what, alarm.kernel, record.get("memory"), sides) if "seen" in record and has_places else number
        before = found.get(key)
        found[key] = replace(before, count=before.count + alarm.count) if before else alarm
    return tuple(found.values())


def _alarm(record: dict[str, Any], original: Place) -> Alarm:
    if "seen" in record:
        return _watched(record, original)
    file, line = str(record.get("file") or ""), int(record.get("line") or 0)
    if file and line:
        file, line = original(file, line)
    other = record.get("other")
    if isinstance(other, dict) and other.get("file") and other.get("line"):
        place = original(str(other["file"]), int(other["line"]))
        other = {**other, "file": place[0], "line": place[1]}
    return Alarm(
        what=str(record.get("what", "alarm")),
        text=str(record.get("text") or ""),
        kernel=str(record.get("kernel") or ""),
        file=file,
        line=line,
        instruction=str(record.get("instruction") or ""),
        group=tuple(record.get("group") or ()),
        wave=record.get("wave"),
        lane=record.get("lane"),
        other=other if isinstance(other, dict) else None,
        count=int(record.get("count") or 1),
        is_remark=record.get("what") == NO_ROOM,
    )


def _watched(record: dict[str, Any], original: Place) -> Alarm:
    """What those who watched saw: their words, in the shape of all alarms."""
    seen = from_record(record, original)
    side, other = seen.side, seen.other
    return Alarm(
        what=seen.kind.name.lower().replace("_", "-"),
        text=f"{seen.title}: {side.does}" if side.does else seen.title,
        kernel=seen.kernel,
        file=side.place.file if side.place else "",
        line=side.place.line if side.place else 0,
        instruction=side.instruction,
        group=side.group,
        wave=side.wave,
        lane=seen.lane,
        other=_side(other) if other else None,
        count=seen.count,
        is_remark=seen.kind.severity is Severity.INFO,
    )


def _side(side: Side) -> dict[str, Any]:
    place = {"file": side.place.file, "line": side.place.line} if side.place else {}
    return {**place, "does": side.does, "group": list(side.group), "wave": side.wave, "instruction": side.instruction}


def _host(records: list[dict[str, Any]]) -> Iterator[tuple[str, str, int]]:
    sums: dict[tuple[str, str], int] = {}
    for record in records:
        key = str(record.get("library", "")), str(record.get("function", ""))
        sums[key] = sums.get(key, 0) + int(record.get("calls") or 1)
    for (library, function), calls in sums.items():
        yield library, function, calls
