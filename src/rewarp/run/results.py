"""What is asked for, and what came of it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from rewarp.errors import RewarpError
from rewarp.findings import Finding
from rewarp.toolchain import Diagnostic
from rewarp.toolchain.header_libraries import Found

ON_MACHINE, ON_GPU, ON_ROCJITSU = "machine", "gpu", "rocjitsu"


class Step(str, Enum):
    """Where the way to a program can end."""

    TRANSLATION = "translation"
    DEVICE = "device code"
    HOST = "host code"
    LINK = "linking"


class NotBuilt(RewarpError):
    """A program that does not come to be: the step that failed, and what was said about it."""

    def __init__(
        self,
        step: Step,
        message: str,
        diagnostics: Sequence[Diagnostic] = (),
        findings: Sequence[Finding] = (),
        undefined: Sequence[str] = (),
    ) -> None:
        super().__init__(f"{step.value}: {message}")
        self.step = step
        self.reason = message
        self.diagnostics = tuple(diagnostics)
        self.findings = tuple(findings)
        """What translation left undone: most often the cause."""
        self.undefined = tuple(undefined)
        """Names that nothing defines, as the linker has them."""


@dataclass(frozen=True)
class Limits:
    seconds: float | None = None
    memory: int | None = None
    """Bytes: of the device's memory, and of the process's own."""


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Request:
    """A program and how to run it."""

    files: tuple[Path, ...]
    """Sources, or one executable that is ready."""
    arguments: tuple[str, ...] = ()
    arches: tuple[str, ...] = ("gfx942",)
    orders: int = 0
    """Runs under hostile schedules, besides the plain one."""
    includes: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()
    """For the compiler, as they are."""
    libraries: tuple[str, ...] = ()
    library_folders: tuple[Path, ...] = ()
    watch: bool = True
    cores: int | None = None
    limits: Limits = NO_LIMITS
    sandbox: bool = False
    where: str = ON_MACHINE
    keep: Path | None = None
    tolerance: float | None = None
    """For numbers in what several runs print; None: every byte counts."""


_OF_OTHERS = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGXCPU, signal.SIGXFSZ})


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int | None
    """Below zero: the signal; None: a limit or Ctrl-C ended it."""
    seconds: float
    timed_out: bool = False
    interrupted: bool = False
    stdout: bytes | None = None
    """Kept only where it is compared."""

    @property
    def by_others(self) -> bool:
        """Ended by a signal that programs do not send themselves: the kernel's for lack of memory, for instance."""
        return self.code is not None and -self.code in _OF_OTHERS

    @property
    def words(self) -> str:
        if self.timed_out:
            return f"stopped by the time limit after {self.seconds:.0f} s"
        if self.interrupted:
            return "interrupted"
        if self.code is not None and self.code < 0:
            try:
                name = signal.Signals(-self.code).name
            except ValueError:
                return f"ended by signal {-self.code}"
            if self.code == -signal.SIGXCPU:
                return f"ended by {name}: the processor time that it was given is used up"
            why = ", from outside (no memory left, for instance)" if self.by_others else ""
            return f"ended by {name}{why}"
        return f"exit status {self.code}"


@dataclass(frozen=True)
class Kernel:
    name: str
    launches: int
    seconds: float
    waves: int


NO_ROOM = "memory"


@dataclass(frozen=True)
class Alarm:
    """Something that the machine saw, and that a card would not forgive, or not tell."""

    what: str
    text: str
    kernel: str = ""
    file: str = ""
    line: int = 0
    instruction: str = ""
    group: tuple[int, ...] = ()
    wave: int | None = None
    lane: int | None = None
    other: dict[str, Any] | None = None
    """The other side of a race."""
    count: int = 1
    is_remark: bool = False
    """Worth knowing, and no mistake by itself."""


@dataclass(frozen=True)
class Records:
    """What the runtime noted of one run."""

    kernels: tuple[Kernel, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    unsupported: tuple[tuple[str, str], ...] = ()
    """Kernel and instruction."""
    host: tuple[tuple[str, str, int], ...] = ()
    """Library, function and calls that were computed on the host."""
    missing: tuple[str, ...] = ()
    """Functions that were called, and that the runtime does not have."""
    limits: tuple[str, ...] = ()
    """Of the card, that a launch did not keep: it came back with an error."""
    damaged: int = 0
    """Lines that could not be read: a process was killed while it wrote."""

    @property
    def no_room(self) -> str:
        """What this computer had no memory for; a card is another matter."""
        return next((alarm.text for alarm in self.alarms if alarm.what == NO_ROOM), "")


NOTHING_NOTED = Records()


@dataclass(frozen=True)
class Ran:
    """One run of the program."""

    arch: str
    order: int | None
    ended: Ended
    records: Records = NOTHING_NOTED
    has_kernels: bool = False
    """Whether it was compiled from sources with device code."""

    @property
    def idle(self) -> bool:
        """A program with kernels that ended well, and ran none of them: that says nothing about AMD."""
        return self.has_kernels and self.ended.code == 0 and not self.records.kernels

    @property
    def incomplete(self) -> bool:
        """Whether something that was asked for did not happen, through no fault of the program's."""
        ended = self.ended
        cut_short = ended.timed_out or ended.interrupted or ended.by_others or self.idle or self.records.no_room
        return bool(cut_short or self.records.unsupported or self.records.missing)

    @property
    def name(self) -> str:
        return self.arch if self.order is None else f"{self.arch}, order {self.order}"


@dataclass(frozen=True)
class Difference:
    """Where a run's output parts from the first one's."""

    first: str
    second: str
    words: str


@dataclass(frozen=True)
class ProgramResult:
    where: str
    watched: bool
    runs: tuple[Ran, ...]
    differences: tuple[Difference, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What translation left undone, and the program was built all the same."""
    notes: tuple[str, ...] = ()
    """What was done otherwise than asked for, such as OpenMP's pragmas left out."""
    toolchain: dict[str, Any] = field(default_factory=dict)
    header_libraries: tuple[Found, ...] = ()
    """Libraries that became part of the program's own kernels."""

    @property
    def exit_code(self) -> int:
        if self.differences or any(not alarm.is_remark for ran in self.runs for alarm in ran.records.alarms):
            return 1
        if any(ran.incomplete for ran in self.runs):
            return 3
        return 1 if any(ran.ended.code != 0 for ran in self.runs) else 0
