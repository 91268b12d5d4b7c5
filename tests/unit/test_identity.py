"""Which state of a project something was said about."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rewarp.workspace.identity import identify, project, tree_hash, web_page

COMMIT = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "setup.py").write_text("import torch\n")
    (root / "src" / "a.cu").write_text("__global__ void k() {}\n")
    return root


@pytest.fixture
def repository(tree: Path) -> Path:
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, *COMMIT)
    git(tree, "remote", "add", "origin", "https://me:secret@github.com/acme/tree.git")
    return tree


def test_a_copy_is_the_same_and_a_changed_byte_is_not(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(tree, other)
    assert identify(other).tree == identify(tree).tree
    (other / "src" / "a.cu").write_text("__global__ void k() { }\n")
    assert identify(other).tree != identify(tree).tree


def test_a_file_under_another_name_is_another_state(tree: Path) -> None:
    before = identify(tree).tree
    (tree / "src" / "a.cu").rename(tree / "src" / "b.cu")
    assert identify(tree).tree != before


def test_reports_beside_the_sources_change_nothing(tree: Path) -> None:
    before = identify(tree).tree
    for name in ("scan.json", "index.html", "rocm.patch", "train.log"):
        (tree / name).write_text("x")
    assert identify(tree).tree == before


def test_the_results_themselves_are_no_part_of_it(tree: Path) -> None:
    before = identify(tree).tree
    (tree / "out" / "ported").mkdir(parents=True)
    (tree / "out" / "ported" / "a.cu").write_text("x")
    assert identify(tree, tree / "out").tree == before
    assert identify(tree).tree != before


def test_edits_that_nobody_wrote_yet_count_as_written(tree: Path) -> None:
    planned = tree_hash(project(tree).holding({"setup.py": b"import os\n", "new.hip": b"x", "src/a.cu": None}))
    (tree / "setup.py").write_text("import os\n")
    (tree / "new.hip").write_text("x")
    (tree / "src" / "a.cu").unlink()
    assert identify(tree).tree == planned


def test_a_repository(repository: Path) -> None:
    found = identify(repository)
    assert (found.commit, found.clean, found.prefix) == (git(repository, "rev-parse", "HEAD"), True, "")
    assert found.remote == "https://github.com/acme/tree", "without the password"
    below = identify(repository / "src")
    assert (below.prefix, below.commit) == ("src/", found.commit)
    (repository / "setup.py").write_text("import os\n")
    assert identify(repository).clean is False


def test_what_a_repository_ignores_is_in_none_of_its_commits(repository: Path) -> None:
    (repository / ".gitignore").write_text("out/\n")
    (repository / "out").mkdir()
    (repository / "out" / "a.cu").write_text("x")
    assert identify(repository / "out").commit is None


def test_a_single_file(tree: Path) -> None:
    assert identify(tree / "setup.py").tree != identify(tree / "src" / "a.cu").tree


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("https://token@gitlab.com/g/sub/b", "https://gitlab.com/g/sub/b"),
        ("git@github.com:a/b.git", "https://github.com/a/b"),
        ("ssh://git@gitlab.example.org:2222/a/b.git", "https://gitlab.example.org/a/b"),
        ("/srv/git/b.git", None),
        ("file:///srv/b.git", None),
        ("javascript:alert(1)", None),
        ('https://github.com/a/b"><script>', None),
        ("https://github.com/../../b", None),
    ],
)
def test_the_page_of_a_remote(url: str, page: str | None) -> None:
    assert web_page(url) == page
