"""A program's processes while they run, read from /proc: their memory, their libraries, their device files."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rewarp.host import Backend

PROC = Path("/proc")
_LIBRARIES = {
    Backend.CUDA: re.compile(r"/(libcuda\.so[\w.]*|libcudart[\w.-]*\.so[\w.]*)$", re.MULTILINE),
    Backend.ROCM: re.compile(r"/(libamdhip64[\w.-]*\.so[\w.]*|libhsa-runtime64\.so[\w.]*)$", re.MULTILINE),
    Backend.GAUDI: re.compile(r"/(libSynapse\.so[\w.]*)$", re.MULTILINE),
    Backend.XPU: re.compile(r"/(libze_loader\.so[\w.]*|libze_intel_gpu\.so[\w.]*)$", re.MULTILINE),
}
_DEVICE_FILES = {
    Backend.CUDA: re.compile(r"/dev/(nvidia(\d+|-uvm)|dxg)$"),
    Backend.ROCM: re.compile(r"/dev/(kfd|dxg)$"),
    Backend.GAUDI: re.compile(r"/dev/(accel/accel\d+|hl\d+)$"),
}
"""Open, they show that a program reached the device, not that it gave it work (dxg is WSL's). Intel's GPUs share /dev/dri with every
display, so that there is none for them."""
_PROCESSES_LOOKED_INTO = 64


@dataclass
class Sightings:
    """What was seen, in all looks together."""

    looks: int = 0
    """Looks that found a process of the program alive and readable."""
    libraries: dict[Backend, set[str]] = field(default_factory=dict)
    files: dict[Backend, set[str]] = field(default_factory=dict)
    peak_bytes: int = 0
    """The most memory that all processes held together."""

    def of(self, backend: Backend) -> str:
        """In words; empty where nothing was seen."""
        parts = []
        if self.libraries.get(backend):
            parts.append(f"{', '.join(sorted(self.libraries[backend]))} was mapped")
        if self.files.get(backend):
            parts.append(f"{', '.join(sorted(self.files[backend]))} was open")
        return ", ".join(parts)


class ProcessTree:
    """All processes that came of one: by parent, by session, and by having been seen before."""

    def __init__(self, root: int) -> None:
        self._root = root
        self.sightings = Sightings()
        table = dict(_processes())
        self._known = {root: table[root][2]} if root in table else {}
        """Process and its start time: a number that was given to another process since is not ours."""

    def look(self) -> None:
        self.memory()
        readable = False
        for process in list(self._known)[:_PROCESSES_LOOKED_INTO]:
            readable |= self._look_into(process)
        self.sightings.looks += readable

    def memory(self) -> int:
        """What all of them hold now, without a look into them."""
        memory = sum(map(_resident, list(self._members())[:_PROCESSES_LOOKED_INTO]))
        self.sightings.peak_bytes = max(self.sightings.peak_bytes, memory)
        return memory

    def kill(self) -> int:
        """End all of them, the first one first, for it may start others; how many there were beside it."""
        ended: set[int] = set()
        for _ in range(5):
            left = self._members()
            for process in left:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            if not left:
                break
            ended.update(left)
        return len(ended - {self._root})

    def _members(self) -> dict[int, int]:
        """The processes that are alive, the oldest first."""
        table = dict(_processes())
        ours = {process: start for process, start in self._known.items() if table.get(process, (0, 0, 0))[2] == start}
        grew = True
        while grew:
            grew = False
            for process, (parent, session, start) in table.items():
                if process not in ours and (parent in ours or session == self._root):
                    ours[process] = start
                    grew = True
        self._known = dict(sorted(ours.items(), key=lambda item: item[1]))
        return self._known

    def _look_into(self, process: int) -> bool:
        folder = PROC / str(process)
        try:
            maps = (folder / "maps").read_text("utf-8", "replace")
            opened = [os.readlink(entry.path) for entry in os.scandir(folder / "fd") if entry.is_symlink()]
        except OSError:
            return False
        for backend, pattern in _LIBRARIES.items():
            self.sightings.libraries.setdefault(backend, set()).update(pattern.findall(maps))
        for backend, pattern in _DEVICE_FILES.items():
            self.sightings.files.setdefault(backend, set()).update(filter(pattern.match, opened))
        return bool(maps)


def _processes() -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Every living process: parent, session, start time."""
    for name in os.listdir(PROC) if PROC.is_dir() else ():
        if not name.isdigit():
            continue
        try:
            text = (PROC / name / "stat").read_text("utf-8", "replace")
        except OSError:
            continue
        # The name in brackets may hold anything, brackets and spaces too.
        rest = text.rpartition(")")[2].split()
        if len(rest) > 19 and rest[0] != "Z":
            yield int(name), (int(rest[1]), int(rest[3]), int(rest[19]))


def _resident(process: int) -> int:
    try:
        return int((PROC / str(process) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
