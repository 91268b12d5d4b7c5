"""A port as a patch, in place, and as a branch: bytes, modes, line ends and refusals."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from port_trees import contents, git, part, plain, ported, repository

from rewarp.errors import UsageError
from rewarp.port.changes import PortPhase
from rewarp.port.writing.branch import write_branch
from rewarp.port.writing.in_place import write_in_place
from rewarp.port.writing.patch import as_patch
from rewarp.port.writing.undo import undo


@pytest.fixture(autouse=True)
def _words_are_no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files here hold words: that names in them are bound is asked elsewhere."""
    monkeypatch.setattr("rewarp.port.proving.well_formed.newly_unbound", lambda *_: ())


BEFORE = {
    "a.py": b"one\ntwo\nthree\n",
    "crlf.py": b"one\r\ntwo\r\n",
    "open.py": b"one\ntwo",
    "run.sh": b"#!/bin/sh\necho\n",
    "gone.txt": b"bye\n",
    "odd name ä.txt": b"x\n",
    "latin.py": b"# -*- coding: latin-1 -*-\nx = '\xe4'\n",
}
AFTER: dict[str, bytes | None] = {
    "a.py": b"one\n2\nthree\n",
    "crlf.py": b"one\r\n2\r\nthree\r\n",
    "open.py": b"one\n2",
    "run.sh": b"#!/bin/sh\necho hip\n",
    "gone.txt": None,
    "odd name ä.txt": b"y",
    "latin.py": b"# -*- coding: latin-1 -*-\nx = '\xe4\xfc'\n",
    "new/deep/file.hip": b"new\n",
    "new/empty.py": b"",
    "data.bin": b"\x00\x01\n\xff\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = repository(tmp_path / "r", BEFORE)
    (root / "run.sh").chmod(0o755)
    git(root, "commit", "-qam", "executable")
    return root


def expected() -> dict[str, bytes]:
    return {path: data for path, data in {**BEFORE, **AFTER}.items() if data is not None}


def files(root: Path) -> dict[str, bytes]:
    return {path: data for path, (data, mode) in contents(root).items() if data != b"/"}


# --- patch ----------------------------------------------------------------------------------


def test_patch_applies_and_goes_back(repo: Path) -> None:
    patch = as_patch(ported(repo, part(AFTER)).after)
    before = contents(repo)
    git(repo, "apply", "-", stdin=patch)
    assert files(repo) == expected()
    assert (repo / "run.sh").stat().st_mode & stat.S_IXUSR
    git(repo, "apply", "-R", "-", stdin=patch)
    assert contents(repo) == before


def test_patch_of_nothing_is_empty(repo: Path) -> None:
    assert as_patch(ported(repo, part({"a.py": BEFORE["a.py"]})).after) == b""


def test_patch_of_a_dirty_tree_is_against_what_is_there(repo: Path) -> None:
    (repo / "a.py").write_bytes(b"zero\none\ntwo\nthree\n")
    git(repo, "apply", "-", stdin=as_patch(ported(repo, part({"a.py": b"zero\none\n2\nthree\n"})).after))
    assert (repo / "a.py").read_bytes() == b"zero\none\n2\nthree\n"


TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\x00\n", b" \n"]), max_size=12).map(b"".join)
ENDED = st.tuples(TEXT, st.sampled_from([b"", b"a", b"\r"])).map(b"".join)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(ENDED.filter(bool), ENDED), min_size=8, max_size=8))
def test_any_patch_applies(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[bytes, bytes]]) -> None:
    root = plain(tmp_path_factory.mktemp("p"), {f"{n}.txt": before for n, (before, _) in enumerate(pairs)})
    patch = as_patch(ported(root, part({f"{n}.txt": after for n, (_, after) in enumerate(pairs)})).after)
    if patch:
        git(root, "apply", "--whitespace=nowarn", "-", stdin=patch)
    assert [(root / f"{n}.txt").read_bytes() for n in range(len(pairs))] == [after for _, after in pairs]


# --- in place -------------------------------------------------------------------------------


def test_in_place_writes_and_keeps_modes(repo: Path) -> None:
    assert write_in_place(ported(repo, part(AFTER))) == sorted(AFTER)
    assert files(repo) == expected()
    assert (repo / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not list(repo.rglob("*.tmp"))


def test_second_port_writes_nothing(repo: Path) -> None:
    write_in_place(ported(repo, part(AFTER)))
    before = contents(repo)
    assert write_in_place(ported(repo, part(AFTER))) == []
    assert contents(repo) == before


def test_in_place_goes_on_over_what_an_earlier_port_left(repo: Path) -> None:
    before = contents(repo)
    write_in_place(ported(repo, part({"a.py": b"first\n"})))
    write_in_place(ported(repo, part({"a.py": b"second\n", "b.py": b"new\n"})))
    assert (repo / "a.py").read_bytes() == b"second\n"
    undo(repo)
    assert contents(repo) == before


@pytest.mark.parametrize("dirty", ["a.py", "crlf.py"])
def test_in_place_refuses_a_dirty_tree(repo: Path, dirty: str) -> None:
    (repo / dirty).write_bytes(b"mine\n")
    before = contents(repo)
    with pytest.raises(UsageError, match=f"not committed: {dirty}"):
        write_in_place(ported(repo, part({"a.py": b"theirs\n"})))
    assert contents(repo) == before
    assert write_in_place(ported(repo, part({"a.py": b"theirs\n"})), force=True) == ["a.py"]
    undo(repo)
    assert contents(repo) == before


def test_in_place_refuses_to_replace_a_file_that_git_ignores(repo: Path) -> None:
    (repo / ".gitignore").write_bytes(b"secret.txt\n")
    git(repo, "add", ".gitignore")
    git(repo, "commit", "-qm", "ignore")
    (repo / "secret.txt").write_bytes(b"precious\n")
    port = ported(repo, part({"secret.txt": b"new\n"}))
    with pytest.raises(UsageError, match=r"secret\.txt"):
        write_in_place(port)
    assert (repo / "secret.txt").read_bytes() == b"precious\n"
    write_in_place(port, force=True)
    undo(repo)
    assert (repo / "secret.txt").read_bytes() == b"precious\n"


def test_in_place_without_git_needs_force_and_can_be_undone(tmp_path: Path) -> None:
    root = plain(tmp_path / "r", BEFORE)
    before = contents(root)
    with pytest.raises(UsageError, match="no git repository"):
        write_in_place(ported(root, part(AFTER)))
    assert contents(root) == before
    write_in_place(ported(root, part(AFTER)), force=True)
    assert {path: data for path, data in files(root).items() if not path.startswith(".rewarp")} == expected()
    assert not any(path.startswith(".rewarp") for path in ported(root).after.paths())
    undo(root)
    assert contents(root) == before


def test_in_place_never_follows_a_link(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"theirs\n")
    (repo / "link.py").symlink_to(outside)
    (repo / "folder").symlink_to(tmp_path)
    for path in ("link.py", "folder/outside.py"):
        with pytest.raises(UsageError, match="symbolic link"):
            write_in_place(ported(repo, part({path: b"new\n"})), force=True)
    assert outside.read_bytes() == b"theirs\n"


@pytest.mark.usefixtures("rights_count")
def test_read_only_tree_is_left_alone(repo: Path) -> None:
    (repo / "new").mkdir()
    (repo / "new").chmod(0o555)
    before = contents(repo)
    with pytest.raises(UsageError, match="cannot write"):
        write_in_place(ported(repo, part(AFTER)))
    assert contents(repo) == before
    with pytest.raises(UsageError, match="no port"):
        undo(repo)


@pytest.mark.parametrize("failing", [1, 2, 4])
def test_a_disk_that_fails_leaves_the_tree_as_it_was(repo: Path, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    before = contents(repo)
    port = ported(repo, part(AFTER))
    replaced, calls = os.replace, 0

    def replace(source: Path, target: Path) -> None:
        nonlocal calls
        if ".git" not in Path(target).parts:
            calls += 1
            if calls == failing:
                raise OSError(28, "No space left on device")
        replaced(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(UsageError, match="No space left"):
        write_in_place(port)
    monkeypatch.undo()
    assert contents(repo) == before
    with pytest.raises(UsageError, match="no port"):
        undo(repo)


# --- branch ---------------------------------------------------------------------------------


def test_branch_has_a_commit_for_each_phase_and_leaves_the_tree(repo: Path) -> None:
    before, head = contents(repo), git(repo, "rev-parse", "HEAD")
    early = part({"gone.txt": None, "new/empty.py": b"", "a.py": b"one\n"}, PortPhase.DETECTION)
    late = part(AFTER, PortPhase.BUILD)

    def both(tree, context):  # type: ignore[no-untyped-def]
        return early(tree, context) if tree.read("a.py") == BEFORE["a.py"] else late(tree, context)

    commits = write_branch(ported(repo, both), "rocm", "A B <a@b>")
    assert contents(repo) == before
    assert git(repo, "rev-parse", "HEAD") == head
    assert git(repo, "status", "--porcelain") == b""
    assert len(commits) == 2
    log = git(repo, "log", "--format=%an <%ae>|%s", "main..rocm").decode().splitlines()
    assert [line.split("|")[0] for line in log] == ["A B <a@b>"] * 2
    assert "build" in log[0]
    assert "detection" in log[1]
    assert "a.py must change. (X-001)" in git(repo, "log", "-1", "--format=%b", "rocm").decode()
    assert git(repo, "show", f"{commits[0]}:a.py") == b"one\n"
    git(repo, "checkout", "-q", "rocm")
    assert files(repo) == expected()
    assert (repo / "run.sh").stat().st_mode & stat.S_IXUSR
    git(repo, "fsck", "--strict")


def test_branch_of_a_folder_of_the_repository(tmp_path: Path) -> None:
    repository(tmp_path, {"top.py": b"t\n", "sub/a.py": b"a\n"})
    write_branch(ported(tmp_path / "sub", part({"a.py": b"b\n"})), "rocm", "A <a@b>")
    assert git(tmp_path, "diff", "--name-only", "main..rocm").split() == [b"sub/a.py"]


def test_branch_keeps_the_line_ends_that_git_keeps(tmp_path: Path) -> None:
    root = repository(tmp_path, {".gitattributes": b"*.py text eol=crlf\n", "a.py": b"one\r\ntwo\r\n"})
    assert git(root, "cat-file", "blob", "HEAD:a.py") == b"one\ntwo\n"
    write_branch(ported(root, part({"a.py": b"one\r\n2\r\n"})), "rocm", "A <a@b>")
    assert git(root, "cat-file", "blob", "rocm:a.py") == b"one\n2\n"


def test_branch_runs_no_hook(repo: Path) -> None:
    for hook in ("pre-commit", "post-commit", "reference-transaction", "commit-msg"):
        file = repo / ".git" / "hooks" / hook
        file.write_text("#!/bin/sh\ntouch ran\n")
        file.chmod(0o755)
    write_branch(ported(repo, part(AFTER)), "rocm", "A <a@b>")
    assert not list(repo.rglob("ran"))


@pytest.mark.parametrize(
    ("name", "says"), [("main", "exists already"), ("no..name", "no name for a branch"), ("-x", "no name for a branch")]
)
def test_branch_refuses_names(repo: Path, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        write_branch(ported(repo, part(AFTER)), name, "A <a@b>")


def test_branch_refuses_a_dirty_tree_and_no_repository(repo: Path, tmp_path: Path) -> None:
    (repo / "a.py").write_bytes(b"mine\n")
    with pytest.raises(UsageError, match=r"not committed are: a\.py"):
        write_branch(ported(repo, part({"crlf.py": b"x"})), "rocm", "A <a@b>")
    with pytest.raises(UsageError, match="no git repository"):
        write_branch(ported(plain(tmp_path / "p", BEFORE), part(AFTER)), "rocm", "A <a@b>")
    assert git(repo, "branch", "--list", "rocm") == b""


def test_branch_needs_an_author(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--author"):
        write_branch(ported(repo, part(AFTER)), "rocm", "nobody")


def test_no_change_makes_no_branch(repo: Path) -> None:
    assert write_branch(ported(repo), "rocm", "A <a@b>") == []
    assert git(repo, "branch", "--list", "rocm") == b""
