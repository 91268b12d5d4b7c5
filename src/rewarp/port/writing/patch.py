"""A port as a patch for ``git apply``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from rewarp.edits import Edit
from rewarp.port.tree import Tree
from rewarp.port.writing.differences import differences
from rewarp.source import Span
from rewarp.translation import patch

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def as_patch(tree: Tree) -> bytes:
    """What differs from the disk, for ``git apply``."""
    return b"".join(_file_patch(path, tree) for path in sorted(tree.changes()))


def _file_patch(path: str, tree: Tree) -> bytes:
    before, after = tree.on_disk(path), tree.read(path)
    header = b"diff --git %s %s\n" % (_quoted(f"a/{path}"), _quoted(f"b/{path}"))
    if before is None:
        header += b"new file mode 100%o\n" % tree.mode(path)
        return header + (patch.new_file(path, after) if after else b"")
    if after is None:
        header += b"deleted file mode 100%o\n" % tree.mode(path)
        body = patch.changed_file(path, path, before, [Edit(Span(0, len(before)), b"")])
        return header + body.replace(b"\n+++ " + patch.quoted_name(f"b/{path}"), b"\n+++ /dev/null\n", 1)
    return header + patch.changed_file(path, path, before, _edits(before, after))


def _quoted(path: str) -> bytes:
    return patch.quoted_name(path).rstrip(b"\t\n")


def _edits(before: bytes, after: bytes) -> Iterator[Edit]:
    """Edits of whole lines that turn one text into another."""
    old, new = _LINE.findall(before), _LINE.findall(after)
    starts = [0, *accumulate(map(len, old))]
    for first, last, begin, end in differences(old, new):
        yield Edit(Span(starts[first], starts[last]), b"".join(new[begin:end]))
