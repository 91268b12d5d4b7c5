"""The command line as data: what the parser knows, for pages, the manual and completion in shells."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from rewarp.cli import UNSAID


class Kind(Enum):
    """What a value can be completed with."""

    WORDS = "words"
    LIST = "list"
    """Words with commas between them."""
    FILES = "files"
    FOLDERS = "folders"
    FREE = "free"


@dataclass(frozen=True)
class Argument:
    """An option, or what stands at a place."""

    names: tuple[str, ...]
    """As they are written; none for what stands at a place."""
    value: str
    """What its value is called; empty for a switch."""
    help: str
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    """The value may be left out."""
    is_repeatable: bool = False

    @property
    def kind(self) -> Kind:
        return Kind.WORDS if self.choices else _KINDS.get(self.value, Kind.FREE)

    @property
    def words(self) -> tuple[str, ...]:
        """What it can be."""
        return self.choices or (_WORDS[self.value]() if self.value in _WORDS else ())

    @property
    def usage(self) -> str:
        """`--target rocm|gaudi`."""
        return f"{', '.join(self.names)} {self.value}".strip()


@dataclass(frozen=True)
class Command:
    """A command with everything below it."""

    name: str
    """With those above it: `rewarp verify build`."""
    summary: str
    description: str
    epilog: str
    arguments: tuple[Argument, ...]
    commands: tuple[Command, ...] = ()

    @property
    def word(self) -> str:
        return self.name.rpartition(" ")[2]

    @property
    def options(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.names]

    @property
    def positional(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.names]

    @property
    def unsaid(self) -> Command | None:
        """The subcommand that is meant where none is named."""
        return next((inner for inner in self.commands if inner.word == UNSAID.get(self.word)), None)

    def all(self) -> Iterator[Command]:
        """It and all below it."""
        yield self
        for inner in self.commands:
            yield from inner.all()


def describe(parser: argparse.ArgumentParser, name: str = "rewarp", summary: str = "") -> Command:
    below = next((item for item in parser._actions if isinstance(item, argparse._SubParsersAction)), None)
    summaries = {item.dest: item.help or "" for item in below._choices_actions} if below else {}
    return Command(
        name,
        summary,
        parser.description or "",
        parser.epilog or "",
        tuple(_argument(parser, action) for action in parser._actions if action is not below),
        tuple(describe(inner, f"{name} {word}", summaries[word]) for word, inner in below.choices.items())
        if below
        else (),
    )


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    takes_value = action.nargs != 0
    # Help is a %-format, and `10%%` is 10 %: expanded as argparse does it.
    told = parser._get_formatter()._expand_help(action) if action.help else ""
    return Argument(
        names=tuple(action.option_strings),
        value=_value(action) if takes_value else "",
        help=told,
        choices=tuple(map(str, action.choices or ())) if takes_value else (),
        is_optional=action.nargs in ("?", "*"),
        is_repeatable=action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction),
    )


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices:
        return "|".join(map(str, action.choices))
    return action.dest.upper() if action.option_strings else action.dest


def _arches() -> tuple[str, ...]:
    from rewarp.tables import amd_arches

    return amd_arches()


def _rules() -> tuple[str, ...]:
    from rewarp.registry import all_rules

    return tuple(all_rules())


def _references() -> tuple[str, ...]:
    from rewarp.skill import references

    return tuple(references())


def _explained() -> tuple[str, ...]:
    from rewarp.run.explained import ALL

    return (*_rules(), *ALL)


def _phases() -> tuple[str, ...]:
    from rewarp.port.planning.phases import NAMES

    return tuple(NAMES)


def _targets() -> tuple[str, ...]:
    from rewarp.cli.scan import TARGETS

    return TARGETS


def _levels() -> tuple[str, ...]:
    from rewarp.verify.checks import Level

    return tuple(level.value for level in Level)


def _backends() -> tuple[str, ...]:
    from rewarp.parity.names.backends import words

    return tuple(sorted(set(words().values())))


def _encodings() -> tuple[str, ...]:
    from rewarp.bridge.formats import ENCODINGS

    return tuple(ENCODINGS)


def _readers() -> tuple[str, ...]:
    from rewarp.bridge.formats import FAMILIES, PLATFORMS

    return tuple(dict.fromkeys((*FAMILIES, *PLATFORMS)))


_WORDS: Mapping[str, Callable[[], tuple[str, ...]]] = {
    "GFX": _arches,
    "ARCHES": _arches,
    "RULE": _rules,
    "rule": _explained,
    "reference": _references,
    "PHASE": _phases,
    "LEVELS": _levels,
    "TARGETS": _targets,
    "BACKEND": _backends,
    "ENCODING": _encodings,
    "TO": _readers,
}
_FILES: Sequence[str] = (
    "path",
    "LIST",
    "PATH",
    "FILE",
    "FILE.md",
    "FILE:KIND",
    "CERT",
    "CONFIG",
    "golden",
    "other",
    "target",
    "A",
    "B",
    "SOURCE",
    "TARGET",
    "CHECKPOINT",
)
_FOLDERS: Sequence[str] = ("DIR", "FOLDER", "base", "head")
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(_WORDS, Kind.WORDS),
    **dict.fromkeys(("ARCHES", "LEVELS", "TARGETS"), Kind.LIST),
    **dict.fromkeys(_FILES, Kind.FILES),
    **dict.fromkeys(_FOLDERS, Kind.FOLDERS),
}
"""By what a value is called; all others are free."""
