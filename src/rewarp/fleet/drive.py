"""A whole run: what was done before is not done again, what was stopped goes on, and in the end there are tables."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rewarp import __version__, plugins
from rewarp.errors import UsageError
from rewarp.fleet import children, cluster, parquet
from rewarp.fleet.request import Limits, Repository, Request, Wanted
from rewarp.fleet.store import SCRATCH, Run, Store, clean
from rewarp.fleet.work import check, code_digest

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Crew:
    """Who does the work."""

    jobs: int
    ray: str | None = None
    limits: Limits = field(default_factory=Limits)
    use_cache: bool = True

    @property
    def place(self) -> str:
        return f"Ray at {self.ray}" if self.ray else f"{self.jobs} processes"


def run_fleet(
    repositories: list[Repository],
    wanted: Wanted,
    store: Store,
    crew: Crew,
    progress: Progress = lambda done, total: None,
    resumed: Callable[[int], None] = lambda done: None,
) -> Run:
    """Look at all of them. A run that is killed goes on when the same is asked again; ``resumed`` hears how many are done."""
    if not repositories:
        raise UsageError("there is no repository to look at")
    parquet.need()
    check(wanted)
    store.create()
    with store.alone():
        run, goes_on = store.run(_digest(repositories, wanted, crew.use_cache))
        clean(run.scratch)
        options = {name: value for name, value in asdict(wanted).items() if name != "target"}
        about = {"rewarp": __version__, "code": code_digest(), "target": wanted.target, "place": crew.place}
        run.about = {**about, "options": {**options, "plugins": plugins.names(plugins.RULES)}}
        start = time.monotonic()
        left = [number for number in range(len(repositories)) if run.ending(number) is None]
        if goes_on:
            resumed(len(repositories) - len(left))
        done = len(repositories) - len(left)
        progress(done, len(repositories))
        requests = [
            (
                number,
                Request(
                    repositories[number],
                    wanted,
                    crew.limits,
                    str(store.folder.resolve()),
                    code_digest(),
                    crew.use_cache,
                ),
            )
            for number in left
        ]
        with _scratch(run) as scratch:
            endings = (
                cluster.look_after(requests, crew.ray)
                if crew.ray
                else children.look_after(requests, crew.jobs, scratch)
            )
            for number, ending in endings:
                run.write_ending(number, ending)
                done += 1
                progress(done, len(repositories))
        parquet.write_tables(store, run, repositories, time.monotonic() - start)
        return run


def _digest(repositories: list[Repository], wanted: Wanted, use_cache: bool) -> str:
    question = [[asdict(repository) for repository in repositories], asdict(wanted), code_digest(), use_cache]
    return hashlib.blake2b(json.dumps(question, sort_keys=True).encode(), digest_size=20).hexdigest()


@contextmanager
def _scratch(run: Run) -> Iterator[Path]:
    """Where clones are while they are looked at; a killed run says where, so that the next one can remove it."""
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as folder:
        run.scratch = folder
        run.write()
        yield Path(folder)
    run.scratch = None
