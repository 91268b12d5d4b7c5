"""What a project's CMake files come to: targets, and what each source is compiled with, why, and under which conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rewarp.lang.cmake.values import Guards


class Reason(NamedTuple):
    """The line that says so."""

    file: str
    line: int


class Item(NamedTuple):
    """One word given to a target or a folder: a source, a definition, a flag, an include folder, a library."""

    text: str
    guards: Guards
    """Conditions that nothing here decides."""
    reason: Reason


@dataclass
class Given:
    """What commands give: to a target for itself, to those that link it, or to a folder."""

    sources: list[Item] = field(default_factory=list)
    definitions: list[Item] = field(default_factory=list)
    options: list[Item] = field(default_factory=list)
    includes: list[Item] = field(default_factory=list)
    links: list[Item] = field(default_factory=list)
    features: list[Item] = field(default_factory=list)

    def copy(self) -> Given:
        return Given(*(list(items) for items in vars(self).values()))


@dataclass
class Directory:
    """A folder with a CMakeLists.txt, while it is run and after."""

    path: str
    """Absolute."""
    binary: str
    given: Given
    parent: Directory | None = None
    variables: Mapping[str, str | None] = field(default_factory=dict)
    """As they are when its file ends."""
    languages: dict[str, str] = field(default_factory=dict)
    """Of sources whose LANGUAGE is set."""
    source_definitions: dict[str, list[Item]] = field(default_factory=dict)
    source_options: dict[str, list[Item]] = field(default_factory=dict)
    source_includes: dict[str, list[Item]] = field(default_factory=dict)
    by_package: dict[str, str] = field(default_factory=dict)
    """Sources that a package's commands compile, with the language that it is: FindCUDA enables none."""


@dataclass
class CMakeTarget:
    name: str
    kind: str
    """EXECUTABLE, STATIC, SHARED, MODULE, OBJECT, INTERFACE, UNKNOWN, CUSTOM, IMPORTED."""
    directory: Directory
    guards: Guards
    reason: Reason
    own: Given = field(default_factory=Given)
    interface: Given = field(default_factory=Given)
    properties: dict[str, str] = field(default_factory=dict)
    standards: dict[str, str] = field(default_factory=dict)


@dataclass
class CMakeOption:
    """Something that whoever builds the project may decide: an option, or a variable of the cache."""

    reason: Reason
    default: str
    help: str = ""
    is_switch: bool = True
    """On or off; else one of several values."""
    values: tuple[str, ...] = ()
    """Where it is one of several, those that the project names."""


class CMakeUnit(NamedTuple):
    """One source of a target, as the build compiles it."""

    target: str
    source: str
    """Absolute; where a part of it is not known, that is said in ``<>``."""
    language: str | None
    """None where no language that is enabled takes it: a header, or a ``.cu`` without CUDA."""
    defines: tuple[Conditional, ...]
    flags: tuple[Conditional, ...]
    includes: tuple[Conditional, ...]
    reason: Reason
    conditions: tuple[str, ...]
    """What must hold for the build to compile it, as far as nothing here decides that."""


class Conditional(NamedTuple):
    """A definition, flag or folder, and the conditions under which it is given."""

    text: str
    conditions: tuple[str, ...] = ()


@dataclass
class CMakeBuild:
    """The answer of the evaluator."""

    targets: dict[str, CMakeTarget]
    units: list[CMakeUnit]
    messages: list[str]
    variables: dict[str, str | None]
    """At the end of the top file."""
    unread: list[tuple[Reason, str]]
    """What could not be followed, with the reason."""
    stopped: str
    """Why CMake would stop with an error; empty where it would not."""
    languages: tuple[str, ...] = ()
    options: Mapping[str, CMakeOption] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    """Files that were run."""
    refusals: list[tuple[Reason, str]] = field(default_factory=list)
    """Where CMake would end with an error."""
    wanted: frozenset[str] = frozenset()
    """Variables that nothing defines, and that the condition around that error asks for."""
    ran: Mapping[str, set[int]] = field(default_factory=dict)
    """Of each file the lines of the calls that were run, on some way at least."""
    configured: Mapping[str, bool] = field(default_factory=dict)
    """Macros of the headers that it writes, and whether one may define them."""
