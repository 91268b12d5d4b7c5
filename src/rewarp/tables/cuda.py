"""CUDA names and their HIP twins, from the files in ``names/``: one per library, tab-separated, kept by hand.

The files are read as bytes on first use, and a row is taken apart only when it is looked at:
thousands of Python objects at import would cost more than the whole translation of a file.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

COLUMNS = ("cuda", "hip", "roc", "kind", "status", "since", "removed", "note", "source")
KINDS = ("function", "type", "enumerator", "macro", "include", "namespace", "member", "keyword")
STATUSES = ("mapped", "noted", "supplied", "unsupported")
# Names of these kinds mean something only behind `::`, `.` or `->`, or are no tokens at all.
_SCOPED = (b"\tinclude\t", b"\tnamespace\t", b"\tmember\t")


class Twin(NamedTuple):
    """What is known of one CUDA name."""

    cuda: str
    hip: str
    """What to write instead; empty when there is nothing (or, for an include, when HIP needs none).
    Several headers are joined by ``;``."""
    roc: str
    """ROCm's own name, where it is another one than ``hip``."""
    kind: str
    """One of ``KINDS``."""
    library: str
    """The file it stands in: ``runtime``, ``driver``, ``device``, ``cublas``, ..."""
    status: str
    """``mapped``: the same meaning. ``noted``: mapped, and ``note`` says what to check. ``supplied``: HIP lacks it
    and rewarp's support header has it. ``unsupported``: there is no twin."""
    since: str
    """The first HIP version that has it, where that is later than 5.0."""
    removed: str
    """The CUDA version that removed the name."""
    note: str
    source: str

    @property
    def supported(self) -> bool:
        """Whether HIP itself has a twin."""
        return self.status in ("mapped", "noted")


Table = dict[bytes, bytes]
"""A name, and the rest of its row."""


@lru_cache(maxsize=1)
def libraries() -> tuple[str, ...]:
    """The libraries that have a file, in the order of their names."""
    return tuple(_files())


@lru_cache(maxsize=1)
def names() -> Table:
    """Every name that a token of a program can be, with the rest of its row; ``twin`` reads it. No includes,
    namespaces or members."""
    table: Table = {}
    for tokens, _ in _files().values():
        table |= tokens
    return table


@lru_cache(maxsize=1)
def renames() -> Table:
    """What a token becomes, for each that HIP has under another name."""
    table: Table = {}
    for name, row in names().items():
        hip, _, _, status, _ = row.split(b"\t", 4)
        if hip and hip != name and (status == b"mapped" or status == b"noted"):
            table[name] = hip
    return table


@lru_cache(maxsize=1)
def first_versions() -> dict[str, str]:
    """Of HIP's names that are later than 5.0 the first version that has each."""
    found = (row.split(b"\t", 5) for row in names().values() if b"\t\t\t\t" not in row)
    return {row[0].decode(): row[4].decode() for row in found if row[0] and row[4]}


@lru_cache(maxsize=4096)
def twin(name: bytes) -> Twin | None:
    """What is known of a token; None when no table lists it."""
    for library, (tokens, _) in _files().items():
        if name in tokens:
            return _twin(name, tokens[name], library)
    return None


@lru_cache(maxsize=1)
def namespaces() -> dict[bytes, Twin]:
    """The namespaces of CUDA's libraries."""
    return {
        name: _twin(name, row, library)
        for library, (_, scoped) in _files().items()
        for name, row in scoped.items()
        if b"\tnamespace\t" in row
    }


def member(library: str, name: bytes) -> Twin | None:
    """What is known of a name inside a namespace or class of a library, such as ``BlockReduce`` of ``cub``."""
    row = _files()[library][1].get(name)
    return _twin(name, row, library) if row and b"\tmember\t" in row else None


def includes() -> list[bytes]:
    """The paths of all headers that have a row; a ``*`` at the end stands for all below a folder."""
    return list(_files()["headers"][1])


@lru_cache(maxsize=4096)
def header(path: bytes) -> Twin | None:
    """What is known of a header by the path of its include. A row ``cutlass/*`` stands for all below a folder."""
    table = _files()["headers"][1]
    if path in table:
        return _twin(path, table[path], "headers")
    folder = path
    while folder:
        folder, _, _ = folder.rpartition(b"/")
        family = folder + b"/*"
        if folder and family in table:
            below = path[len(folder) + 1 :].decode()
            found = _twin(path, table[family], "headers")
            return found._replace(hip=found.hip.replace("*", below))
    return None


@lru_cache(maxsize=1)
def _files() -> dict[str, tuple[Table, Table]]:
    """For each library the names that are tokens, and the others."""
    found = {}
    folder = os.path.join(os.path.dirname(__file__), "names")
    for file in sorted(os.listdir(folder)):
        library, _, suffix = file.rpartition(".")
        if suffix == "tsv":
            with open(os.path.join(folder, file), "rb", buffering=0) as stream:
                found[library] = _read(stream.read())
    return found


def _read(blob: bytes) -> tuple[Table, Table]:
    lines = blob.split(b"\n")[1:-1]
    if not any(kind in blob for kind in _SCOPED):
        return _table(lines), {}
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    for line in lines:
        parts[any(kind in line for kind in _SCOPED)].append(line)
    return _table(parts[False]), _table(parts[True])


def _table(lines: list[bytes]) -> Table:
    return {name: row for line in lines for name, _, row in [line.partition(b"\t")]}


def _twin(name: bytes, row: bytes, library: str) -> Twin:
    hip, roc, kind, *rest = row.decode().split("\t")
    return Twin(name.decode(), hip, roc, kind, library, *rest)
