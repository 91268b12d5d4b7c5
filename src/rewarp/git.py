"""Git, asked so that nothing that a repository configures can run.

A repository is not trusted: its configuration could name filters, a file-system monitor, hooks, an external diff, a text
converter, a program that checks signatures or a way to fetch, all of which git would execute. So only commands are used
that run nothing by themselves, with everything switched off that could make them; the filters are asked for by name,
since git has no switch for all of them.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rewarp.errors import UsageError

_SAFE = [
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "diff.external="),
    *("-c", "core.pager=cat"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.askPass="),
    *("-c", "credential.helper="),
    *("-c", "log.showSignature=false"),
    *("-c", "gpg.program=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "diff.ignoreSubmodules=dirty"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
]
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # Objects that a partial clone left out stay out: nothing is fetched behind the user's back, by older gits neither.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
_RUN_NOTHING = frozenset(
    "cat-file check-attr check-ref-format config fast-import log ls-files ls-tree rev-list rev-parse var".split()
)
_CONVERT = frozenset(["diff"])
"""Commands that look at the work tree's contents, and so pass them through filters."""
_NO_DIFF_PROGRAMS = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TIMEOUT = 120


def run(root: Path, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    """What git answers in a folder; None where it cannot be asked."""
    command, *rest = arguments
    if command in _CONVERT:
        disarmed = without_filters(root)
        return None if disarmed is None else _run(root, [*disarmed, command, *_NO_DIFF_PROGRAMS, *rest], input)
    if command not in _RUN_NOTHING:
        raise ValueError(f"nobody has looked at what a repository could make `git {command}` run")
    return _run(root, arguments, input)


def answer(root: Path, *arguments: str) -> bytes:
    """What git answers; a UsageError where it cannot."""
    done = run(root, *arguments)
    if done is None:
        raise UsageError("git could not be run, or did not answer in time")
    if done.returncode != 0:
        raise UsageError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def is_bare(root: Path) -> bool:
    """Whether a folder is a repository without a working tree."""
    done = run(root, "rev-parse", "--is-bare-repository")
    return done is not None and done.stdout.strip() == b"true"


def _run(root: Path, arguments: Iterable[str], input: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(
            ["git", "-C", str(root), *_SAFE, *arguments],
            input=input,
            capture_output=True,
            env={**os.environ, **_ENVIRONMENT, NOTHING: ""},
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


NOTHING = "REWARP_NOTHING"
"""An empty variable of the environment."""


def without_filters(root: Path) -> list[str] | None:
    """Options that empty every filter that is configured, whoever did it; None where git cannot say which."""
    listed = run(root, "config", "--list", "--name-only", "-z", "--includes")
    if listed is None or listed.returncode != 0:
        return None
    keys = {os.fsdecode(key) for key in listed.stdout.split(b"\0")}
    drivers = {key.rpartition(".")[0] for key in keys if key.startswith("filter.")}
    # The value comes from the environment: a driver's name may hold the `=` that ends a name in `-c name=value`.
    return [f"--config-env={driver}.{part}={NOTHING}" for driver in sorted(drivers) for part in _PARTS]


_PARTS = ("clean", "smudge", "process", "required")


def filtered(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Of some paths below a folder, those that git keeps through a filter (such as LFS), with its name."""
    wanted = sorted(set(paths))
    if not wanted:
        return {}
    done = run(root, "check-attr", "-z", "--stdin", "filter", input=b"".join(os.fsencode(p) + b"\0" for p in wanted))
    if done is None or done.returncode != 0:
        return {}
    fields = [os.fsdecode(field) for field in done.stdout.split(b"\0")]
    return {
        path: value
        for path, value in zip(fields[::3], fields[2::3])
        if value not in ("unspecified", "unset", "set")  # only a name calls a filter
    }


def refuse_filtered(root: Path, paths: Iterable[str]) -> None:
    """Raises UsageError for a path that git keeps through a filter: what it holds here is not what git holds."""
    for path, name in filtered(root, paths).items():
        raise UsageError(
            f"{path}: git keeps it through the filter {name!r}, which rewarp does not run: it is neither rewritten nor "
            "added; leave it out with --exclude"
        )


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


class Unsaved(NamedTuple):
    """What the last commit could not bring back."""

    paths: list[str]
    not_compared: list[str]
    """Kept through filters, which are not run: whether these differ is not known."""

    @property
    def note(self) -> str | None:
        return (
            f"not compared with the last commit, {_THROUGH}: {some(self.not_compared)}" if self.not_compared else None
        )


_THROUGH = "since git keeps them through filters (such as LFS) that rewarp does not run"


def some(paths: list[str]) -> str:
    """The first of many."""
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


_SHOWN = 5


def uncommitted(root: Path, files: Iterable[Path]) -> Unsaved | None:
    """Files below a folder that differ from the last commit, and of ``files`` those that no commit holds; None where
    git cannot say."""
    changed = run(root, "diff", "--name-only", "--relative", "-z", "HEAD", "--", ".")
    tracked = run(root, "ls-files", "-z", "--cached")
    if changed is None or changed.returncode != 0 or tracked is None or tracked.returncode != 0:
        return None
    known = {os.path.realpath(root / os.fsdecode(name)) for name in tracked.stdout.split(b"\0") if name}
    strangers = [str(file) for file in files if file.exists() and os.path.realpath(file) not in known]
    names = {os.fsdecode(name) for name in changed.stdout.split(b"\0") if name}
    hidden = filtered(root, names)
    return Unsaved(sorted((names - hidden.keys()) | set(strangers)), sorted(hidden))


def guard(root: Path, files: list[Path], option: str, force: bool) -> str | None:
    """Raises UsageError where files must not be written over: git keeps them through a filter, or, without ``force``,
    could not bring them back. Gives what else is to be said of it."""
    refuse_filtered(root, [os.path.relpath(file, root) for file in files])
    if force:
        return None
    unsaved = uncommitted(root, files)
    if unsaved is None:
        raise UsageError(f"{option}: not a git repository with a commit, so nothing could be undone; --force goes on")
    if unsaved.paths:
        raise UsageError(f"{option}: not committed: {some(unsaved.paths)}; commit first, or --force")
    return unsaved.note


_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


class Changed(NamedTuple):
    """What is new or changed since a revision, uncommitted work included."""

    lines: dict[str, set[int]]
    not_compared: list[str]
    """Kept through filters, which are not run: which of their lines changed is not known."""


def _nothing(root: Path, base: str) -> str | None:
    """The empty tree, where HEAD is meant and no commit is there yet: everything is new in a first commit."""
    told = run(root, "rev-parse", "--is-inside-work-tree", "--show-object-format") if base == "HEAD" else None
    inside, _, form = told.stdout.decode().strip().partition("\n") if told and told.returncode == 0 else ("", "", "")
    return _EMPTY_TREES.get(form) if inside == "true" else None


def changed_lines(root: Path, base: str) -> Changed:
    """Lines of each file below ``root`` that are new or changed since a revision."""
    if base.startswith("-"):
        raise UsageError(f"--diff: {base!r} is not a git revision")
    known = run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", base + "^{commit}")
    if known is None:
        raise UsageError("--diff needs git, and git could not be run")
    since = known.stdout.decode().strip() if known.returncode == 0 else _nothing(root, base)
    if not since:
        raise UsageError(f"--diff: {base!r} is not a revision of a git repository at {root}")
    # Whatever the repository says of how a difference is shown.
    options = "--no-color --text --relative --no-renames --src-prefix=a/ --dst-prefix=b/ --inter-hunk-context=0 -U0"
    done = run(root, "diff", *options.split(), since, "--", ".")
    if done is None or done.returncode != 0:
        raise UsageError(f"--diff: git diff failed: {done.stderr.decode(errors='replace').strip() if done else ''}")
    changed: dict[str, set[int]] = {}
    for name, lines in _hunks(done.stdout.split(b"\n")):
        changed.setdefault(name, set()).update(lines)
    others = run(root, "ls-files", "-z", "--others", "--exclude-standard")
    for untracked in others.stdout.split(b"\0") if others else []:
        if untracked:
            changed[os.fsdecode(untracked)] = _EVERY_LINE
    hidden = filtered(root, changed)
    return Changed({path: lines for path, lines in changed.items() if path not in hidden}, sorted(hidden))


def _hunks(lines: list[bytes]) -> Iterator[tuple[str, range]]:
    """The lines that a difference without context adds, by file."""
    name, at = "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"+++ "):
            name = _unquoted(line[4:].rstrip(b"\t")).removeprefix("b/")
        elif hunk := _HUNK.match(line):
            removed, start, added = (int(1 if number is None else number) for number in hunk.groups())
            yield name, range(start, start + added)
            # What a file holds may look like a header; it is counted, not read.
            left = removed + added
            while left and at < len(lines):
                left -= not lines[at].startswith(b"\\")
                at += 1


def _unquoted(name: bytes) -> str:
    """A file's name as git writes it: in quotes, with escapes, where it holds what a line should not."""
    if name.startswith(b'"'):
        name = _ESCAPE.sub(lambda found: _ESCAPES.get(found[1]) or bytes([int(found[1], 8)]), name[1:-1])
    return os.fsdecode(name)


_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-3][0-7]{2})')
_ESCAPES = {key.encode(): value.encode() for key, value in zip('abtnvfr"\\', '\a\b\t\n\v\f\r"\\')}


class _AllLines(set[int]):
    """A set that holds every line: the file is new."""

    def __contains__(self, line: object) -> bool:
        return True


_EVERY_LINE = _AllLines()
