"""What was seen where a launch was watched: alarms with kernel, line, lane, wave and, for races, both sides."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Finding, Phase, Severity
from rewarp.machine.assembly import Instruction, Place

Axes = tuple[int, int, int]
_NO_OTHER = 0xFFFFFFFF
_WRITES, _ATOMIC, _OTHER_WROTE, _OTHER_ATOMIC = 1, 2, 4, 8


class Seen(ctypes.Structure):
    """As ``core/machine.h`` has it."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("how", ctypes.c_uint32),
        ("op", ctypes.c_uint32),
        ("other_op", ctypes.c_uint32),
        ("group", ctypes.c_uint32 * 3),
        ("other_group", ctypes.c_uint32 * 3),
        ("wave", ctypes.c_uint32),
        ("other_wave", ctypes.c_uint32),
        ("lane", ctypes.c_uint32),
        ("range", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
        ("count", ctypes.c_uint64),
    )


class Kind(Enum):
    """What can be seen, in the order of ``core/machine.h``."""

    UNKNOWN_ADDRESS = ("RUN-101", Severity.CRASH, "an address is made of something that nobody wrote")
    UNKNOWN_BRANCH = ("RUN-102", Severity.WRONG, "which way to go depends on something that nobody wrote")
    UNKNOWN_STORE = ("RUN-103", Severity.WRONG, "something that nobody wrote is stored")
    LDS_RACE = ("RUN-201", Severity.WRONG, "a race in shared memory")
    GROUP_RACE = ("RUN-202", Severity.WRONG, "a race in global memory within a workgroup")
    GRID_RACE = ("RUN-203", Severity.WRONG, "a race in global memory between workgroups")
    DIVERGED_BARRIER = ("RUN-301", Severity.WRONG, "a barrier that some lanes of the wave passed by")
    OTHER_BARRIER = ("RUN-302", Severity.WRONG, "waves of a workgroup wait at different barriers")
    ENDED_BARRIER = ("RUN-303", Severity.INFO, "a barrier after waves of the workgroup have ended")
    DEADLOCK = ("RUN-304", Severity.CRASH, "waves wait for ever")
    BEYOND_END = ("RUN-104", Severity.WRONG, "a read beyond the end of its memory, where a card does not fault")
    MISALIGNED = ("RUN-105", Severity.WRONG, "an address whose last bits a card leaves out")

    @property
    def rule(self) -> str:
        return self.value[0]

    @property
    def severity(self) -> Severity:
        return self.value[1]

    @property
    def title(self) -> str:
        return self.value[2]


_KINDS = tuple(Kind)
FIXES = {
    Kind.UNKNOWN_ADDRESS: "give the value that the address is made of before it is used",
    Kind.UNKNOWN_BRANCH: "give the value that the condition looks at before it is used",
    Kind.UNKNOWN_STORE: "give the value before it is stored",
    Kind.LDS_RACE: "put __syncthreads() between the two, or make both atomic",
    Kind.GROUP_RACE: "put __syncthreads() between the two, or make both atomic",
    Kind.GRID_RACE: "release with __threadfence() and an atomic, end the kernel between the two, or make both atomic",
    Kind.DIVERGED_BARRIER: "move the barrier to where all threads of the block come by",
    Kind.OTHER_BARRIER: "let all threads of the block come to the same barrier",
    Kind.ENDED_BARRIER: "AMD does not wait for waves that have ended; CUDA asks that all threads come to a barrier",
    Kind.DEADLOCK: "look at what the loop waits for: whoever would change it has ended, or waits as well",
    Kind.BEYOND_END: "keep the index inside of what was allocated: a card reads what happens to lie there",
    Kind.MISALIGNED: "align the pointer to the type that is read through it, or copy with memcpy",
}


@dataclass(frozen=True)
class Side:
    """One access, or one wait: who, and where in the code."""

    does: str
    instruction: str
    place: Place | None
    group: Axes
    wave: int

    def __str__(self) -> str:
        where = f" at {self.place.file}:{self.place.line}" if self.place else ""
        return f"workgroup {self.group}, wave {self.wave} {self.does}{where}: {self.instruction}"


@dataclass(frozen=True)
class Alarm:
    """What was seen at an instruction, or at a pair of them."""

    kind: Kind
    kernel: str
    side: Side
    other: Side | None
    lane: int
    memory: str
    """What the memory is called that was touched; empty where none was."""
    offset: int
    size: int
    count: int
    """How often; the rest tells of the first time."""

    def __str__(self) -> str:
        lines = [f"{self.kernel}: {self.title}, {self.count} times; lane {self.lane}", f"  {self.side}"]
        return "\n".join(lines + [f"  {self.other}"] * bool(self.other))

    @property
    def title(self) -> str:
        """What it is, and where in memory."""
        where = f" ({self.size} bytes at {self.offset} of {self.memory})" if self.memory else ""
        return f"{self.kind.title}{where}"

    def finding(self) -> Finding:
        """In the words of every report."""
        place = self.side.place or Place("", 0)
        return finding_at(
            place, self.kind.rule, self.kind.severity, message=str(self), fix=FIXES[self.kind], kernel=self.kernel
        )


def finding_at(place: Place, rule: str, severity: Severity, *, message: str, fix: str, kernel: str) -> Finding:
    """What was seen at a line of the source; where none is known, at the first of no file."""
    line = max(place.line, 1)
    start, end, snippet = _line(place.file, line)
    return Finding(
        rule=rule,
        path=place.file,
        start=start,
        end=end,
        line=line,
        column=1,
        end_line=line,
        end_column=max(len(snippet), 1),
        severity=severity,
        phase=Phase.VERIFICATION,
        effort=Effort.HOURS,
        safety=Safety.NONE,
        message=message,
        fix=fix,
        symbol=kernel,
        snippet=snippet.strip(),
    )


def _line(path: str, line: int) -> tuple[int, int, str]:
    """Where a line of a source is, and its text; nothing of it where the source is not there."""
    try:
        lines = Path(path).read_bytes().splitlines(keepends=True)
    except OSError:
        return 0, 0, ""
    if not 0 < line <= len(lines):
        return 0, 0, ""
    start = sum(map(len, lines[: line - 1]))
    return start, start + len(lines[line - 1]), lines[line - 1].decode("utf-8", "replace").rstrip("\n")


@dataclass
class Watch:
    """Collects alarms of any number of launches."""

    alarms: list[Alarm] = field(default_factory=list)
    forgotten: int = 0
    """Further alarms for which there was no room in a launch."""

    def add(
        self,
        instructions: Sequence[Instruction],
        kernel: str,
        names: Sequence[str],
        seen: Sequence[Seen],
        forgotten: int,
    ) -> None:
        """What one launch brought."""
        self.forgotten += forgotten
        for one in seen:
            self.alarms.append(_alarm(instructions, kernel, names, one))

    @property
    def kinds(self) -> set[Kind]:
        return {alarm.kind for alarm in self.alarms}


_DOES = {
    Kind.UNKNOWN_ADDRESS: "reaches memory",
    Kind.UNKNOWN_BRANCH: "chooses",
    Kind.UNKNOWN_STORE: "stores",
    Kind.DIVERGED_BARRIER: "waits",
    Kind.OTHER_BARRIER: "waits",
    Kind.ENDED_BARRIER: "waits",
    Kind.DEADLOCK: "turns",
    Kind.BEYOND_END: "reads what is nobody's",
    Kind.MISALIGNED: "reads",
}


def _alarm(instructions: Sequence[Instruction], kernel: str, names: Sequence[str], one: Seen) -> Alarm:
    def side(op: int, does: str, group: Sequence[int], wave: int) -> Side:
        at = instructions[min(op, len(instructions) - 1)]
        return Side(does, at.text.strip(), at.place, (group[0], group[1], group[2]), wave)

    kind = _KINDS[one.kind - 1]
    does, did = _deeds(kind, one.how)
    other = None
    if one.other_op != _NO_OTHER:
        group, wave = (one.group, one.wave) if kind is Kind.DIVERGED_BARRIER else (one.other_group, one.other_wave)
        other = side(one.other_op, did, group, wave)
    named = names[one.range] if one.range < len(names) else ""
    mine = side(one.op, does, one.group, one.wave)
    return Alarm(kind, kernel, mine, other, one.lane, _memory(kind, named), one.offset, one.size, one.count)


def from_record(record: Mapping[str, Any], original: Callable[[str, int], tuple[str, int]]) -> Alarm:
    """As the HIP runtime writes it down; ``original`` gives a place in the user's own files."""
    kind = _KINDS[int(record["seen"]) - 1]
    does, did = _deeds(kind, int(record["how"]))

    def side(said: Mapping[str, Any], deed: str) -> Side:
        place = Place(*original(str(said["file"]), int(said["line"]))) if said.get("line") else None
        group = tuple(int(number) for number in said["group"])
        return Side(deed, str(said["instruction"]), place, (group[0], group[1], group[2]), int(said["wave"]))

    other = side(record["other"], did) if record.get("other") else None
    memory = _memory(kind, str(record["memory"]))
    figures = (int(record[key]) for key in ("offset", "size", "count"))
    return Alarm(kind, str(record["kernel"]), side(record, does), other, int(record["lane"]), memory, *figures)


_RACES = (Kind.LDS_RACE, Kind.GROUP_RACE, Kind.GRID_RACE)
_IN_MEMORY = (Kind.UNKNOWN_ADDRESS, Kind.UNKNOWN_STORE, Kind.BEYOND_END, Kind.MISALIGNED)
_DID = {Kind.DIVERGED_BARRIER: "goes on with the others", Kind.ENDED_BARRIER: "ended", Kind.OTHER_BARRIER: "waits"}


def _deeds(kind: Kind, how: int) -> tuple[str, str]:
    """What one side does, and what the other one did."""
    if kind not in _RACES:
        return _DOES[kind], _DID.get(kind, "")
    does = f"{'writes' if how & _WRITES else 'reads'}{' atomically' if how & _ATOMIC else ''}"
    return does, f"{'wrote' if how & _OTHER_WROTE else 'read'}{' atomically' if how & _OTHER_ATOMIC else ''}"


def _memory(kind: Kind, named: str) -> str:
    if kind is Kind.LDS_RACE:
        return "shared memory"
    return named or "memory" if kind in (*_RACES, *_IN_MEMORY) else ""
