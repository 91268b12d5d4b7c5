"""Cloning what nobody trusts: by https, ssh and files only; nothing asks, nothing runs, nothing fills the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from fleet_parts import CLEAN, commit, git, made, path_with, strange_git
from hypothesis import given
from hypothesis import strategies as st

from rewarp.errors import UsageError
from rewarp.fleet import clone
from rewarp.fleet.request import Repository
from rewarp.fleet.sources import NotTaken, check_address, find_repositories, read_list

DISK = 1 << 30


def cloned(source: Path, to: Path) -> Path:
    commit_there = clone.commit_of(str(source), None)
    clone.clone(str(source), commit_there, to, DISK)
    assert git(to, "rev-parse", "HEAD") == commit_there
    return to


def test_filters_hooks_and_templates_of_the_user_run_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has a filter, LFS and hooks in templates; the repository asks for all of them."""
    made(
        tmp_path,
        here={**CLEAN, ".gitattributes": "*.py filter=mine\n*.bin filter=lfs\n", "a.bin": "version https://git-lfs\n"},
    )
    ran = tmp_path / "ran"
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        (hooks / name).chmod(0o755)
    settings = tmp_path / "gitconfig"
    filters = "".join(
        f'[filter "{name}"]\n\tsmudge = "echo {name} >> {ran}; cat"\n\trequired = true\n' for name in ("mine", "lfs")
    )
    settings.write_text(f"{filters}[init]\n\ttemplateDir = {tmp_path / 'template'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    git(tmp_path, "clone", "--quiet", str(tmp_path / "here"), str(tmp_path / "plainly"))
    assert {"mine", "lfs", "post-checkout"} <= set(ran.read_text().split()), "they would run"
    ran.unlink()
    there = cloned(tmp_path / "here", tmp_path / "there")
    assert not ran.exists()
    assert (there / "main.py").read_text() == CLEAN["main.py"]
    assert (there / "a.bin").read_text() == "version https://git-lfs\n", "what LFS keeps elsewhere is not fetched"


def test_a_repository_cannot_have_its_missing_files_fetched_by_a_program(tmp_path: Path) -> None:
    """On this disk, a repository may say that a program fetches what it lacks. Older gits would start it."""
    made(tmp_path, here=CLEAN)
    ran = tmp_path / "ran"
    here = tmp_path / "here"
    blob = git(here, "rev-parse", "HEAD:main.py")
    (here / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(tmp_path),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"echo ran >> {ran}; git-upload-pack",
    }.items():
        git(here, "config", name, value)
    with pytest.raises(clone.NotCloned):
        cloned(here, tmp_path / "there")
    assert not ran.exists()
    subprocess.run(["git", "-C", str(here), "cat-file", "-p", blob], capture_output=True)
    assert ran.exists(), "it would run"


def test_submodules_stay_away_and_are_counted(tmp_path: Path) -> None:
    made(tmp_path, inner=CLEAN, outer=CLEAN)
    add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "inner"), "inner"]
    git(tmp_path / "outer", *add)
    commit(tmp_path / "outer", {})
    there = cloned(tmp_path / "outer", tmp_path / "there")
    assert clone.submodules(there) == ["inner"]
    assert list((there / "inner").iterdir()) == []


def test_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ssh is told not to ask; a program that would ask for a password is not called."""
    said = tmp_path / "said"
    for name in ("ssh", "asks"):
        strange_git(tmp_path / name, "")
        (tmp_path / name / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {said}\nexit 1\n')
        (tmp_path / name / name).chmod(0o755)
        (tmp_path / name / "git").unlink()
    monkeypatch.setenv("PATH", path_with(tmp_path / "ssh"))
    monkeypatch.setenv("GIT_ASKPASS", str(tmp_path / "asks" / "asks"))
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    with pytest.raises(clone.NotCloned):
        clone.commit_of("git@host.example:owner/name.git", None)
    assert "-oBatchMode=yes" in said.read_text()
    assert "asks" not in said.read_text()


def test_a_tree_of_a_million_files_in_a_few_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clone, "_MOST_FILES", 5_000)
    here = tmp_path / "here"
    commit(here, CLEAN)
    blob = git(here, "hash-object", "-w", "--stdin", input=b"x")
    lines = "".join(f"100644 blob {blob}\t{n}\n" for n in range(10))
    for _ in range(6):
        tree = git(here, "mktree", input=lines.encode())
        lines = "".join(f"040000 tree {tree}\t{n}\n" for n in range(10))
    bomb = git(here, "commit-tree", tree, "-m", "x")
    git(here, "update-ref", "refs/heads/main", bomb)
    git(here, "symbolic-ref", "HEAD", "refs/heads/main")
    with pytest.raises(clone.TooLarge):
        cloned(here, tmp_path / "there")
    assert [file.name for file in (tmp_path / "there").iterdir()] == [".git"]


def test_a_large_checkout_is_refused(tmp_path: Path) -> None:
    made(tmp_path, here={"large.txt": "0" * 100_000})
    wanted = clone.commit_of(str(tmp_path / "here"), None)
    with pytest.raises(clone.TooLarge, match="GB"):
        clone.clone(str(tmp_path / "here"), wanted, tmp_path / "there", 50_000)


def test_another_repository_in_the_environment_is_not_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, here=CLEAN, mine={"mine.py": "x\n"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "mine" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "mine"))
    wanted = clone.commit_of(str(tmp_path / "here"), None)
    clone.clone(str(tmp_path / "here"), wanted, tmp_path / "there", DISK)
    assert (tmp_path / "there" / "main.py").exists()
    assert [file.name for file in (tmp_path / "mine").iterdir() if file.name != ".git"] == ["mine.py"]


# --- addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "http://host.example/a/b",
        "git://host.example/a/b",
        "ftp://host.example/a",
        "ext::sh -c touch% /tmp/x",
        "fd::17",
        "https://name:secret@host.example/a/b",
        "https://secret@host.example/a/b",
        "ssh://name:secret@host.example/a",
        "ssh://-oProxyCommand=x/a",
        "https:///a/b",
        "https://name:p@secret@host.example/a",
        "https://name:p/secret@host.example/a",
        "https://[host.example/a",
        "--upload-pack=touch",
        "HTTPS+evil://host.example/a",
    ],
)
def test_other_addresses_are_refused(source: str) -> None:
    with pytest.raises(UsageError) as error:
        check_address(source)
    assert "secret" not in str(error.value)
    with pytest.raises(UsageError):
        clone.commit_of(source, None)


@pytest.mark.parametrize(
    "line", ["http://host.example/a", "ext::sh", "ssh://name:secret@host.example/a", "https://[x/a"]
)
def test_an_address_that_is_not_taken_has_its_row_and_keeps_no_secret(line: str, tmp_path: Path) -> None:
    first, refused = read_list(["ok", line], tmp_path)
    assert first.name == "ok"
    assert "secret" not in repr(refused)
    with pytest.raises(NotTaken):
        clone.commit_of(refused.source, None)


@given(
    st.from_regex(r"[a-z][a-z0-9+.-]{0,8}", fullmatch=True), st.sampled_from(["://host.example/a", "::host.example/a"])
)
def test_only_three_schemes_are_taken(scheme: str, rest: str) -> None:
    taken = scheme in ("https", "ssh", "file") and rest.startswith("://")
    try:
        check_address(scheme + rest)
    except UsageError:
        assert not taken
    else:
        assert taken


def test_a_list(tmp_path: Path) -> None:
    lines = [
        "# all of ours",
        "",
        "https://host.example/team/one.git",
        "git@host.example:team/two.git v1.0  # a tag",
        "ssh://git@host.example/team/three main",
        "https://host.example/team/one.git",
        "https://other.example/team/one.git",
        "local",
    ]
    assert read_list(lines, tmp_path) == [
        Repository("https://host.example/team/one.git", "https://host.example/team/one.git"),
        Repository("team/two", "git@host.example:team/two.git", "v1.0"),
        Repository("team/three", "ssh://git@host.example/team/three", "main"),
        Repository("https://other.example/team/one.git", "https://other.example/team/one.git"),
        Repository("local", os.path.realpath(tmp_path / "local")),
    ]


@pytest.mark.parametrize("line", ["a b c", "https://x.example/a --upload-pack=x", "a -b"])
def test_a_bad_line_is_named(line: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^line 2: "):
        read_list(["ok", line], tmp_path)


def test_the_repositories_of_a_folder(tmp_path: Path) -> None:
    made(tmp_path / "all", one=CLEAN)
    made(tmp_path / "all" / "team", two=CLEAN)
    made(tmp_path / "all" / "one", inside=CLEAN)
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "all" / "one"), str(tmp_path / "all" / "bare.git"))
    (tmp_path / "all" / "no repository").mkdir()
    (tmp_path / "all" / "link").symlink_to(tmp_path)
    assert [repository.name for repository in find_repositories(tmp_path / "all")] == ["bare.git", "one", "team/two"]
    shutil.rmtree(tmp_path / "all")
