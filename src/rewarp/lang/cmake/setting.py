"""What CMake files are run on: a project's files, and the switches, packages and compilers under which it is configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Files(Protocol):
    """The files of a project; a workspace's tree is one."""

    @property
    def entries(self) -> Mapping[str, Any]: ...

    def read(self, path: str) -> bytes | None: ...


@dataclass(frozen=True)
class Setting:
    """Under what a project is configured."""

    switches: Mapping[str, str] = field(default_factory=dict)
    """Variables given on the command line."""
    given: frozenset[str] = frozenset()
    """Variables that are given too, with values that are not known."""
    packages: Mapping[str, bool] = field(default_factory=dict)
    """Whether ``find_package`` finds them; for one that is not named, that is unknown."""
    brought: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Variables that ``find_package`` sets, by package, where that is known; to flags it adds."""
    enabled_by: Mapping[str, str] = field(default_factory=dict)
    """Languages that ``find_package`` enables, by package."""
    compilers: Mapping[str, bool] = field(default_factory=dict)
    """Whether there is a compiler for a language: CUDA, HIP."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Where ``find_program`` finds them; empty for one that is not there."""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    """What CMake itself would have found out: CMAKE_CXX_COMPILER_ID."""
    root: str = "/project"
    """The absolute path that the tree's root stands for."""
    build: str = "/project/build"
