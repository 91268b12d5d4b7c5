"""Git, asked read-only and so that nothing in the repository's own configuration can run.

A scanned repository is not trusted: its config could name a file-system monitor, hooks, an
external diff or a text converter, all of which git would execute.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from rewarp.errors import UsageError

_SAFE = [
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "diff.external="),
    *("-c", "core.pager=cat"),
    *("-c", "core.quotePath=false"),
]
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_TIMEOUT = 120


def run(root: Path, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    """What git answers in a folder; None where it cannot be asked."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    # Objects that a partial clone left out stay out: nothing is fetched behind the user's back.
    environment["GIT_NO_LAZY_FETCH"] = "1"
    try:
        return subprocess.run(
            ["git", "-C", str(root), *_SAFE, *arguments],
            input=input,
            capture_output=True,
            env=environment,
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def head(root: Path) -> str | None:
    """The commit that a folder is at; None outside a repository, or before the first commit."""
    done = run(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return done.stdout.decode().strip() if done is not None and done.returncode == 0 else None


def listed_files(root: Path) -> list[str] | None:
    """Files below ``root`` that git tracks or does not ignore; None where git cannot say."""
    done = run(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    if done is None or done.returncode != 0:
        return None
    # No file listed may mean that the whole folder is ignored by a repository around it.
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name) or None


def uncommitted(root: Path, files: Iterable[Path]) -> list[str] | None:
    """Files below a folder that differ from the last commit, and of ``files`` those that no commit holds; None where
    git cannot say."""
    changed = run(root, "diff", "--name-only", "--relative", "--no-ext-diff", "--no-textconv", "-z", "HEAD", "--", ".")
    tracked = run(root, "ls-files", "-z", "--cached")
    if changed is None or changed.returncode != 0 or tracked is None or tracked.returncode != 0:
        return None
    known = {os.path.realpath(root / os.fsdecode(name)) for name in tracked.stdout.split(b"\0") if name}
    strangers = [str(file) for file in files if file.exists() and os.path.realpath(file) not in known]
    return sorted({os.fsdecode(name) for name in changed.stdout.split(b"\0") if name} | set(strangers))


def changed_lines(root: Path, base: str) -> dict[str, set[int]]:
    """Lines of each file below ``root`` that are new or changed since a revision, uncommitted work included."""
    if base.startswith("-"):
        raise UsageError(f"--diff: {base!r} is not a git revision")
    known = run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", base + "^{commit}")
    if known is None:
        raise UsageError("--diff needs git, and git could not be run")
    if known.returncode != 0:
        raise UsageError(f"--diff: {base!r} is not a revision of a git repository at {root}")
    commit = known.stdout.decode().strip()
    options = ("--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--no-renames", "-U0")
    done = run(root, "diff", *options, commit, "--", ".")
    if done is None or done.returncode != 0:
        raise UsageError(f"--diff: git diff failed: {done.stderr.decode(errors='replace').strip() if done else ''}")
    changed: dict[str, set[int]] = {}
    lines: set[int] = set()
    for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
        if line.startswith("+++ "):
            name = line[4:].rstrip("\t")
            name = name[1:-1] if name.startswith('"') else name
            lines = changed.setdefault(name.removeprefix("b/"), set())
        elif hunk := _HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(start, start + count))
    others = run(root, "ls-files", "-z", "--others", "--exclude-standard")
    for untracked in others.stdout.split(b"\0") if others else []:
        if untracked:
            changed[os.fsdecode(untracked)] = _EVERY_LINE
    return changed


class _AllLines(set[int]):
    """A set that holds every line: the file is new."""

    def __contains__(self, line: object) -> bool:
        return True


_EVERY_LINE = _AllLines()
