"""What the text of a file says beside its code: comments that do something, and marks around insertions."""

from __future__ import annotations

import io
import re
import tokenize
from functools import lru_cache

_WORKS = re.compile(r"#\s*(?:///|cython:|distutils:)")
_TYPE = re.compile(r"#\s*type:")
_BEGIN = re.compile(rb"^\s*#\s*rewarp:\s*begin\b")
_END = re.compile(rb"^\s*#\s*rewarp:\s*end\b")
_LINE = re.compile(rb"#\s*rewarp:\s*line\s*$")


@lru_cache(maxsize=8)
def working_comments(data: bytes) -> tuple[str, ...]:
    """Comments that change what a program does: the interpreter's line, script metadata, directives of compilers that
    read comments, types that TorchScript reads."""
    found = [data.partition(b"\n")[0].decode("latin-1")] if data.startswith(b"#!") else []
    reads_types = b"jit" in data and b"script" in data.lower()
    metadata = False
    for token in tokenize.tokenize(io.BytesIO(data).readline):
        if token.type != tokenize.COMMENT:
            continue
        if re.match(r"#\s*///", token.string):
            metadata = not metadata
        if metadata or _WORKS.match(token.string) or (reads_types and _TYPE.match(token.string)):
            found.append(token.string)
    return tuple(found)


def without_marked(data: bytes) -> bytes | None:
    """The file without its marked insertions; None where nothing is marked, or a mark has no other end."""
    kept: list[bytes] = []
    inside = marked = False
    for line in data.splitlines(keepends=True):
        if _BEGIN.match(line) and not inside:
            inside = marked = True
        elif _END.match(line):
            if not inside:
                return None
            inside = False
        elif _LINE.search(line.rstrip(b"\r\n")):
            marked = True
        elif not inside:
            kept.append(line)
    return b"".join(kept) if marked and not inside else None
