"""What the machine saw, in the words of every report."""

from __future__ import annotations

from rewarp.findings import Finding, Severity
from rewarp.machine.assembly import Place
from rewarp.machine.watch import FIXES, Kind, finding_at
from rewarp.run.results import NO_ROOM, Alarm

FAULTS = {
    "out-of-bounds": ("RUN-001", Severity.CRASH, "keep the index inside of what was allocated"),
    "trap": ("RUN-002", Severity.CRASH, "look at what the assertion asks for"),
    "endless": ("RUN-003", Severity.CRASH, "look at what the loop waits for"),
    NO_ROOM: ("RUN-004", Severity.INFO, "give the machine more memory, or the program less to do"),
    "deadlock": (
        "RUN-304",
        Severity.CRASH,
        "look at what the loop waits for: whoever would change it has ended, or waits",
    ),
}
_UNKNOWN = ("RUN-000", Severity.WRONG, "look at the line")


def finding(alarm: Alarm) -> Finding:
    """With kernel, source line, workgroup, wave and lane; the other side of a race in the message."""
    kind = Kind.__members__.get(alarm.what.upper().replace("-", "_"))
    rule, severity, fix = (kind.rule, kind.severity, FIXES[kind]) if kind else FAULTS.get(alarm.what, _UNKNOWN)
    place = Place(alarm.file, alarm.line)
    return finding_at(place, rule, severity, message=_message(alarm), fix=fix, kernel=alarm.kernel)


def _message(alarm: Alarm) -> str:
    who = f"workgroup {tuple(alarm.group)}, wave {alarm.wave}, lane {alarm.lane}: {alarm.instruction}"
    text = f"{alarm.text}; {who}" + (f"; {alarm.count:,} times" if alarm.count > 1 else "")
    if not alarm.other:
        return text
    other = alarm.other
    where = f"{other['file']}:{other['line']}" if other.get("file") else "an unknown line"
    return f"{text}; the other side {other.get('does', '')} at {where}, workgroup {tuple(other['group'])}, wave {other['wave']}"
