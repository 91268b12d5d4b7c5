"""The journal: where it lies, what it says, and what happens when it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from port_trees import git, part, plain, ported, repository

from rewarp.errors import UsageError
from rewarp.port.tree import Tree
from rewarp.port.writing.in_place import write_in_place
from rewarp.port.writing.journal import Entry, Journal, State, Status, digest, merged, originals
from rewarp.port.writing.undo import undo


@pytest.fixture(autouse=True)
def _words_are_no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files here hold words: that names in them are bound is asked elsewhere."""
    monkeypatch.setattr("rewarp.port.proving.well_formed.newly_unbound", lambda *_: ())


BEFORE = {"a.py": b"a\n", "sub/b.py": b"b\n"}


def test_it_lies_in_the_folder_of_git_by_tree(tmp_path: Path) -> None:
    root = repository(tmp_path, BEFORE)
    top, sub = State(root), State(root / "sub")
    assert top.folder == root / ".git" / "rewarp" / "port"
    assert sub.folder.parent == top.folder.parent
    assert sub.folder != top.folder
    assert State(plain(tmp_path / "sub" / "x", {})).folder not in (top.folder, sub.folder)


def test_work_trees_have_their_own(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", BEFORE)
    git(root, "worktree", "add", "-q", str(tmp_path / "w"))
    assert State(tmp_path / "w").folder != State(root).folder
    write_in_place(ported(tmp_path / "w", part({"a.py": b"A\n"})))
    assert State(root).read() is None
    undo(tmp_path / "w")
    assert (tmp_path / "w" / "a.py").read_bytes() == b"a\n"


def test_it_survives_writing_and_reading(tmp_path: Path) -> None:
    state = State(repository(tmp_path, BEFORE))
    entries = (Entry("odd \udcff.py", None, digest(b"x"), None), Entry("b", digest(b""), None, 0o755))
    journal = Journal(Status.UNDOING, "gaudi", entries, ("n", "n/m"), (("b", None),))
    state.write(journal)
    assert state.read() == journal


def test_contents_are_kept_once_and_whole(tmp_path: Path) -> None:
    state = State(plain(tmp_path, BEFORE))
    data = bytes(range(256)) * 1000
    name = state.keep(data)
    assert state.keep(data) == name == digest(data)
    assert state.content(name) == data
    assert len(list((state.folder / "contents").iterdir())) == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "rewarp.port-state/9"}', '{"schema": "rewarp.port-state/1"}']
)
def test_a_damaged_journal_is_told(tmp_path: Path, text: str) -> None:
    root = repository(tmp_path, BEFORE)
    state = State(root)
    state.folder.mkdir(parents=True)
    (state.folder / "journal.json").write_text(text)
    with pytest.raises(UsageError, match=r"journal\.json.*cannot be read"):
        undo(root)


def test_a_damaged_content_stops_the_undo_before_it_writes(tmp_path: Path) -> None:
    root = repository(tmp_path, BEFORE)
    write_in_place(ported(root, part({"a.py": b"A\n", "sub/b.py": b"B\n"})))
    kept = State(root).folder / "contents" / f"{digest(b'b' + bytes([10]))}.z"
    kept.write_bytes(b"rubbish")
    with pytest.raises(UsageError, match="which a port kept"):
        undo(root)
    assert (root / "a.py").read_bytes() == b"A\n"


def test_merging_keeps_the_first_original() -> None:
    first = merged(None, [Entry("a", "0", "1", 420), Entry("b", None, "1", None)])
    journal = Journal(Status.DONE, "rocm", first)
    later = {entry.path: entry for entry in merged(journal, [Entry("a", "1", "2", 420), Entry("c", "7", "8", 420)])}
    assert later["a"] == Entry("a", "0", "2", 420)
    assert later["b"].before is None
    assert later["c"].before == "7"
    worked_on = {entry.path: entry for entry in merged(journal, [Entry("a", "mine", "2", 420)])}
    assert worked_on["a"].before == "mine"


def test_the_original_tree_is_known_after_a_port(tmp_path: Path) -> None:
    root = repository(tmp_path, BEFORE)
    write_in_place(ported(root, part({"a.py": b"A\n", "new.py": b"n\n", "sub/b.py": b"B\n"})))
    (root / "sub" / "b.py").write_bytes(b"mine\n")
    state = State(root)
    original = Tree(root).holding(originals(state, state.read()))
    assert original.read("a.py") == b"a\n"
    assert "new.py" not in original
    assert original.read("sub/b.py") == b"mine\n"


def test_the_journal_is_plain_to_read(tmp_path: Path) -> None:
    root = repository(tmp_path, BEFORE)
    write_in_place(ported(root, part({"a.py": b"A\n"})))
    document = json.loads((State(root).folder / "journal.json").read_bytes())
    assert document["status"] == "done"
    assert document["pending"] == []
    assert [entry["path"] for entry in document["entries"]] == ["a.py"]
