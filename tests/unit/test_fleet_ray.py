"""A fleet on a real Ray cluster of two nodes on this machine: workers write parts, and one that is killed duplicates nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet_parts import BLOCKED, CLEAN, commit, made, path_with, strange_git

from rewarp.errors import UsageError
from rewarp.fleet import cluster, work
from rewarp.fleet.drive import Crew, run_fleet
from rewarp.fleet.query import ask, open_tables
from rewarp.fleet.request import Limits, Request, Status, Wanted
from rewarp.fleet.store import Store

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ray")


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[str]:
    """Two nodes of one CPU each. Their git is one that waits, once, for repositories called ``waits``."""
    waiting = place / "waiting"
    script = f'case "$*" in *ls-remote*waits*) if mkdir {waiting} 2>/dev/null; then echo $$ > {waiting}/pid; sleep 1000; fi;; esac'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path_with(strange_git(place / "bin", script)))
        patch.setenv("REWARP_CACHE_DIR", str(place / "cache"))
        from ray.cluster_utils import Cluster

        node = {"num_cpus": 1, "object_store_memory": 80 << 20}
        started: Any = Cluster()
        patiently(lambda: started.add_node(**node, include_dashboard=False))
        patiently(lambda: started.add_node(**node))
        yield started.address
        started.shutdown()


def patiently(start: Callable[[], object]) -> None:
    """A node that takes more than 30 s has failed, for Ray; a busy machine is no defect."""
    for attempt in range(5):
        try:
            start()
        except Exception:
            if attempt == 4:
                raise
        else:
            return


def ray_worker_above(process: int) -> int:
    """The Ray worker that a process came of."""
    while process > 1:
        if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"ray::"):
            return process
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    raise AssertionError("no Ray worker")


def test_a_killed_worker_is_replaced_and_nothing_is_there_twice(address: str, place: Path) -> None:
    repositories = made(place / "all", one=BLOCKED, waits=BLOCKED, three=CLEAN)
    store = Store(place / "store")
    store.create()
    wanted, limits = Wanted(), Limits()
    requests = [
        (number, Request(repository, wanted, limits, str(store.folder), work.code_digest()))
        for number, repository in enumerate(repositories)
    ]
    endings = {}
    killed = 0
    for number, ending in cluster.look_after(requests, address):
        endings[number] = ending
        assert ending.status is Status.DONE, ending.reason
        # The first to end is not the one that waits: its worker is killed while it does.
        if not killed:
            while not (place / "waiting" / "pid").exists():
                time.sleep(0.1)
            time.sleep(0.5)
            killed = ray_worker_above(int((place / "waiting" / "pid").read_text()))
            os.kill(killed, signal.SIGKILL)
    assert {number: ending.status for number, ending in endings.items()} == dict.fromkeys(range(3), Status.DONE)
    # The same contents at the same time are the same commit, and so the same work.
    keys = {ending.key for ending in endings.values()}
    assert {part.name for part in (store.folder / "work").iterdir()} == {f"{key}.jsonl.gz" for key in keys}


def test_a_run_on_the_cluster_is_a_run_like_another(address: str, place: Path) -> None:
    repositories = made(place / "others", one=BLOCKED, two=CLEAN)
    commit(place / "others" / "one", {"more.py": "import tensorrt\n"})
    here, there = Store(place / "here"), Store(place / "there")
    run_fleet(repositories, Wanted(), here, Crew(1, use_cache=False))
    run_fleet(repositories, Wanted(), there, Crew(1, ray=address, use_cache=False))
    columns = "repository, status, commit, key, conclusion, findings, left_lines"
    found = []
    for store in (here, there):
        connection = open_tables(store)
        found.append(ask(connection, f"SELECT {columns} FROM repositories ORDER BY repository")[1])
        connection.close()
    assert found[0] == found[1]
    parts = [{part.name: part.read_bytes() for part in (store.folder / "work").iterdir()} for store in (here, there)]
    assert parts[0] == parts[1]


def test_a_cluster_that_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--ray"):
        list(cluster.look_after([], "127.0.0.1:1"))
