"""One tree type for a folder, a commit, a bare mirror and planned edits: the same project gives the same answers."""

from __future__ import annotations

import os
import pickle
import subprocess
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.lang.kinds import Kind
from rewarp.workspace import Commit, Entry, Folder, Overlay, Tree, find_files, list_tree, open_tree, trees

FILES = {
    "a.py": b"x = 1\n",
    "src/k.cu": b"int a;\n",
    "run": b"#!/usr/bin/env python\n",
    "data.bin": b"\0\1",
    "é.md": b"",
}


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.com", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for path, data in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root / "run").chmod(0o755)
    (root / "link.py").symlink_to("a.py")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def seen(tree: Tree) -> dict[str, tuple[str, bool, bytes | None]]:
    return {path: (entry.nature, entry.executable, tree.read(path)) for path, entry in tree.entries.items()}


EXPECTED = {path: ("file", path == "run", data) for path, data in FILES.items()} | {
    "link.py": ("symlink", False, b"a.py")
}


def test_a_folder_a_commit_a_mirror_and_edits_are_one_project(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "mirror.git"))
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    (nothing / "gone.py").write_bytes(b"")
    edits: dict[str, bytes | None] = {**FILES, "gone.py": None}
    for tree in (open_tree(repository), open_tree(repository, "HEAD"), open_tree(tmp_path / "mirror.git")):
        assert seen(tree) == EXPECTED
        assert list(tree.entries) == sorted(tree.entries)
        assert tree.files() == sorted(FILES)
    planned = Folder(nothing).holding(edits)
    assert {path: data for path, (_, _, data) in seen(planned).items()} == FILES


def test_listings_are_the_same_wherever_the_files_are(repository: Path) -> None:
    listings = [list_tree(tree) for tree in (Folder(repository), Commit(repository, "HEAD"))]
    listings.append(list_tree(Folder(repository).holding({"new.py": b"y = 2\n", "a.py": None})))
    kinds = [{entry.path: (entry.kind, entry.read()) for entry in listing.files} for listing in listings]
    assert kinds[0] == kinds[1]
    assert kinds[0]["run"] == (Kind.PYTHON, FILES["run"]), "a kind that only the first line tells"
    assert kinds[2] == {path: it for path, it in kinds[0].items() if path != "a.py"} | {
        "new.py": (Kind.PYTHON, b"y = 2\n")
    }
    for listing in listings:
        assert [(left.path, type(left).__name__) for left in listing.left_out] == [("link.py", "Skipped")]
        assert listing.unread == ["data.bin", "é.md"]
        assert listing.other == {".bin": 1, ".md": 1}
        assert pickle.loads(pickle.dumps(listing.files)) == listing.files, "what a worker gets"


def test_edits_lie_over_the_files(repository: Path) -> None:
    base = Folder(repository)
    first = base.holding({"run": b"#!/bin/sh\n", "src/k.cu": None, "new/x.py": b"1"})
    second = first.holding({"src/k.cu": b"back", "new/x.py": None})
    assert "src/k.cu" not in first
    assert first.read("src/k.cu") is None
    assert first.why("src/k.cu") == "there is no such file"
    assert first.entries["run"] == Entry("file", 10, executable=True), "an edit keeps the mode"
    assert first.read("a.py") == FILES["a.py"]
    assert second.read("src/k.cu") == b"back"
    assert "new/x.py" not in second
    assert second.read("run") == b"#!/bin/sh\n"
    assert isinstance(second, Overlay)
    assert second.changes() == {"run": b"#!/bin/sh\n", "src/k.cu": b"back"}
    assert base.read("run") == FILES["run"], "the files themselves are what they were"
    assert base.holding({}) is base
    assert first.place("run") is None
    assert first.place("a.py") == repository / "a.py"


def test_states_of_one_tree_differ_only_where_they_were_edited(repository: Path) -> None:
    base = Folder(repository)
    one, other = base.holding({"a.py": b"1"}), base.holding({"a.py": b"1", "run": None})
    assert trees.edited(base, base) == set()
    assert trees.edited(one, other) == {"a.py", "run"}
    assert trees.edited(base, other) == {"a.py", "run"}
    assert trees.edited(base, Folder(repository)) is None


def test_what_git_ignores_belongs_only_to_everything(repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\n")
    (repository / "build").mkdir()
    (repository / "build" / "x.py").write_text("")
    assert "build/x.py" not in Folder(repository)
    assert "build/x.py" in Folder(repository, everything=True)
    assert not [path for path in Folder(repository, everything=True).entries if path.startswith(".git/")]


def test_another_repository_inside_is_one_entry_or_its_files(repository: Path) -> None:
    inner = repository / "third"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "k.cu").write_bytes(b"int b;\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "inner")
    assert Folder(repository).entries["third"].nature == "submodule"
    assert "third/k.cu" not in Folder(repository)
    assert Folder(repository).why("third") == "it is another repository"
    inside = Folder(repository, submodules=True)
    assert inside.read("third/k.cu") == b"int b;\n"
    assert [path for path in inside.entries if ".git" in path] == []
    assert "third/k.cu" in [entry.path for entry in find_files(repository).files]


@pytest.mark.parametrize("pattern", ["src", "src/", "*.cu", "src/k.cu", "k.cu"])
def test_what_is_excluded_is_not_there(repository: Path, pattern: str) -> None:
    assert "src/k.cu" not in Folder(repository, exclude=(pattern,))
    assert "a.py" in Folder(repository, exclude=(pattern,))


def test_what_cannot_be_read_says_why(repository: Path) -> None:
    os.mkfifo(repository / "pipe.py")
    tree = Folder(repository, everything=True)
    assert tree.entries["pipe.py"].nature == "unreadable"
    assert tree.read("pipe.py") is None
    assert tree.why("pipe.py") == "it is not a plain file"
    assert tree.read("nowhere.py") is None
    assert tree.why("nowhere.py") == "there is no such file"
    (repository / "a.py").unlink()
    assert tree.read("a.py") is None
    assert "vanished" in tree.why("a.py")


@pytest.mark.usefixtures("rights_count")
def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    listing = list_tree(Folder(tmp_path))
    assert [left.path for left in listing.left_out] == ["locked"]


def test_a_commit_that_is_none(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a revision"):
        Commit(repository, "nowhere")
    with pytest.raises(UsageError, match="not a git revision"):
        Commit(repository, "--output=x")
    with pytest.raises(UsageError, match="does not exist"):
        open_tree(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="not in a git repository"):
        open_tree(tmp_path, "HEAD")


def test_a_folder_of_a_commit(repository: Path) -> None:
    assert list(open_tree(repository / "src", "HEAD").entries) == ["k.cu"]


def test_a_file_is_opened_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Folder(repository)
    assert tree.read("a.py") == FILES["a.py"]
    monkeypatch.setattr("builtins.open", None)
    assert tree.read("a.py") == FILES["a.py"]
    assert tree.holding({"run": b""}).read("a.py") == FILES["a.py"]


def test_contents_do_not_pile_up(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_KEPT", 10)
    tree = Folder(repository)
    for _ in range(2):
        assert {path: tree.read(path) for path in tree.files()} == FILES
    assert sum(map(len, tree._contents.values())) <= max(10, *map(len, FILES.values()))
