"""What the machine saw, in the words of every report."""

from __future__ import annotations

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Phase, Severity
from rewarp.machine.watch import FIXES, Kind, line_of
from rewarp.run.model import Alarm

_FAULTS = {
    "out-of-bounds": ("RUN-001", Severity.CRASH, "keep the index inside of what was allocated"),
    "trap": ("RUN-002", Severity.CRASH, "look at what the assertion asks for"),
    "endless": ("RUN-003", Severity.CRASH, "look at what the loop waits for"),
    "memory": ("RUN-004", Severity.INFO, "give the machine more memory, or the program less to do"),
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
    rule, severity, fix = (kind.rule, kind.severity, FIXES[kind]) if kind else _FAULTS.get(alarm.what, _UNKNOWN)
    start, end, snippet = line_of(alarm.file, alarm.line)
    return Finding(
        rule=rule,
        path=alarm.file,
        start=start,
        end=end,
        line=max(alarm.line, 1),
        column=1,
        end_line=max(alarm.line, 1),
        end_column=max(len(snippet), 1),
        severity=severity,
        phase=Phase.VERIFICATION,
        effort=Effort.HOURS,
        safety=Safety.NONE,
        message=_message(alarm),
        fix=fix,
        symbol=alarm.kernel,
        snippet=snippet.strip(),
    )


def _message(alarm: Alarm) -> str:
    who = f"workgroup {tuple(alarm.group)}, wave {alarm.wave}, lane {alarm.lane}: {alarm.instruction}"
    text = f"{alarm.text}; {who}" + (f"; {alarm.count:,} times" if alarm.count > 1 else "")
    if not alarm.other:
        return text
    other = alarm.other
    where = f"{other['file']}:{other['line']}" if other.get("file") else "an unknown line"
    return f"{text}; the other side {other.get('does', '')} at {where}, workgroup {tuple(other['group'])}, wave {other['wave']}"
