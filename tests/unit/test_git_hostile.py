"""A repository that configures everything git could run: nothing of it runs, and what it hides is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rewarp import git
from rewarp.errors import UsageError

KERNEL = """#include <cuda_runtime.h>
__global__ void k(float *p) { p[0] = __shfl_down_sync(0xffffffff, p[threadIdx.x], 16); }
void f(void **p) { cudaMalloc(p, 4); k<<<1, 32>>>((float *)*p); }
"""
SETUP = """from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(ext_modules=[CUDAExtension("k", ["k.cu"])], cmdclass={"build_ext": BuildExtension})
"""
HOOKS = "pre-commit post-checkout post-index-change reference-transaction pre-auto-gc post-rewrite".split()
WHO = ("-c", "user.name=n", "-c", "user.email=e@example.org")


def plain_git(folder: Path, *arguments: str, input: bytes = b"") -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *WHO, *arguments], input=input, capture_output=True, check=True)
    return done.stdout


def stale(folder: Path) -> None:
    """Git trusts what it knows of a file's date; without that it has to look into the file, and so to filter it."""
    for file in folder.rglob("*"):
        if file.is_file() and ".git" not in file.parts:
            os.utime(file, (1_000_000_000, 1_000_000_000))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "executed"


@pytest.fixture
def evil(tmp_path: Path, marker: Path) -> str:
    script = tmp_path / "evil"
    for file, said in ((script, "$*"), (tmp_path / "evil-gpg", "gpg")):
        file.write_text(f'#!/bin/sh\necho "{said}" >> "{marker}"\nexec cat\n')
        file.chmod(0o755)
    return str(script)


@pytest.fixture
def hostile(tmp_path: Path, evil: str) -> Path:
    """Two commits, the second one signed, a submodule, and a configuration that runs something wherever git allows it."""
    folder = tmp_path / "hostile"
    inner = folder / "inner"
    inner.mkdir(parents=True)
    for place in (inner, folder):
        plain_git(place, "init", "-q")
        (place / "k.cu").write_text(KERNEL)
        (place / "setup.py").write_text(SETUP)
        (place / "notes.txt").write_text("1\n")
        plain_git(place, "add", "-A")
        plain_git(place, "commit", "-q", "-m", "one")
    (folder / "a.py").write_text("import torch\nx = torch.cuda.get_device_capability()\n")
    (folder / ".gitattributes").write_text(
        "*.txt filter=evil diff=evil\n*.dat filter=a=b\n*.py diff=evil\n*.bin filter=c\n"
    )
    (folder / "x.dat").write_text("1\n")
    (folder / "x.bin").write_text("1\n")
    plain_git(folder, "add", "-A")
    plain_git(folder, "commit", "-q", "-m", "two")
    _sign(folder)
    for name in ("notes.txt", "x.dat", "x.bin"):
        (folder / name).write_text("other\n")
    _configure(folder, evil)
    _configure(inner, evil)
    stale(folder)
    return folder


def _sign(folder: Path) -> None:
    """A commit with a signature that somebody would have to check."""
    text = plain_git(folder, "cat-file", "commit", "HEAD")
    head, _, message = text.partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----"
    made = plain_git(folder, "hash-object", "-t", "commit", "-w", "--stdin", input=head + signature + b"\n\n" + message)
    plain_git(folder, "update-ref", "HEAD", made.decode().strip())


def _configure(folder: Path, evil: str) -> None:
    hooks = folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\n{evil} hook {name} </dev/null\n")
        (hooks / name).chmod(0o755)
    drivers = "".join(
        f'[filter "{name}"]\n\tclean = {evil} clean\n\tsmudge = {evil} smudge\n\tprocess = {evil} process\n'
        for name in ("evil", "a=b")
    )
    (folder / ".git" / "more").write_text(f'[filter "c"]\n\tclean = {evil} included\n')
    with (folder / ".git" / "config").open("a") as config:
        config.write(
            f"""
{drivers}
[include]
	path = more
[core]
	fsmonitor = {evil} fsmonitor
	hooksPath = {hooks}
	pager = {evil} pager
	editor = {evil} editor
	sshCommand = {evil} ssh
	askPass = {evil} askpass
	gitProxy = {evil} proxy
	alternateRefsCommand = {evil} alternates
[diff]
	external = {evil} external
	submodule = log
	ignoreSubmodules = none
	noprefix = true
	interHunkContext = 99
	trustExitCode = true
[diff "evil"]
	command = {evil} command
	textconv = {evil} textconv
[gpg]
	program = {evil}-gpg
[gpg "ssh"]
	program = {evil}-gpg
[log]
	showSignature = true
[alias]
	diff = !{evil} alias
	ls-files = !{evil} alias
	log = !{evil} alias
[credential]
	helper = !{evil} credential
[protocol "ext"]
	allow = always
[remote "origin"]
	url = ext::{evil} fetch
	promisor = true
	partialclonefilter = blob:none
	uploadpack = {evil} uploadpack
[submodule]
	recurse = true
[gc]
	auto = 1
"""
        )


def rewarp(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rewarp", *arguments]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, env=environment)


def test_the_trap_works(hostile: Path, marker: Path) -> None:
    """Git itself walks into it, at several places; otherwise the tests below would show nothing."""
    subprocess.run(["git", "-C", str(hostile), "status"], capture_output=True)
    subprocess.run(["git", "-C", str(hostile), "log", "-1"], capture_output=True)
    subprocess.run(["git", "-C", str(hostile), "diff", "HEAD~1"], capture_output=True)
    ran = {line.split()[0] for line in marker.read_text().splitlines()}
    assert ran >= {"fsmonitor", "process", "included", "gpg", "command", "hook"}


COMMANDS = [
    ["scan", "."],
    ["scan", ".", "--diff", "HEAD~1"],
    ["translate", "k.cu", "--in-place"],
    ["translate", ".", "--in-place", "--allow", "all"],
    ["waves", ".", "--fix"],
    ["waves", "k.cu", "--fix"],
    ["port", "."],
    ["port", ".", "--in-place"],
    ["port", ".", "--branch", "rocm", "--author", "N <n@example.org>"],
    ["verify", "."],
    ["verify", "isolation", "HEAD~1..HEAD"],
    ["verify", "isolation", "HEAD"],
    ["parity", "."],
    ["parity", "trend", "HEAD~1..HEAD"],
    ["translate", ".", "-o", "../out"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_that_a_repository_configures_runs(hostile: Path, marker: Path, arguments: list[str]) -> None:
    done = rewarp(hostile, *arguments)
    assert "Traceback" not in done.stderr
    assert not marker.exists(), marker.read_text()


def test_those_commands_do_their_work(hostile: Path) -> None:
    """Refusing everything would be safe as well."""
    assert rewarp(hostile, "port", ".", "--branch", "rocm", "--author", "N <n@example.org>").returncode in (0, 1)
    assert git.run(hostile, "rev-parse", "--verify", "refs/heads/rocm").returncode == 0  # type: ignore[union-attr]
    done = rewarp(hostile, "translate", "k.cu", "--in-place")
    assert "hipMalloc" in (hostile / "k.cu").read_text(), done.stderr
    assert "not compared with the last commit" in done.stderr
    assert "notes.txt" in done.stderr


def test_a_command_that_nobody_looked_at_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="git status"):
        git.run(tmp_path, "status")


# --- filters --------------------------------------------------------------------------------


@pytest.fixture
def lfs(tmp_path: Path) -> Path:
    """What git keeps is a pointer, what lies here the content; the filter is not even installed."""
    folder = tmp_path / "lfs"
    folder.mkdir()
    plain_git(folder, "init", "-q")
    (folder / ".gitattributes").write_text("*.cu filter=lfs diff=lfs merge=lfs -text\n")
    (folder / "k.cu").write_text("version https://git-lfs.example.org/spec/v1\noid sha256:00\nsize 5\n")
    (folder / "a.py").write_text("x = 1\n")
    plain_git(folder, "add", "-A")
    plain_git(folder, "commit", "-q", "-m", "one")
    (folder / "k.cu").write_text(KERNEL)
    return folder


def test_a_filtered_path_is_not_called_changed(lfs: Path) -> None:
    assert git.uncommitted(lfs, []) == git.Unsaved([], ["k.cu"])
    (lfs / "a.py").write_text("x = 2\n")
    assert git.uncommitted(lfs, [lfs / "new"]) == git.Unsaved(["a.py"], ["k.cu"])


def test_a_filtered_path_is_not_rewritten(lfs: Path) -> None:
    for arguments in (["translate", "k.cu", "--in-place", "--force"], ["waves", "k.cu", "--fix", "--force"]):
        done = rewarp(lfs, *arguments)
        assert done.returncode == 2
        assert "filter 'lfs'" in done.stderr
        assert (lfs / "k.cu").read_text() == KERNEL


@pytest.mark.parametrize("way", [["--in-place"], ["--in-place", "--force"], ["--branch", "b", "--author", "N <n@x.y>"]])
def test_a_port_adds_no_filtered_path(lfs: Path, way: list[str]) -> None:
    (lfs / ".gitattributes").write_text("*.hip filter=lfs\nDockerfile* filter=lfs\n*.h filter=lfs\n")
    (lfs / "setup.py").write_text(SETUP)
    plain_git(lfs, "add", "-A")
    plain_git(lfs, "commit", "-q", "-m", "two")
    before = plain_git(lfs, "rev-parse", "HEAD")
    done = rewarp(lfs, "port", ".", *way)
    assert done.returncode == 2
    assert "filter 'lfs'" in done.stderr
    assert plain_git(lfs, "status", "--porcelain") == b""
    assert plain_git(lfs, "rev-list", "--all").split()[0] == before.strip()


def test_lines_of_a_filtered_path_are_not_known(lfs: Path) -> None:
    changed = git.changed_lines(lfs, "HEAD")
    assert changed.not_compared == ["k.cu"]
    assert changed.lines == {}
    assert "which lines changed is not known" in rewarp(lfs, "scan", ".", "--diff", "HEAD", "--json").stdout


def test_line_ends_are_still_converted(tmp_path: Path) -> None:
    plain_git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("*.cu text eol=crlf\n")
    (tmp_path / "k.cu").write_bytes(KERNEL.replace("\n", "\r\n").encode())
    plain_git(tmp_path, "add", "-A")
    plain_git(tmp_path, "commit", "-q", "-m", "one")
    stale(tmp_path)
    assert git.uncommitted(tmp_path, []) == git.Unsaved([], [])
    assert git.changed_lines(tmp_path, "HEAD") == git.Changed({}, [])


# --- differences ----------------------------------------------------------------------------


def test_what_a_file_holds_is_no_header_of_a_difference(tmp_path: Path) -> None:
    plain_git(tmp_path, "init", "-q")
    odd = 'na"me\twith\\ü.py'
    for name in ("a.py", odd):
        (tmp_path / name).write_text("1\n2\n3\n")
    plain_git(tmp_path, "add", "-A")
    plain_git(tmp_path, "commit", "-q", "-m", "one")
    (tmp_path / "a.py").write_text("1\n++ b/other.py\n@@ -1 +7,9 @@\n3\nlast")
    (tmp_path / odd).write_text("1\n2\n4\x0c4\u20285\n")
    assert git.changed_lines(tmp_path, "HEAD").lines == {"a.py": {2, 3, 5}, odd: {3}}


@pytest.mark.parametrize("attribute", ["-diff", "binary", "diff=x"])
def test_a_repository_does_not_hide_its_changes(tmp_path: Path, attribute: str) -> None:
    plain_git(tmp_path, "init", "-q")
    plain_git(tmp_path, "config", "diff.x.binary", "true")
    (tmp_path / ".gitattributes").write_text(f"*.py {attribute}\n")
    (tmp_path / "a.py").write_text("1\n")
    plain_git(tmp_path, "add", "-A")
    plain_git(tmp_path, "commit", "-q", "-m", "one")
    (tmp_path / "a.py").write_text("1\n2\n")
    assert git.changed_lines(tmp_path, "HEAD").lines == {"a.py": {2}}


def test_guard_names_the_option(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--fix: not a git repository"):
        git.guard(tmp_path, [], "--fix", force=False)


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_everything_is_new_before_the_first_commit(tmp_path: Path, form: str) -> None:
    """What a commit hook sees in a repository that is just begun."""
    subprocess.run(["git", "init", "-q", f"--object-format={form}", tmp_path], check=True)
    (tmp_path / "a.py").write_text("a\nb\n")
    subprocess.run(["git", "-C", tmp_path, "add", "a.py"], check=True)
    assert git.changed_lines(tmp_path, "HEAD").lines == {"a.py": {1, 2}}
    with pytest.raises(UsageError, match="not a revision"):
        git.changed_lines(tmp_path, "HEAD~1")
