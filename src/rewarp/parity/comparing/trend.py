"""Scores over history: the commits that touch either back end, each compared as it was. Nothing is checked out.

A commit whose score cannot be computed is a hole in the line, with the reason; it is never zero and never guessed from
its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath

from rewarp import git, workspace
from rewarp.errors import RewarpError, UsageError
from rewarp.parity.comparing.compare import compare
from rewarp.parity.kernels.sources import language_of
from rewarp.parity.names.backends import backend_of, canonical
from rewarp.parity.scoring.scores import score
from rewarp.parity.settings import load

MOST_COMMITS = 40
"""Commits that are compared where nothing else is asked for."""
_RECORD, _FIELD = "\x1e", "\x1f"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Commit:
    name: str
    date: str
    """When it was committed, ISO 8601."""
    subject: str


@dataclass(frozen=True)
class Point:
    """One commit, scored."""

    commit: Commit
    shares: Mapping[str, Fraction] = field(default_factory=dict)
    """The score of each kind of unit that A has there."""
    gaps: int | None = None
    """Units in which B is not level; None where that was not computed."""
    why_not: str = ""
    """Why there is no score."""

    @property
    def lowest(self) -> Fraction | None:
        return min(self.shares.values(), default=None)


@dataclass(frozen=True)
class Trend:
    """Points along the first-parent history, the oldest first."""

    root: str
    revisions: str
    a: str
    b: str
    points: tuple[Point, ...]
    touching: int
    """Commits in the range that touch either side; those that were not looked at too."""
    was_stopped: bool = False

    @property
    def kinds(self) -> list[str]:
        return sorted({kind for point in self.points for kind in point.shares})

    @property
    def has_score(self) -> bool:
        return any(point.shares for point in self.points)


def trend(
    repository: Path,
    revisions: str,
    a: str | None = None,
    b: str | None = None,
    *,
    folder: str = "",
    every: int | None = None,
    most: int = MOST_COMMITS,
    jobs: int | None = None,
    use_cache: bool = True,
    progress: Progress = lambda done, total: None,
) -> Trend:
    """Compare the commits of a range `A..B`. Ctrl-C ends it early and keeps what was computed."""
    start, end = _ends(revisions)
    settings = load(workspace.Commit(repository, end, folder))
    a, b = canonical(a or settings.a or "cuda"), canonical(b or settings.b or "rocm")
    if a == b:
        raise UsageError(f"{a} cannot be compared with itself")
    found = commits(repository, start, end, folder, (a, b))
    chosen = _chosen(found, every, most)
    points: list[Point] = []
    was_stopped = False
    try:
        for done, commit in enumerate(chosen):
            progress(done, len(chosen))
            points.append(_point(repository, commit, folder, a, b, jobs, use_cache))
        progress(len(chosen), len(chosen))
    except KeyboardInterrupt:
        was_stopped = True
    return Trend(str(repository), revisions, a, b, tuple(points), len(found), was_stopped)


def _ends(revisions: str) -> tuple[str, str]:
    start, dots, end = revisions.partition("..")
    if not dots or not start or end.startswith((".", "-")) or start.startswith("-"):
        raise UsageError(f"{revisions!r} is not a range of commits: write A..B, for example v1.0..HEAD")
    return start, end or "HEAD"


def commits(repository: Path, start: str, end: str, folder: str, sides: tuple[str, str]) -> list[Commit]:
    """The range's beginning, the first-parent commits after it that touch either side, and its end; oldest first."""
    first, last = _described(repository, start), _described(repository, end)
    between = _log(repository, f"{first.name}..{last.name}", folder)
    touching = [commit for commit, paths in between if any(_touches(path, sides) for path in paths)]
    return list({commit.name: commit for commit in (first, *touching, last)}.values())


def _described(repository: Path, revision: str) -> Commit:
    form = f"%H{_FIELD}%cI{_FIELD}%s"
    done = git.run(repository, "log", "-1", f"--format={form}", "--end-of-options", revision, "--")
    if done is None or done.returncode != 0 or not done.stdout.strip():
        raise UsageError(f"{revision!r} is not a revision of a git repository at {repository}")
    return _commit(done.stdout.decode("utf-8", "replace").strip("\n"))


def _log(repository: Path, revisions: str, folder: str) -> list[tuple[Commit, list[str]]]:
    """Commits of a range with the files that each changed against its first parent, oldest first."""
    form = f"{_RECORD}%H{_FIELD}%cI{_FIELD}%s"
    options = ("--first-parent", "-m", "--reverse", "--no-renames", "--no-ext-diff", "--name-only", f"--format={form}")
    done = git.run(
        repository, "log", *options, "--end-of-options", revisions, "--", *([f":/{folder}"] if folder else [])
    )
    if done is None or done.returncode != 0:
        raise UsageError(f"git could not list the commits {revisions} of {repository}")
    found = []
    for record in done.stdout.decode("utf-8", "surrogateescape").split(_RECORD)[1:]:
        head, _, names = record.partition("\n")
        found.append((_commit(head), [name for name in names.splitlines() if name]))
    return found


def _commit(text: str) -> Commit:
    name, date, subject = (text.split(_FIELD, 2) + ["", ""])[:3]
    return Commit(name, date, subject)


def _touches(path: str, sides: tuple[str, str]) -> bool:
    """Whether a changed file is either back end's, by its path or its language."""
    parts = PurePosixPath(path).parts
    return language_of(path) in sides or any(backend_of(PurePosixPath(part).stem) in sides for part in parts)


def _chosen(found: list[Commit], every: int | None, most: int) -> list[Commit]:
    """Every n-th commit, or as many as asked for, evenly; the last always."""
    if every is not None:
        return list({commit.name: commit for commit in (*found[::every], found[-1])}.values())
    if len(found) <= most:
        return found
    if most == 1:
        return found[-1:]
    step = (len(found) - 1) / (most - 1)
    return [found[round(place * step)] for place in range(most)]


def _point(repository: Path, commit: Commit, folder: str, a: str, b: str, jobs: int | None, use_cache: bool) -> Point:
    try:
        parity = compare(workspace.Commit(repository, commit.name, folder), a, b, jobs=jobs, use_cache=use_cache)
    except RewarpError as error:
        return Point(commit, why_not=str(error))
    scores = score(parity)
    if scores.lowest is None:
        more = f" (and {len(scores.blocked_by) - 1} more)" if len(scores.blocked_by) > 1 else ""
        return Point(commit, why_not=(scores.blocked_by[0] if scores.blocked_by else "nothing to compare") + more)
    shares = {kind.kind: kind.share for kind in scores.kinds if kind.share is not None}
    return Point(commit, shares, len(scores.gaps))
