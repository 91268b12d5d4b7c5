"""What is asked of a fleet, and how looking at one repository ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any


class Status(str, Enum):
    """How looking at a repository ended. Only ``DONE`` says anything about its code."""

    DONE = "done"
    REFUSED = "refused"
    """Its address, or what it would put on the disk, is not taken."""
    FAILED = "failed"
    TIME = "time limit"
    MEMORY = "memory limit"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Repository:
    name: str
    source: str
    """A URL, or the path of a git repository."""
    revision: str | None = None
    """A branch, a tag or a commit; the default branch where there is none."""


@dataclass(frozen=True)
class Wanted:
    """What is done with every repository. All of it decides results, and so belongs to the key of the work."""

    target: str = "rocm"
    torch: str | None = None
    rocm: str | None = None
    arch: str | None = None
    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    max_size: float = 5.0
    port: bool = False
    verify: bool = False
    run: bool = False
    """Whether the programs of a repository are run, as AMD code on the emulator: their host code has the user's rights."""


@dataclass(frozen=True)
class Limits:
    """Of one repository."""

    seconds: float = 900.0
    memory: int = 4 << 30
    """Bytes, of all its processes together."""
    disk: int = 10 << 30
    """Bytes, of what is fetched, and of what is checked out."""


@dataclass(frozen=True)
class Request:
    """One repository to look at, with all that a worker elsewhere must know."""

    repository: Repository
    wanted: Wanted
    limits: Limits
    store: str
    code: str
    """The digest of the rewarp that asks: another one would give other answers."""
    use_cache: bool = True

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Request:
        wanted = dict(data["wanted"])
        lists = {name: tuple(wanted[name]) for name in ("exclude", "ignore")}
        return cls(
            Repository(**data["repository"]),
            Wanted(**{**wanted, **lists}),
            Limits(**data["limits"]),
            data["store"],
            data["code"],
            data["use_cache"],
        )


@dataclass(frozen=True)
class Ending:
    """How looking at one repository ended."""

    status: Status
    reason: str = ""
    commit: str | None = None
    key: str | None = None
    """Of the work, whose part is in the store where the status is ``DONE``."""
    reused: bool = False
    seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    host: str = ""

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status.value}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Ending:
        return cls(**{**data, "status": Status(data["status"])})


@dataclass(frozen=True)
class Column:
    type: str
    """As DuckDB calls it."""
    meaning: str


@dataclass(frozen=True)
class Table:
    name: str
    columns: Mapping[str, Column] = field(default_factory=dict)
