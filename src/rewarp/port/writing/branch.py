"""A port as a git branch: one commit a phase, built beside the work tree, which is not touched; no hook runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from rewarp import __version__, git
from rewarp.errors import UsageError
from rewarp.escape import visible
from rewarp.port.result import Port
from rewarp.port.steps import Step
from rewarp.targets import Target
from rewarp.verdict import plural

_AUTHOR = re.compile(r"[^<>\n]+ <[^<>\n]+>")
_WRAP = 72


def write_branch(
    port: Port, name: str, author: str | None = None, say: Callable[[str], None] = lambda note: None
) -> list[str]:
    """Make the branch; gives its commits, the first one first."""
    root = port.after.root
    head = git.head(root)
    if head is None:
        raise UsageError(f"{root} is no git repository with a commit: a branch has nothing to start from")
    note = _refuse(root, name, port)
    if note:
        say(note)
    prefix = _answer(root, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n")
    steps = [step for step in port.steps if step.changes]
    if not steps:
        return []
    stream = _stream(port, steps, f"refs/heads/{name}", head, prefix, author or _identity(root))
    done = git.run(root, "fast-import", "--quiet", "--date-format=raw", input=stream)
    if done is None or done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()[:1] if done else []
        raise UsageError(f"git could not make the branch {name}: {' '.join(said) or 'git could not be run'}")
    return _answer(root, "rev-list", "--reverse", f"{head}..refs/heads/{name}").decode().split()


def _refuse(root: Path, name: str, port: Port) -> str | None:
    """Raises UsageError where no branch can be made; gives what else is to be said."""
    checked = git.run(root, "check-ref-format", "--branch", name)
    if checked is None or checked.returncode != 0:
        raise UsageError(f"--branch: {name!r} is no name for a branch")
    known = git.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{name}")
    if known is not None and known.returncode == 0:
        raise UsageError(
            f"--branch: {name} exists already: give another name, or delete it with `git branch -D {name}`"
        )
    git.refuse_filtered(root, port.after.changes())
    unsaved = git.uncommitted(root, [root / path for path in port.after.changes()])
    if unsaved and unsaved.paths:
        raise UsageError(
            f"--branch starts from the last commit, and not committed are: {git.some(unsaved.paths)}. "
            "Commit or stash first; a patch needs neither"
        )
    return unsaved.note if unsaved else None


def _identity(root: Path) -> str:
    """Who git takes the user for."""
    done = git.run(root, "var", "GIT_AUTHOR_IDENT")
    text = done.stdout.decode("utf-8", "replace") if done is not None and done.returncode == 0 else ""
    if match := _AUTHOR.match(text):
        return match[0]
    raise UsageError("git does not know who you are: set user.name and user.email, or give --author 'Name <mail>'")


# --- what git reads -------------------------------------------------------------------------


def _stream(port: Port, steps: list[Step], ref: str, head: str, prefix: str, author: str) -> bytes:
    if not _AUTHOR.fullmatch(author):
        raise UsageError(f"--author: {author!r} is not of the form 'Name <mail>'")
    who = f"{author} {int(time.time())} +0000".encode("utf-8", "surrogateescape")
    parts: list[bytes] = []
    for number, step in enumerate(steps):
        parts += (
            b"commit %s\n" % ref.encode(),
            b"author %s\ncommitter %s\n" % (who, who),
            _data(message(step, port.target).encode("utf-8", "surrogateescape")),
            b"from %s\n" % head.encode() if number == 0 else b"",
        )
        for change in step.changes:
            path = _path(prefix + change.path)
            if change.after is None:
                parts.append(b"D %s\n" % path)
            else:
                mode = b"100%o" % port.after.mode(change.path)
                parts += (b"M %s inline %s\n" % (mode, path), _data(_as_stored(port, change.path, change.after)))
    return b"".join(parts) + b"done\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _path(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    quoted = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + quoted + b'"'


def _as_stored(port: Port, path: str, data: bytes) -> bytes:
    """A file as git keeps it: it may convert line ends or filter, and what it keeps must not change in whole."""
    before = port.before.read(path)
    if before is None:
        return data
    root = port.after.root
    kept = _answer(root, "cat-file", "blob", f"HEAD:./{path}")
    if kept == before:
        return data
    if kept == before.replace(b"\r\n", b"\n"):
        return data.replace(b"\r\n", b"\n")
    raise UsageError(
        f"{path}: git keeps it in another form than the work tree has (a filter): use a patch, or --in-place"
    )


def _answer(root: Path, *arguments: str) -> bytes:
    done = git.run(root, *arguments)
    if done is None or done.returncode != 0:
        raise UsageError(
            f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip() if done else 'cannot run'}"
        )
    return done.stdout


# --- messages -------------------------------------------------------------------------------


def message(step: Step, target: Target) -> str:
    """What a phase changed and why, by file."""
    import textwrap

    lines = [f"Port to {target.title}, {step.phase.title}: {plural(len(step.changes), 'file')}", ""]
    for change in step.changes:
        rules = f" ({', '.join(change.rules)})" if change.rules else ""
        lines += textwrap.wrap(
            visible(f"- {change.path}: {change.why}{rules}"),
            _WRAP,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    if step.manual:
        lines += ["", f"Left to a person in this phase: {plural(len(step.manual), 'place')}."]
    lines += ["", f"Made by rewarp {__version__}."]
    return "\n".join(lines) + "\n"
