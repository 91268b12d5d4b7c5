"""A port that is killed at any point loses nothing: it can be finished, and it can be taken back."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from port_trees import contents, git, part, plain, ported, repository

from rewarp.errors import UsageError
from rewarp.port.writing.in_place import write_in_place
from rewarp.port.writing.journal import State, Status
from rewarp.port.writing.undo import finish, undo


@pytest.fixture(autouse=True)
def _words_are_no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files here hold words: that names in them are bound is asked elsewhere."""
    monkeypatch.setattr("rewarp.port.proving.well_formed.newly_unbound", lambda *_: ())


BEFORE = {"a.py": b"a\n", "b.sh": b"#!/bin/sh\n", "gone.txt": b"bye\n", "same.py": b"s\n"}
FIRST: dict[str, bytes | None] = {"a.py": b"halfway\n", "n/early.py": b"e\n"}
AFTER: dict[str, bytes | None] = {"a.py": b"A\n", "b.sh": b"#!/bin/bash\n", "gone.txt": None, "n/new.hip": b"new\n"}


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process loses nothing that it wrote; only a machine without power does."""
    monkeypatch.setattr(os, "fsync", lambda stream: None)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = repository(tmp_path / "r", BEFORE)
    (root / "b.sh").chmod(0o755)
    git(root, "commit", "-qam", "mode")
    return root


def writing(root: Path, wanted: dict[str, bytes | None]) -> Callable[[], object]:
    """The writing of a port without git: its state lies in the tree, where the tests see it too."""
    port = ported(root, part(wanted))
    return lambda: write_in_place(port, force=True)


def forced(root: Path, wanted: dict[str, bytes | None]) -> Path:
    writing(root, wanted)()
    return root


def visible(root: Path) -> dict[str, tuple[bytes, int]]:
    return {path: found for path, found in contents(root).items() if not path.startswith(".rewarp")}


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Does ``work`` in a child that dies before its n-th change to the disk; False where it has not that many."""
    child = os.fork()
    if child == 0:
        try:
            count = 0

            def dying(function: Callable[..., object]) -> Callable[..., object]:
                def call(*arguments: object, **named: object) -> object:
                    nonlocal count
                    count += 1
                    if count == number:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return function(*arguments, **named)

                return call

            for name in ("replace", "unlink", "rmdir", "mkdir", "chmod"):
                setattr(os, name, dying(getattr(os, name)))
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def every_point(folder: Path, prepare: Callable[[Path], Callable[[], object]]) -> list[Path]:
    """A tree for each point at which the work can be killed."""
    found: list[Path] = []
    while True:
        root = plain(folder / str(len(found)), BEFORE)
        if not killed_at(len(found) + 1, prepare(root)):
            return found
        found.append(root)
        assert len(found) < 100


def test_port_killed_at_any_point_is_finished_or_undone(tmp_path: Path) -> None:
    clean = contents(plain(tmp_path / "clean", BEFORE))
    whole = visible(forced(plain(tmp_path / "whole", BEFORE), AFTER))
    states = set()
    roots = every_point(tmp_path, lambda root: writing(root, AFTER))
    assert len(roots) > 10, "too few points: nothing is watched"
    for root in roots:
        journal = State(root).read()
        states.add(journal and journal.status)
        if journal is None or journal.status is not Status.WRITING:
            assert visible(root) == (whole if journal else clean)
            continue
        other = Path(shutil.copytree(root, f"{root}-again"))
        undo(root)
        assert visible(root) == clean
        assert State(root).read() is None
        finish(State(other), journal)
        assert visible(other) == whole
        undo(other)
        assert contents(other) == clean
    assert states >= {None, Status.WRITING}


def test_second_port_killed_at_any_point(tmp_path: Path) -> None:
    """The file in the middle holds what the first port made of it: neither the original nor the end."""

    def prepare(root: Path) -> Callable[[], object]:
        forced(root, FIRST)
        return writing(root, {**AFTER, "n/early.py": b"later\n"})

    clean = contents(plain(tmp_path / "clean", BEFORE))
    for number, root in enumerate(every_point(tmp_path, prepare)):
        state = State(root)
        journal = state.read()
        assert journal is not None
        if number % 2 and journal.status is Status.WRITING:
            finish(state, journal)
            assert (root / "a.py").read_bytes() == b"A\n"
        undo(root)
        assert contents(root) == clean


def test_undo_killed_at_any_point_is_undone_again(tmp_path: Path) -> None:
    def prepare(root: Path) -> Callable[[], object]:
        forced(root, AFTER)
        return lambda: undo(root)

    clean = contents(plain(tmp_path / "clean", BEFORE))
    for root in every_point(tmp_path, prepare):
        if State(root).read():
            undo(root)
        assert visible(root) == clean


def test_undo_keeps_what_was_done_since(repo: Path) -> None:
    write_in_place(ported(repo, part(AFTER)))
    (repo / "a.py").write_bytes(b"A, and more\n")
    before = contents(repo)
    with pytest.raises(UsageError, match=r"changed since the port: a\.py"):
        undo(repo)
    assert contents(repo) == before
    assert undo(repo, force=True) == ["a.py", "b.sh", "gone.txt", "n/new.hip"]
    assert (repo / "a.py").read_bytes() == b"a\n"


def test_undo_leaves_a_folder_in_which_somebody_put_something(repo: Path) -> None:
    write_in_place(ported(repo, part(AFTER)))
    (repo / "n" / "mine.py").write_bytes(b"m\n")
    undo(repo)
    assert (repo / "n" / "mine.py").read_bytes() == b"m\n"
    assert not (repo / "n" / "new.hip").exists()


def test_undo_restores_modes(repo: Path) -> None:
    before = contents(repo)
    write_in_place(ported(repo, part({"b.sh": None})))
    undo(repo)
    assert contents(repo) == before
    assert (repo / "b.sh").stat().st_mode & 0o777 == 0o755


def test_undo_works_when_the_port_was_committed(repo: Path) -> None:
    before = contents(repo)
    write_in_place(ported(repo, part(AFTER)))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "ported")
    undo(repo)
    assert contents(repo) == before


def test_a_later_port_does_not_touch_what_was_done_since(repo: Path) -> None:
    write_in_place(ported(repo, part(FIRST)))
    (repo / "a.py").write_bytes(b"mine\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "work")
    write_in_place(ported(repo, part({"same.py": b"S\n"})))
    assert (repo / "a.py").read_bytes() == b"mine\n"


def test_interrupted_port_is_not_finished_over_new_work(repo: Path) -> None:
    write_in_place(ported(repo, part(AFTER)))
    state = State(repo)
    journal = state.read()
    assert journal
    interrupted = type(journal)(
        Status.WRITING, "rocm", journal.entries, journal.folders, tuple((e.path, e.before) for e in journal.entries)
    )
    state.write(interrupted)
    (repo / "a.py").write_bytes(b"mine\n")
    with pytest.raises(UsageError, match=r"somebody changed a\.py"):
        finish(state, interrupted)
    assert (repo / "a.py").read_bytes() == b"mine\n"


@pytest.mark.parametrize("root", ["git", "plain"])
def test_nothing_to_undo(tmp_path: Path, root: str) -> None:
    folder = repository(tmp_path, BEFORE) if root == "git" else plain(tmp_path, BEFORE)
    before = contents(folder)
    with pytest.raises(UsageError, match="no port made in place"):
        undo(folder)
    assert contents(folder) == before


# --- a journal that came with a stranger's folder -------------------------------------------


@pytest.mark.parametrize("path", ["../precious.txt", "/precious.txt", "n/../../precious.txt", ".git/config", ""])
@pytest.mark.parametrize("status", ["writing", "done", "undoing"])
def test_a_journal_cannot_lead_out_of_the_tree(repo: Path, path: str, status: str) -> None:
    import json

    state = State(repo)
    precious = repo.parent / "precious.txt"
    precious.write_text("precious")
    name = state.keep(b"evil")
    entry = {
        "path": str(repo.parent) + path if path.startswith("/") else path,
        "before": name,
        "after": name,
        "mode": None,
    }
    document = {"schema": "rewarp.port-state/1", "status": status, "target": "rocm", "entries": [entry], "folders": []}
    (state.folder / "journal.json").write_text(json.dumps({**document, "pending": [[path, None]]}))
    with pytest.raises(UsageError, match="no path of the tree"):
        undo(repo, force=True)
    assert precious.read_text() == "precious"


def test_a_journal_does_not_write_through_links(repo: Path) -> None:
    write_in_place(ported(repo, part(AFTER)))
    (repo.parent / "outside").mkdir()
    (repo.parent / "outside" / "a.py").write_text("precious")
    (repo / "a.py").unlink()
    (repo / "a.py").symlink_to("../outside/a.py")
    with pytest.raises(UsageError, match="symbolic link"):
        undo(repo, force=True)
    assert (repo.parent / "outside" / "a.py").read_text() == "precious"


def test_the_state_is_not_kept_through_links(repo: Path) -> None:
    (repo.parent / "outside").mkdir()
    (repo / ".git" / "rewarp").symlink_to("../../outside")
    before = contents(repo)
    with pytest.raises(UsageError, match="symbolic link"):
        write_in_place(ported(repo, part(AFTER)))
    assert contents(repo) == before
    assert os.listdir(repo.parent / "outside") == []


def test_files_called_like_temporary_ones_are_not_swept_away(repo: Path) -> None:
    (repo / ".rewarp-1-2.tmp").write_text("mine")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "more")
    write_in_place(ported(repo, part(AFTER)))
    undo(repo)
    assert (repo / ".rewarp-1-2.tmp").read_text() == "mine"
