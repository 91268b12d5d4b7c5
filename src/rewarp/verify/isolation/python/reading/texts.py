"""What the text of a file says beside its code: comments that do something, and marks around insertions."""

from __future__ import annotations

import io
import os
import re
import tokenize
from functools import lru_cache
from pathlib import PurePosixPath

from rewarp.verify.isolation.python.reading.project import Project

_WORKS = re.compile(r"#\s*(?:///|cython:|distutils:)")
_TYPE = re.compile(r"#\s*type:")
_BEGIN = re.compile(rb"^\s*#\s*rewarp:\s*begin\b")
_END = re.compile(rb"^\s*#\s*rewarp:\s*end\b")
_VERSION = re.compile(rb"(?i)(?<![.\w])_*version")
_READING = rb"\b(?:open|read_text|read_bytes|exec|parse|run_path|md5|sha\w+)\s*\("
_READS_ITSELF = re.compile(
    rb"\bopen\(\s*__file__|Path\(\s*__file__\s*\)(?:\.resolve\(\))?\.read_|\bgetsource\w*\(\s*sys\.modules"
)
_LINE = re.compile(rb"#\s*rewarp:\s*line\s*$")


@lru_cache(maxsize=8)
def working_comments(data: bytes, reads_types: bool) -> tuple[str, ...]:
    """Comments that change what a program does: the interpreter's line, script metadata, directives of compilers that
    read comments, types that TorchScript reads."""
    found = [data.partition(b"\n")[0].decode("latin-1")] if data.startswith(b"#!") else []
    metadata = False
    for token in tokenize.tokenize(io.BytesIO(data).readline):
        if token.type != tokenize.COMMENT:
            continue
        if re.match(r"#\s*///", token.string):
            metadata = not metadata
        if metadata or _WORKS.match(token.string) or (reads_types and _TYPE.match(token.string)):
            found.append(token.string)
    return tuple(found)


def read_as_text(path: str, before: bytes, after: bytes, project: Project) -> str | None:
    """Who reads the file as a text, and not as a module; to look for a version in it is no harm while that stays."""
    if _READS_ITSELF.search(before):
        return "it reads its own text"
    place = PurePosixPath(path)
    named = re.compile(_READING + rb"[^\n]*['\"/]" + re.escape(os.fsencode(place.name)) + rb"['\"]")
    versions = [[line for line in data.splitlines() if _VERSION.search(line)] for data in (before, after)]
    for other, data in project.python_files(tests=False):
        near = str(place.parent) in (".", str(PurePosixPath(other).parent)) or os.fsencode(place.parent.name) in data
        if place.name.encode() in data and near and named.search(data):
            if not (b"version" in data and versions[0] == versions[1]):
                return f"{other} reads it as a text"
    return None


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
