"""Each file parsed once, whoever asks: documents by their kind, path and content."""

from __future__ import annotations

from rewarp.lang import parsing
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.remembered import Remembered
from rewarp.source import SourceFile

_ROOM = 4_000_000
"""Bytes of sources: a port reads the Python of a project several times. A syntax tree takes up to a hundred times the space
of its text."""
_ROOM_OF_A_WORKER = 1_000_000
"""One of many processes, which reads each of its files once."""
_documents: Remembered[Document] = Remembered(_ROOM)


def remember_less() -> None:
    """In a worker, of which there are many at once."""
    _documents.limit(_ROOM_OF_A_WORKER)


def document(source: SourceFile, kind: Kind) -> Document:
    """A parsed file. Raises UnreadableSource when that cannot be done."""
    return _documents.get((kind, source.path, source.data), len(source.data), lambda: parsing.parse(source, kind))


def python_file(source: SourceFile) -> PythonFile:
    """A parsed Python file. Raises UnreadableSource when that cannot be done."""
    found = document(source, Kind.PYTHON)
    assert isinstance(found, PythonFile)
    return found
