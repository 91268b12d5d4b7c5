"""Keeps what programs print, write and compute on their device, as runs that can be compared with others of the same programs."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rewarp import __version__
from rewarp.verify.programs import ProgramRun, recorded

MEMORY = "device memory"
_SOURCE = Path(__file__).parent / "device_memory.c"
_LARGEST = 65_536
"""Bytes of a file that is kept: what `recording_drive.py` keeps."""
_COMPILED = (".o", ".d")


@dataclass
class Recorder:
    """One folder for each program, with a recording of each set of arguments."""

    folder: Path
    _stamps: dict[Path, dict[str, tuple[int, int]]] = field(default_factory=dict)

    def environment(self, scratch: Path) -> dict[str, str]:
        """For a run: what it copies from its device, and leaves there, goes to a file."""
        return {"LD_PRELOAD": str(self.library()), "DEVICE_MEMORY": str(scratch / "memory")}

    def library(self) -> Path:
        made = (self.folder / "libdevice_memory.so").resolve()
        if not made.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            options = ["-shared", "-fPIC", "-O2", "-DHIP", str(_SOURCE), "-ldl", "-lpthread"]
            subprocess.run(["gcc", *options, "-o", str(made)], check=True)
        return made

    def before(self, place: Path) -> None:
        self._stamps[place] = stamps(place)

    def keep(
        self, name: str, arguments: Sequence[str], code: int | None, printed: bytes, place: Path, scratch: Path
    ) -> None:
        files: dict[str, bytes | None] = dict(written(place, self._stamps.get(place, {})))
        memory = scratch / "memory"
        if memory.is_file():
            files[MEMORY] = memory.read_bytes()
        ending = "out of time" if code is None else f"exit status {code}"
        run = ProgramRun(tuple(arguments), code, ending, 0.0, printed, "", files, "emulator", f"rewarp {__version__}")
        target = self.folder / name
        target.mkdir(parents=True, exist_ok=True)
        recorded.write(run, target / f"{' '.join(arguments).replace('/', '_')[:100] or 'none'}.zip")


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    files = (path for path in folder.iterdir() if path.is_file() and path.suffix not in _COMPILED)
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def written(folder: Path, before: Mapping[str, tuple[int, int]]) -> dict[str, bytes]:
    """Small files that are new, or were written anew."""
    fresh = (name for name, stamp in stamps(folder).items() if before.get(name) != stamp)
    return {name: (folder / name).read_bytes() for name in fresh if (folder / name).stat().st_size <= _LARGEST}


def kept(folder: Path, name: str) -> dict[tuple[str, ...], ProgramRun]:
    """The recordings of a program, by its arguments."""
    runs = (recorded.read(file) for file in sorted((folder / name).glob("*.zip")))
    return {run.command: run for run in runs}
