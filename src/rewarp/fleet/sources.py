"""Which repositories: a list of addresses, or a folder with repositories in it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rewarp.errors import UsageError
from rewarp.fleet.request import Repository

_DEEPEST = 4
"""Folders below the given one in which repositories are looked for."""
_SCP = re.compile(r"(?:[\w.+-]+@)?[\w.-]+:(?!//)(.+)")
"""``git@host:owner/name.git``, ssh without saying so."""
_URL = re.compile(r"[a-zA-Z][\w+.-]*:(//|:)")
_REVISION = re.compile(r"[\w./+@-]+")
_SCHEMES = ("https", "ssh", "file")


class NotTaken(UsageError):
    """An address that nothing is cloned from."""


def read_list(lines: Iterable[str], folder: Path) -> list[Repository]:
    """``SOURCE [REVISION]`` in each line; ``#`` begins a comment. Paths are below ``folder``. An address that is not taken has its
    row like the others, without what is secret in it."""
    found = []
    for number, line in enumerate(lines, 1):
        words = re.sub(r"(^|\s)#.*", "", line).split()
        if not words:
            continue
        if len(words) > 2:
            raise UsageError(f"line {number}: an address and a revision are expected, not {len(words)} words")
        try:
            found.append(_repository(folder, *words))
        except UsageError as error:
            raise UsageError(f"line {number}: {error}") from None
    return _named_apart(found)


def find_repositories(folder: Path) -> list[Repository]:
    """The git repositories in a folder, bare ones too, not those inside others."""
    found = []
    pending = [(folder, 0)]
    while pending:
        place, depth = pending.pop()
        if _is_repository(place):
            source = os.path.realpath(place)
            found.append(Repository(_relative(place, folder) or place.resolve().name, source))
        elif depth < _DEEPEST:
            try:
                inner = [entry for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]
            except OSError as error:
                raise UsageError(f"{place}: {error.strerror or error}") from None
            pending += [(Path(entry.path), depth + 1) for entry in inner if not entry.name.startswith(".")]
    return _named_apart(sorted(found, key=lambda repository: repository.name))


def _relative(place: Path, folder: Path) -> str:
    path = os.path.relpath(place, folder)
    return "" if path == "." else path


def _is_repository(place: Path) -> bool:
    return (place / ".git").exists() or all((place / name).exists() for name in ("HEAD", "objects", "refs"))


def _repository(folder: Path, source: str, revision: str | None = None) -> Repository:
    if revision is not None and (revision.startswith("-") or not _REVISION.fullmatch(revision)):
        raise UsageError(f"{revision!r} is not a branch, tag or commit")
    if not _URL.match(source) and not (_SCP.fullmatch(source) and not os.path.lexists(folder / source)):
        place = folder / os.path.expanduser(source)
        return Repository(place.resolve().name, os.path.realpath(place), revision)
    try:
        check_address(source)
        name = _name(source)
    except NotTaken:
        name = source = _without_secret(source)
    return Repository(name, source, revision)


def check_address(source: str) -> None:
    """Raises NotTaken for what is no https, ssh or file address, or holds a secret."""
    if not _URL.match(source):
        if source.startswith("-"):
            raise NotTaken(f"{source!r} is not an address")
        return
    scheme = source.partition(":")[0].lower()
    if scheme not in _SCHEMES or not source[len(scheme) :].startswith("://"):
        raise NotTaken(f"{_without_secret(source)}: only https, ssh and files are cloned")
    try:
        parts = urlsplit(source)
        _ = parts.port  # what is no number is no port, but perhaps a password with a slash in it
    except ValueError:
        raise NotTaken(f"{_without_secret(source)}: no address that could be read") from None
    if parts.password is not None or (scheme == "https" and parts.username):
        raise NotTaken(
            f"{_without_secret(source)}: an address with a name or a password in it would be written into the results; "
            "git's credential helpers keep those"
        )
    if (parts.hostname or "").startswith("-") or (scheme != "file" and not parts.hostname):
        raise NotTaken(f"{_without_secret(source)}: no host that could be asked")


def _without_secret(source: str) -> str:
    """An address that is not taken; neither is what becomes of it here."""
    return re.sub(r"//.*@", "//…:…@", source)


def _name(source: str) -> str:
    """``owner/name`` of an address."""
    scp = None if _URL.match(source) else _SCP.fullmatch(source)
    path = scp[1] if scp else unquote(urlsplit(source).path)
    parts = [part for part in path.split("/") if part]
    name = "/".join(parts[-2:]) if not source.startswith("file:") else "/".join(parts[-1:])
    return name.removesuffix(".git") or source


def _named_apart(found: list[Repository]) -> list[Repository]:
    """Each once, and no two of one name: those are called by their addresses."""
    once = list(dict.fromkeys(found))
    names = Counter(repository.name for repository in once)
    return [one if names[one.name] == 1 else replace(one, name=_whole(one)) for one in once]


def _whole(repository: Repository) -> str:
    return repository.source + (f" {repository.revision}" if repository.revision else "")
