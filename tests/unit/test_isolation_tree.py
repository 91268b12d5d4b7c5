"""The trees of a change: git revisions, the working tree, folders; and what cannot be read there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rewarp.errors import UsageError
from rewarp.verify.isolation.file_verdict import IsolationVerdict
from rewarp.verify.isolation.judge import judge
from rewarp.verify.isolation.tree import open_trees


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@e")
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], capture_output=True, check=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.cu").write_text("int a;\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "m", "--allow-empty")


def told(root: Path, base: str = "HEAD~1", head: str | None = "HEAD") -> dict[str, IsolationVerdict]:
    trees, below = open_trees(base, head, root)
    return {file.path: file.verdict for file in judge(trees, below)}


def test_nothing_changed(repo: Path) -> None:
    assert told(repo, "HEAD", "HEAD") == {}
    assert told(repo, "HEAD", None) == {}


def test_two_revisions_and_a_bare_clone(repo: Path, tmp_path: Path) -> None:
    (repo / "a.cu").write_text("#ifdef USE_ROCM\nint h;\n#endif\nint a;\n")
    commit(repo)
    assert told(repo) == {"a.cu": IsolationVerdict.IDENTICAL}
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare")
    assert told(tmp_path / "bare") == {"a.cu": IsolationVerdict.IDENTICAL}
    with pytest.raises(UsageError, match="bare"):
        told(tmp_path / "bare", "HEAD", None)


def test_working_tree_with_untracked_and_ignored_files(repo: Path) -> None:
    (repo / ".gitignore").write_text("*.log\n")
    (repo / "x.log").write_text("log")
    (repo / "data.bin").write_bytes(b"\0\1")
    (repo / "a.cu").write_text("int b;\n")
    assert told(repo, "HEAD", None) == {
        ".gitignore": IsolationVerdict.IDENTICAL,
        "a.cu": IsolationVerdict.DIFFERENT,
        "data.bin": IsolationVerdict.UNPROVABLE,
    }


def test_the_work_tree_is_not_touched(repo: Path) -> None:
    (repo / "a.cu").write_text("int b;\n")
    before = git(repo, "status", "--porcelain"), (repo / "a.cu").stat().st_mtime_ns
    told(repo, "HEAD", None)
    assert (git(repo, "status", "--porcelain"), (repo / "a.cu").stat().st_mtime_ns) == before


def test_a_rename_takes_a_file_away(repo: Path) -> None:
    git(repo, "mv", "a.cu", "b.cu")
    commit(repo)
    assert told(repo)["a.cu"] is IsolationVerdict.DIFFERENT


def test_only_below_a_folder(repo: Path) -> None:
    (repo / "sub").mkdir()
    (repo / "sub" / "c.cu").write_text("int c;\n")
    (repo / "a.cu").write_text("int b;\n")
    commit(repo)
    trees, below = open_trees("HEAD~1", "HEAD", repo / "sub")
    assert [file.path for file in judge(trees, below)] == ["sub/c.cu"]


def test_links_modes_submodules_and_pointers_are_not_provable(repo: Path) -> None:
    os.symlink("a.cu", repo / "link.cu")
    os.symlink("loop", repo / "loop")
    (repo / "run.sh").chmod(0o755)
    (repo / "weights.txt").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},third_party")
    commit(repo)
    found = told(repo)
    assert set(found) >= {"link.cu", "loop", "run.sh", "weights.txt"}
    assert set(found.values()) == {IsolationVerdict.UNPROVABLE}


def test_two_folders_without_git(tmp_path: Path) -> None:
    for side, text in (("one", "int a;\n"), ("two", "int a; // note\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.cu").write_text(text)
    trees, below = open_trees(str(tmp_path / "one"), str(tmp_path / "two"), tmp_path)
    assert [file.verdict for file in judge(trees, below)] == [IsolationVerdict.IDENTICAL]


@pytest.mark.parametrize("base", ["nothing", "--help", "-x"])
def test_what_is_no_revision_is_a_usage_error(repo: Path, base: str) -> None:
    with pytest.raises(UsageError):
        open_trees(base, None, repo)


def test_odd_names_and_broken_bytes(repo: Path) -> None:
    (repo / "ü \t.cu").write_text("int a;\n")
    (repo / os.fsdecode(b"\xff.h")).write_bytes(b"int \xff;\n")
    commit(repo)
    assert len(told(repo)) == 2


def test_a_name_is_found_as_a_word_and_on_a_command_line(tmp_path: Path) -> None:
    for side in ("one", "two"):
        (tmp_path / side).mkdir()
    for name, text in {"a.py": "'-DUSE_X'", "b.py": "USE_X", "c.py": "NO_USE_X USE_XY", "d.h": "USE\\\n_X"}.items():
        (tmp_path / "two" / name).write_text(text)
    trees, _ = open_trees(str(tmp_path / "one"), str(tmp_path / "two"), tmp_path)
    assert trees.containing("USE_X", "after") == ("a.py", "b.py", "d.h")


def test_a_plain_word_in_a_new_package_hides_no_module(repo: Path) -> None:
    (repo / "pkg" / "amd").mkdir(parents=True)
    (repo / "pkg" / "__init__.py").write_text("")
    commit(repo)
    (repo / "pkg" / "amd" / "__init__.py").write_text("")
    (repo / "pkg" / "amd" / "utils.py").write_text("x = 1\n")
    (repo / "filelock.py").write_text("x = 1\n")
    commit(repo)
    found = told(repo)
    assert found["pkg/amd/utils.py"] is IsolationVerdict.IDENTICAL
    assert found["filelock.py"] is IsolationVerdict.UNPROVABLE
