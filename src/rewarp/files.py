"""Files: written whole or not at all; where those go that nobody asked for; which of a tree lie in a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rewarp.errors import UsageError


def is_below(path: str, folder: str) -> bool:
    """Whether a path of a tree lies in a folder of it, or further down; all do in ``""``, the tree itself."""
    return not folder or path.startswith(folder + "/")


def cache_folder() -> Path:
    """Where rewarp keeps what it can make again."""
    explicit = os.environ.get("REWARP_CACHE_DIR")
    if explicit:
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "rewarp"


def write_whole(file: Path, text: str) -> None:
    """Replace a file in one step, so that nothing is ever left half written."""
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
        os.replace(temporary, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise UsageError(f"cannot write {file}: {error.strerror}") from None


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
            if self.data is None and self.origin is not None:
                import filecmp

                return filecmp.cmp(self.origin, self.file, shallow=False)
            return self.file.stat().st_size == len(self.data or b"") and self.file.read_bytes() == self.data
        except OSError:
            return False

    def stage(self, temporary: Path) -> None:
        import shutil

        if self.data is None and self.origin is not None:
            shutil.copyfile(self.origin, temporary)
        else:
            temporary.write_bytes(self.data or b"")
        if self.origin is not None:
            shutil.copymode(self.origin, temporary)


def write_together(files: Iterable[NewFile]) -> list[Path]:
    """Write many files: all of them, or none when one cannot be. Files that are there already, just so, keep
    their dates. Returns those that were written."""
    staged: dict[Path, Path] = {}
    current = Path()
    try:
        for new in files:
            if new.is_written():
                continue
            current = new.file
            if current.is_dir():
                raise UsageError(f"cannot write {current}: it is a folder")
            current.parent.mkdir(parents=True, exist_ok=True)
            temporary = current.with_name(f".rewarp-{os.getpid()}-{len(staged)}.tmp")
            staged[current] = temporary
            new.stage(temporary)
        with _uninterrupted():
            for current, temporary in staged.items():
                os.replace(temporary, current)
    except OSError as error:
        raise UsageError(f"cannot write {current}: {error.strerror}") from None
    finally:
        for temporary in staged.values():
            with contextlib.suppress(OSError):
                temporary.unlink()
    return list(staged)


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
