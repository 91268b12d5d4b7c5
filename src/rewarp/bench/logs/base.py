"""What a dialect is. There is no list of them: every module of this folder is looked at, and those that other packages name
as entry points of the group ``rewarp.dialects``.

A module declares its dialect by making it, at its top level: an instance of ``LineDialect`` (lines in a stream of any
length, among other things) or of ``Document`` (a file that is one thing as a whole: a JSON result, a table).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from rewarp import plugins
from rewarp.bench.result import CONFIGURATION_FIELDS, DEVICE_FIELDS, Result, Sourced, unknown
from rewarp.errors import RegistryError, UsageError, did_you_mean

NOT_FOUND = "not found in the log in a form that is known"
"""That a log does not say something only a person can tell who has read all of it."""
EVERYONE = ("*",)
"""For ``yields_to``: keeps out wherever any other dialect has claimed a stream."""


class Fold(Protocol):
    """What the lines of one dialect in one stream become."""

    @property
    def anchors(self) -> tuple[bytes, ...]:
        """Of the dialect; fewer as long as some of its lines mean nothing."""
        ...

    def feed(self, number: int, line: bytes) -> bool:
        """One line that holds an anchor, without its end, ANSI codes and NULs. False: it is none of this dialect."""
        ...

    def results(self, name: str) -> list[Result]:
        """The runs that were in the lines. Each names the dialect and why under ``provenance``."""
        ...


class LineDialect:
    """Lines that a stream of any length may hold, from any rank, between other things."""

    name: str
    """What ``--dialect`` takes."""
    title: str
    """What a person calls it."""
    looks_for: str
    """What a line of it looks like, for the message that nothing was found."""
    anchors: tuple[bytes, ...]
    """Texts of which every line of the dialect holds one; chosen rare and long, for other lines are never looked at."""
    yields_to: tuple[str, ...] = ()
    """Dialects that print lines of this kind too: where one of them has claimed a stream, this one keeps out."""
    rank: int = 2
    """Among those that yield to everyone: who goes by a surer structure speaks first."""
    speaks_last: bool = False
    """Asked only where no other has read anything, though it looks at all lines."""

    def fold(self) -> Fold:
        raise NotImplementedError

    def join(self, results: list[Result]) -> list[Result]:
        """Results of this dialect from all the files that were given; those that belong together become one."""
        return results


class Document:
    """A file that is one thing as a whole. It is read at once, up to ``LARGEST_DOCUMENT`` bytes."""

    name: str
    title: str
    looks_for: str

    def claims(self, head: bytes, file: Path) -> str | None:
        """Why the file is surely of this kind, from its first ``HEAD`` bytes (UTF-8); None where it is not."""
        raise NotImplementedError

    def read(self, data: bytes, file: Path) -> list[Result]:
        """The results in it. Raises ``UnreadableSource`` where it claims what it does not hold."""
        raise NotImplementedError

    def join(self, results: list[Result]) -> list[Result]:
        return results


HEAD = 1 << 16
LARGEST_DOCUMENT = 1 << 28

Dialect = LineDialect | Document


@lru_cache(maxsize=1)
def all_dialects() -> Mapping[str, Dialect]:
    """By name, in the order of their names."""
    found: dict[str, Dialect] = {}
    for dialect in _declared():
        if dialect.name in found:
            raise RegistryError(f"two log dialects are called {dialect.name!r}")
        found[dialect.name] = dialect
    for name, (plugin, dialect) in dialects_of_plugins().items():
        if name in found:
            raise plugin.broken(f"declares the log dialect {name!r}, which is one of rewarp's own")
        found[name] = dialect
    return dict(sorted(found.items()))


@lru_cache(maxsize=1)
def dialects_of_plugins() -> Mapping[str, tuple[plugins.Plugin, Dialect]]:
    """By name, the dialects that other packages declare."""
    found: dict[str, tuple[plugins.Plugin, Dialect]] = {}
    for plugin in plugins.installed(plugins.DIALECTS):
        values = [value for module in plugin.modules() for value in vars(module).values()]
        dialects = [value for value in values if isinstance(value, (LineDialect, Document))]
        if not dialects:
            raise plugin.broken("declares no log dialect")
        for dialect in dialects:
            if dialect.name in found and found[dialect.name][1] is not dialect:
                raise plugin.broken(f"declares the log dialect {dialect.name!r} as {found[dialect.name][0]} does")
            found[dialect.name] = plugin, dialect
    return found


def dialect_named(name: str) -> Dialect:
    """Raises ``UsageError``."""
    if name not in all_dialects():
        hint = did_you_mean(name, all_dialects())
        raise UsageError(f"no dialect {name!r}; there are: {', '.join(all_dialects())}{hint}")
    return all_dialects()[name]


def _declared() -> Iterator[Dialect]:
    folder = Path(__file__).parent
    for module in sorted(pkgutil.iter_modules([str(folder)]), key=lambda module: module.name):
        names = vars(importlib.import_module(f"rewarp.bench.logs.{module.name}"))
        yield from (value for value in names.values() if isinstance(value, (LineDialect, Document)))


@dataclass
class Facts:
    """What a log says of device, software and configuration. The first that is added counts."""

    found: dict[str, Sourced] = field(default_factory=dict)
    """By ``section.field``: `device.name`, `software.torch`, `configuration.sequence`, `platform`."""

    def add(self, name: str, value: object, source: str) -> None:
        self.found.setdefault(name, Sourced(value, source))

    def section(self, section: str, fields: Sequence[str] = (), why: str = NOT_FOUND) -> dict[str, Sourced]:
        """All fields of a section; those that were not found are unknown."""
        mine = {
            name.partition(".")[2]: value for name, value in self.found.items() if name.partition(".")[0] == section
        }
        return {name: mine.get(name, unknown(why)) for name in fields} | mine

    def device(self) -> dict[str, Sourced]:
        return self.section("device", DEVICE_FIELDS)

    def software(self) -> dict[str, Sourced]:
        return self.section("software")

    def configuration(self) -> dict[str, Sourced]:
        return self.section("configuration", CONFIGURATION_FIELDS)

    def platform(self) -> Sourced:
        return self.found.get("platform", unknown(NOT_FOUND))
