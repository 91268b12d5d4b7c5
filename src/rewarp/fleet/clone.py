"""A repository that nobody trusts, on this disk: over https, ssh or from files, and nothing of it runs.

No prompt (what needs one fails), no hooks, no submodules, no filters (so no LFS), no history. The user's own git settings
hold for the way there, proxies and credential helpers for instance; for the checkout all filters are emptied, whoever
configured them, since the repository chooses which of them its files go through.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from pathlib import Path

from rewarp import git
from rewarp.errors import RewarpError, UsageError
from rewarp.fleet.sources import check_address

_OPTIONS = [
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.askPass="),
    *("-c", "core.protectHFS=true"),
    *("-c", "core.protectNTFS=true"),
    *("-c", "submodule.recurse=false"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "protocol.version=2"),
    *("-c", "transfer.bundleURI=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
]
_OF_ANOTHER = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""What would make git work on another repository than the one that is meant."""
_PROMPTS = ("GIT_ASKPASS", "SSH_ASKPASS", "GIT_TEMPLATE_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MOST_FILES = 1_000_000
# A repository on this disk may be configured to fetch what it lacks, with a program of its choice: its side of the way
# may use no protocol at all.
_SERVE = "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git-upload-pack"


class NotCloned(RewarpError):
    """It could not be had."""


class TooLarge(NotCloned):
    """It would fill the disk."""


def commit_of(source: str, revision: str | None) -> str:
    """The commit that a revision is at its source; the source's default branch where there is none."""
    check_address(source)
    if revision and _COMMIT.fullmatch(revision):
        return revision
    wanted = [f"refs/heads/{revision}", f"refs/tags/{revision}^{{}}", f"refs/tags/{revision}"] if revision else ["HEAD"]
    listed = _git(["ls-remote", *_serving(source), "--", source, *wanted])
    lines = (line.partition("\t") for line in listed.decode("utf-8", "replace").splitlines())
    found = {name: commit for commit, _, name in lines}
    for name in wanted:
        if _COMMIT.fullmatch(found.get(name, "")):
            return found[name]
    raise NotCloned(f"there is no branch or tag {revision!r}" if revision else "it has no commit on its default branch")


def clone(source: str, commit: str, folder: Path, disk: int) -> None:
    """Check out a commit, without history, into a folder that is not there yet."""
    check_address(source)
    _git(["init", "--quiet", "--template=", "--", str(folder)])
    _git(["fetch", "--quiet", "--depth=1", "--no-tags", *_serving(source), "--", source, commit], folder)
    _refuse_too_large(folder, commit, disk)
    filters = git.without_filters(folder)
    if filters is None:
        raise NotCloned("git could not say which filters are configured")
    _git([*filters, "checkout", "--quiet", "--detach", commit], folder, protocols="none")


def submodules(folder: Path) -> list[str]:
    """Paths of a checkout at which its commit has other repositories."""
    listed = git.run(folder, "ls-files", "--stage", "-z")
    if listed is None or listed.returncode != 0:
        raise NotCloned("git could not list the files")
    return [os.fsdecode(line.partition(b"\t")[2]) for line in listed.stdout.split(b"\0") if line.startswith(b"160000 ")]


def _refuse_too_large(folder: Path, commit: str, disk: int) -> None:
    """A few kilobytes can be a tree of a million files: it is counted before it is there."""
    command = ["git", "-C", str(folder), *_OPTIONS, "ls-tree", "-r", "-l", "-z", "--full-tree", commit]
    files = size = 0
    rest = b""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment("none")
    ) as lister:
        assert lister.stdout is not None
        try:
            while chunk := lister.stdout.read(1 << 16):
                *entries, rest = (rest + chunk).split(b"\0")
                for entry in entries:
                    length = entry.partition(b"\t")[0].split()[-1]
                    files, size = files + 1, size + (int(length) if length.isdigit() else 0)
                if files > _MOST_FILES or size > disk:
                    raise TooLarge(f"its checkout has more than {files - 1:,} files or {disk / 1e9:.1f} GB")
        finally:
            with contextlib.suppress(OSError):
                lister.kill()
    if not files and not rest:
        raise NotCloned("the commit holds no file that git can list")


def _serving(source: str) -> list[str]:
    return [f"--upload-pack={_SERVE}"] if source.startswith(("/", "file:")) else []


def _environment(protocols: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in (*_OF_ANOTHER, *_PROMPTS)}
    return {
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GCM_INTERACTIVE": "never",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh") + " -oBatchMode=yes",
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
        git.NOTHING: "",
    }


def _git(arguments: list[str], folder: Path | None = None, protocols: str = "https:ssh:file") -> bytes:
    command = ["git", *(["-C", str(folder)] if folder else []), *_OPTIONS, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=_environment(protocols))
    except OSError as error:
        raise UsageError(f"git could not be run: {error.strerror}") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "")
        word = next(word for word in arguments if not word.startswith("-"))
        raise NotCloned(f"git {word}: {told or f'status {done.returncode}'}"[:600])
    return done.stdout
