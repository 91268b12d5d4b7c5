"""The skill as a folder: written whole, never over what somebody else wrote."""

from __future__ import annotations

from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import refuse_links, write_whole
from rewarp.skill import GUIDE, NAME, files

_OURS = f"name: {NAME}\n"


def stale(folder: Path) -> list[str]:
    """The files of the skill that are not there as this version writes them, and references that it no longer has."""
    wanted = files()
    there = {file.relative_to(folder).as_posix() for file in folder.glob("references/*.md")}
    return [path for path, text in wanted.items() if _text(folder / path) != text] + sorted(there - set(wanted))


def write_skill(folder: Path, force: bool = False) -> list[str]:
    """Writes what is not there yet or differs; gives the paths that changed."""
    guide = _text(folder / GUIDE)
    if not force and (folder.is_dir() and any(folder.iterdir()) and (guide is None or _OURS not in guide)):
        raise UsageError(f"{folder} holds something that is not this skill: choose another folder, or --force")
    wanted = files()
    changed = stale(folder)
    try:
        refuse_links(folder.parent, [f"{folder.name}/{path}" for path in changed])
        (folder / "references").mkdir(parents=True, exist_ok=True)
        for path in changed:
            if path in wanted:
                write_whole(folder / path, wanted[path])
            else:
                (folder / path).unlink()
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None
    return changed


def _text(file: Path) -> str | None:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
