"""The folder of results.

``work/KEY.jsonl.gz``: what work on a commit brought, named after all that decides it: whoever does the same work again
finds it there, and writes the same. ``patches/KEY.patch``: its port. ``runs/RUN/``: one run, its ``run.json`` and, while
it lasts, the end of every repository in ``endings/``; at its end the three Parquet files that ``tables`` describes.
Everything takes its name in one step: what has a name is whole.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rewarp.errors import UsageError
from rewarp.files import replacing, write_whole
from rewarp.fleet.request import Ending, Repository

_MARK = "rewarp-fleet.json"
SCHEMA = "rewarp.fleet-store/1"


@dataclass
class Run:
    """One run, finished or not."""

    folder: Path
    digest: str
    """Of what was asked for: the same question goes on where it was stopped."""
    started: str
    about: dict[str, Any] = field(default_factory=dict)
    finished: str | None = None
    scratch: str | None = None
    """Where its clones are while it lasts."""

    @property
    def name(self) -> str:
        return self.folder.name

    def ending(self, number: int) -> Ending | None:
        """How a repository ended, by its place in the list; None where it has not."""
        with contextlib.suppress(FileNotFoundError):
            return Ending.of(json.loads((self.folder / "endings" / f"{number}.json").read_text(encoding="utf-8")))
        return None

    def write_ending(self, number: int, ending: Ending) -> None:
        write_whole(self.folder / "endings" / f"{number}.json", json.dumps(ending.data()))

    def write(self) -> None:
        kept = {"digest": self.digest, "started": self.started, "finished": self.finished, "scratch": self.scratch}
        write_whole(self.folder / "run.json", json.dumps({**kept, "about": self.about}, indent=1) + "\n")


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    # --- the folder itself --------------------------------------------------------------------

    def create(self) -> None:
        """Make the folder, unless it is there; one that holds something else is left alone."""
        if self.is_there():
            return
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise UsageError(f"{self.folder} holds something else than results of `rewarp fleet`")
        for name in ("work", "patches", "runs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / _MARK, json.dumps({"schema": SCHEMA}) + "\n")

    def is_there(self) -> bool:
        try:
            found = json.loads((self.folder / _MARK).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(found, dict) and found.get("schema") == SCHEMA

    def must_be_there(self) -> None:
        if not self.is_there():
            raise UsageError(f"{self.folder} holds no results of `rewarp fleet`")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """One run at a time."""
        with open(self.folder / _MARK, "rb") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"another `rewarp fleet` works in {self.folder}") from None
            yield

    # --- work -----------------------------------------------------------------------------------

    def has_part(self, key: str) -> bool:
        return self._part(key).is_file()

    def write_part(self, key: str, row: Mapping[str, Any], findings: Iterable[Mapping[str, Any]], patch: bytes) -> None:
        named = dict(row)
        if patch:
            named["patch"] = f"patches/{key}.patch"
            with replacing(self.folder / named["patch"]) as stream:
                stream.write(patch)
        with (
            replacing(self._part(key)) as stream,
            # Without a date and a name in it, the same work is the same file.
            gzip.GzipFile(filename="", mode="wb", compresslevel=3, fileobj=stream, mtime=0) as packed,
        ):
            for item in (named, *findings):
                packed.write(json.dumps(item, separators=(",", ":")).encode() + b"\n")

    def read_part(self, key: str) -> Iterator[dict[str, Any]]:
        """The row of a repository first, then its findings."""
        file = self._part(key)
        try:
            with gzip.open(file, "rb") as stream:
                for line in stream:
                    yield json.loads(line)
        except FileNotFoundError:
            raise UsageError(f"{file} is gone; run the same command again") from None
        except (OSError, ValueError, EOFError) as error:
            raise UsageError(f"{file} is damaged ({error}); remove it, and run the same command again") from None

    def _part(self, key: str) -> Path:
        return self.folder / "work" / f"{key}.jsonl.gz"

    # --- runs -----------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        """Every run, the oldest first."""
        found = []
        for file in sorted(self.folder.glob("runs/*/run.json")):
            try:
                data = json.loads(file.read_text(encoding="utf-8"))
                found.append(Run(file.parent, **data))
            except (OSError, ValueError, TypeError):
                raise UsageError(f"{file} is damaged; remove its folder") from None
        return found

    def finished(self) -> list[Run]:
        return [run for run in self.runs() if run.finished]

    def run(self, digest: str) -> tuple[Run, bool]:
        """The run of a question that was stopped, which goes on; otherwise a new one."""
        stopped = [run for run in self.runs() if not run.finished and run.digest == digest]
        if stopped:
            return stopped[-1], True
        now = datetime.now(timezone.utc)
        name = now.strftime("%Y-%m-%dT%H-%M-%S.%fZ")
        folder = self.folder / "runs" / name
        (folder / "endings").mkdir(parents=True)
        run = Run(folder, digest, now.isoformat())
        run.write()
        return run, False

    def rows(self, run: Run, repositories: Iterable[Repository]) -> Iterator[tuple[dict[str, Any], Ending]]:
        """What is known of every repository of a run."""
        for number, repository in enumerate(repositories):
            ending = run.ending(number)
            if ending is None:
                raise UsageError(f"{run.folder}: the end of {repository.name} is missing; run the same command again")
            row = {
                "run": run.name,
                "repository": repository.name,
                "source": repository.source,
                "revision": repository.revision,
                **ending.data(),
            }
            yield row, ending

    def drop_endings(self, run: Run) -> None:
        """A run that is told in its tables needs them no more."""
        shutil.rmtree(run.folder / "endings", ignore_errors=True)


def now() -> datetime:
    return datetime.now(timezone.utc)


def clean(folder: str | None) -> None:
    """What a killed run left behind, if it is a folder of ours."""
    if folder and os.path.basename(folder).startswith(SCRATCH) and not os.path.islink(folder):
        shutil.rmtree(folder, ignore_errors=True)


SCRATCH = "rewarp-fleet-"
