"""Where translated files go: each way to use a translation, as a list of files to write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.files import NewFile, refuse_links
from rewarp.translation import patch
from rewarp.translation.changes import SUPPORT_HEADER, Translation
from rewarp.translation.support import support_for, support_header
from rewarp.translation.tree import TranslatedTree


def mirror(tree: TranslatedTree, out: Path) -> list[NewFile]:
    """The whole tree elsewhere: translated files under their new names, all others as they are."""
    files = [
        NewFile(out / file.new_path, file.outcome.data, tree.place(file.path))
        for file in tree.files
        if isinstance(file.outcome, Translation)
    ]
    support = support_files(tree, out, anew=True)
    fresh = {new.file for new in support}
    copies = [NewFile(out / path, None, origin) for path, origin in tree.others if out / path not in fresh]
    return _distinct(files + copies) + support


def next_to(tree: TranslatedTree) -> list[NewFile]:
    """The files that change, under their new names, beside the old ones."""
    changed = _changed(tree)
    originals = {new.origin for new in changed}
    for new in changed:
        if new.file in originals:
            raise UsageError(f"{new.origin} would be written to {new.file}, which is another source: give --suffix")
    return _distinct(changed) + support_files(tree, _top(tree))


def in_place(tree: TranslatedTree) -> list[NewFile]:
    """The files that change, over the old ones."""
    changed = _changed(tree)
    top = _top(tree)
    refuse_links(top, [os.path.relpath(new.file, top) for new in changed])
    return changed + support_files(tree, top)


def _changed(tree: TranslatedTree) -> list[NewFile]:
    return [
        NewFile(tree.place(file.new_path), file.outcome.data, tree.place(file.path))
        for file in tree.changed
        if isinstance(file.outcome, Translation)
    ]


def _distinct(files: list[NewFile]) -> list[NewFile]:
    """The same files; raises UsageError when two of them would become one."""
    seen: dict[Path, NewFile] = {}
    for new in files:
        other = seen.setdefault(new.file, new)
        if other is not new:
            raise UsageError(f"{other.origin} and {new.origin} would both become {new.file}: give another --suffix")
    return files


def _top(tree: TranslatedTree) -> Path:
    return tree.place(SUPPORT_HEADER).parent


def support_files(tree: TranslatedTree, folder: Path, *, anew: bool = False) -> list[NewFile]:
    """The support header, where something includes it: of one that is there already nothing goes away."""
    if not tree.needs_support:
        return []
    file = folder / SUPPORT_HEADER
    if tree.whole_support:
        return [NewFile(file, support_header())]
    before = file.read_bytes() if not anew and file.is_file() else None
    return [NewFile(file, support_for([translation.data for translation in tree.translations], before))]


def refuse_strangers(files: Iterable[NewFile]) -> None:
    """Raises UsageError where a file would be lost that is not the same already."""
    lost = [new.file for new in files if os.path.lexists(new.file) and not new.is_written()]
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        raise UsageError(f"{lost[0]}{more} exists and differs; --force replaces it")


def single(tree: TranslatedTree, file: Path) -> list[NewFile]:
    """A file that came from nowhere, under a name of its own."""
    return [NewFile(file, translation.data) for translation in tree.translations] + support_files(tree, file.parent)


def as_patch(tree: TranslatedTree, files: Iterable[NewFile]) -> bytes:
    """The change as a unified diff; the support header is part of it where ``files`` holds it and the disk does not."""
    parts = [
        patch.changed_file(file.path or "-", file.new_path or "-", translation.source.data, translation.edits)
        for file in tree.changed
        if (translation := file.translation)
    ]
    added = [new for new in files if new.file.name == SUPPORT_HEADER and not new.file.exists()]
    return b"".join(parts + [patch.new_file(SUPPORT_HEADER, new.data or b"") for new in added])
