"""What every language offers a rule, so that one rule can serve many file kinds.

An environment variable is set in Python, shell, a Dockerfile, compose or a workflow; a
package is required in requirements.txt, pyproject, setup.py, conda or a ``pip install``
line. Each language module fills in what it can; the rest is empty.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span


class Word(NamedTuple):
    """One word of a command line, without its quotes. ``where`` is a span or a syntax node."""

    text: str
    where: Any


class Command(NamedTuple):
    """One simple shell command; leading assignments are the document's ``env_sets``."""

    words: tuple[Word, ...]
    where: Any

    @property
    def name(self) -> str:
        """The program's base name: ``/usr/bin/nvcc`` is ``nvcc``."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.words]


class EnvSet(NamedTuple):
    """An environment variable that gets a value. ``value`` is None when it is not a literal."""

    name: str
    value: str | None
    where: Any


class EnvRead(NamedTuple):
    """An environment variable that is read."""

    name: str
    where: Any


class Requirement(NamedTuple):
    """A package asked for. ``name`` is normalised (lower case, dashes); ``text`` is as written."""

    name: str
    text: str
    where: Any
    extras: tuple[str, ...] = ()
    group: str = ""
    """The extra or dependency group it stands in, if any."""


class Document:
    """A parsed file. Language modules subclass it."""

    kind: Kind
    unread: tuple[str, ...] = ()
    """Parts of the file that could not be read, each with the reason; the others were."""

    def __init__(self, source: SourceFile, kind: Kind) -> None:
        self.source = source
        self.kind = kind

    @cached_property
    def env_sets(self) -> list[EnvSet]:
        return []

    @cached_property
    def env_reads(self) -> list[EnvRead]:
        return []

    @cached_property
    def requirements(self) -> list[Requirement]:
        return []

    @cached_property
    def commands(self) -> list[Command]:
        return []

    def span(self, where: Any) -> Span:
        """The span in the source's view of something a rule points at."""
        if isinstance(where, Span):
            return where
        if isinstance(where, (Word, Command, EnvSet, EnvRead, Requirement)):
            return self.span(where.where)
        raise TypeError(f"cannot locate {where!r}")

    def unreachable(self, where: Any, target: Any) -> bool:
        """Whether a platform gate already keeps this place off the target."""
        return False

    def settled(self, where: Any, target: Any) -> bool:
        """Whether what this place says does not matter on the target, as the rest of its condition decides."""
        return False

    def kept_off(self, where: Any, target: Any) -> bool:
        """Whether what stands here is only ever used where a platform gate keeps the target out."""
        return False

    def snippet(self, span: Span) -> str:
        """The line of code a place stands in, for a person to read."""
        return self.source.snippet(self.source.line_at(span.start))

    def cell(self, where: Any) -> int | None:
        """The notebook cell something stands in, if this is a notebook."""
        return None
