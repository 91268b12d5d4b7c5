"""Files: written whole or not at all; where those go that nobody asked for; which of a tree lie in a folder.

What is replaced lies in folders that a stranger may have filled: a name that can be guessed may be there already, as a
link to a file of the user's. So what is new is written under a name that nobody can know, made by us alone, and takes
its place in one step.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rewarp.errors import UsageError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_THERE = os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_SYSTEM = ("/dev", "/proc")
"""Folders whose links the system made: ``/dev/stdout`` leads where it says."""


def is_below(path: str, folder: str) -> bool:
    """Whether a path of a tree lies in a folder of it, or further down; all do in ``""``, the tree itself."""
    return not folder or path.startswith(folder + "/")


CACHE_VARIABLE = "REWARP_CACHE_DIR"


def cache_folder() -> Path:
    """Where rewarp keeps what it can make again."""
    explicit = os.environ.get(CACHE_VARIABLE)
    if explicit:
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "rewarp"


def refuse_links(root: Path, paths: Iterable[str]) -> None:
    """Raises UsageError for a path that is, or lies behind, a link, or leads out of ``root``: that is no part of the tree."""
    top = os.path.realpath(root)
    for path in paths:
        meant = os.path.normpath(os.path.join(top, path))
        if not is_below(meant, top.rstrip("/")):
            raise UsageError(f"{root / path} lies outside of {root}: it is not written to")
        if os.path.realpath(root / path) != meant:
            raise UsageError(f"{root / path} is, or lies behind, a symbolic link: it is not written to")


# --- one file -------------------------------------------------------------------------------


def write_whole(file: Path, text: str) -> None:
    """Replace a file in one step, so that nothing is ever left half written."""
    write_bytes(file, text.encode("utf-8", "backslashreplace"))


def write_bytes(file: Path, data: bytes) -> None:
    with replacing(file) as stream:
        stream.write(data)


@contextlib.contextmanager
def replacing(file: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """A stream whose content replaces the file when all went well; otherwise the file is as it was.

    A device, a pipe or ``/dev/stdout`` is written to, and stays what it is. A ``durable`` file is on the disk before its
    name is.
    """
    try:
        through = _open_stream(file)
        if through is not None:
            with os.fdopen(through, "wb") as stream:
                yield stream
            return
        temporary = temporary_name(file)
        try:
            with os.fdopen(_create(temporary, _mode_of(file)), "wb") as stream:
                yield stream
                if durable:
                    stream.flush()
                    os.fsync(stream.fileno())
            os.replace(temporary, file)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
    except BrokenPipeError:
        raise  # the reader went away, which is no error of the file's
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from None


def _open_stream(file: Path) -> int | None:
    """What is written to rather than replaced, opened; None for a plain file, and where there is none yet."""
    place, descriptor = _followed(file)
    if descriptor is not None:
        # Opened by its name a file would be begun anew; what was printed until now stays in front.
        sys.stdout.flush()
        return os.dup(descriptor)
    status = _status(place)
    if status is None or stat.S_ISREG(status.st_mode):
        return None
    if stat.S_ISLNK(status.st_mode):
        raise UsageError(f"cannot write {file}: it is a symbolic link; name the file that it leads to")
    if stat.S_ISDIR(status.st_mode):
        raise UsageError(f"cannot write {file}: it is a folder")
    if stat.S_ISBLK(status.st_mode):
        raise UsageError(f"cannot write {file}: it is a disk")
    return os.open(place, _THERE)


def is_stream(file: Path) -> bool:
    """Whether something is written to, rather than replaced: a pipe, a device, standard output by its name."""
    try:
        place, descriptor = _followed(file)
        mode = os.stat(place).st_mode
    except OSError:
        return False
    return descriptor is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _followed(file: Path) -> tuple[Path, int | None]:
    """Where the links that the system made lead; with the number, where that is one of our own open files."""
    while os.path.islink(file):
        folder = os.path.realpath(file.parent)
        if folder == f"/proc/{os.getpid()}/fd" and file.name.isdigit():
            return file, int(file.name)
        if not folder.startswith(_SYSTEM):
            break
        file = Path(folder, os.readlink(file))
    return file, None


def _status(file: Path) -> os.stat_result | None:
    try:
        return os.lstat(file)
    except FileNotFoundError:
        return None


def _mode_of(file: Path) -> int | None:
    """The permissions of a file; None where there is none yet."""
    status = _status(file)
    return None if status is None else stat.S_IMODE(status.st_mode)


def temporary_name(file: Path) -> Path:
    """Where what will replace a file is written: beside it, under a name that nobody can have put there."""
    return file.with_name(f".rewarp-{os.urandom(12).hex()}.tmp")


def _create(temporary: Path, mode: int | None) -> int:
    """A file that was not there, open for writing."""
    made = os.open(temporary, _NEW, 0o666)
    try:
        if mode is not None:
            os.fchmod(made, mode)
    except BaseException:
        os.close(made)
        raise
    return made


# --- many files -----------------------------------------------------------------------------


@dataclass(frozen=True)
class NewFile:
    """A file to be written."""

    file: Path
    data: bytes | None = None
    """What it will hold; None for a copy of ``origin``."""
    origin: Path | None = None
    """The file it comes from, whose permissions it gets."""

    def is_written(self) -> bool:
        """Whether the file is there already, just so."""
        try:
            if not stat.S_ISREG(os.lstat(self.file).st_mode):
                return False
            if self.data is None and self.origin is not None:
                import filecmp

                return filecmp.cmp(self.origin, self.file, shallow=False)
            return self.file.stat().st_size == len(self.data or b"") and self.file.read_bytes() == self.data
        except OSError:
            return False

    def write(self, stream: IO[bytes]) -> None:
        if self.data is None and self.origin is not None:
            import shutil

            with open(self.origin, "rb") as origin:
                shutil.copyfileobj(origin, stream)
        else:
            stream.write(self.data or b"")

    @property
    def mode(self) -> int | None:
        return _mode_of(self.origin or self.file)


def write_together(files: Iterable[NewFile], temporary_of: Callable[[Path], Path] = temporary_name) -> list[Path]:
    """Write many files: all of them, or none when one cannot be. Files that are there already, just so, keep
    their dates. Returns those that were written. Who must find again what a killed run left gives the temporary names."""
    staged: dict[Path, Path] = {}
    written: list[Path] = []
    current = Path()
    try:
        for new in files:
            if new.is_written():
                continue
            current = new.file
            current.parent.mkdir(parents=True, exist_ok=True)
            written.append(current)
            through = _open_stream(current)
            if through is not None:
                with os.fdopen(through, "wb") as stream:
                    new.write(stream)
                continue
            temporary = temporary_of(current)
            made = _create(temporary, new.mode)
            staged[current] = temporary
            with os.fdopen(made, "wb") as stream:
                new.write(stream)
        with _uninterrupted():
            for current, temporary in staged.items():
                os.replace(temporary, current)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {current}: {error.strerror or error}") from None
    finally:
        for temporary in staged.values():
            with contextlib.suppress(OSError):
                temporary.unlink()
    return written


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds Ctrl-C back for the moment in which the new files take their places."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A folder that goes away with the context, also where SIGTERM comes between its making and the note that it is to go."""
    import signal
    import tempfile

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        folder = tempfile.TemporaryDirectory(prefix=prefix)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with folder as name:
        yield Path(name)
