"""What is run on lanes, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Union

Number = Union[int, float]


class Platform(str, Enum):
    """Whose rules hold for masks, for ballots' types and for lanes that are not there."""

    NVIDIA = "nvidia"
    AMD = "amd"


class RunOutcome(str, Enum):
    """What became of a kernel. Only ``OK`` has numbers."""

    OK = "ok"
    HANG = "hang"
    OUT_OF_BOUNDS = "out of bounds"
    DIVERGENT = "divergent"
    """Lanes are in different places, or are not the lanes of the mask, where the function needs them together."""
    LAUNCH_FAILURE = "launch failure"
    TRAP = "trap"
    """An assertion failed, or the kernel stopped itself."""
    COMPILE_ERROR = "compile error"
    """What HIP's compiler refuses: 32-bit masks, PTX."""
    NOT_RUN = "not run"
    """The instrument could not compile it or had other trouble of its own: says nothing about the kernel."""


@dataclass(frozen=True)
class Buffer:
    """Memory of the device. Its content at the start is a C++ expression in ``i``, or the numbers themselves."""

    name: str
    type: str
    count: int
    fill: str | Sequence[Number] = "0"


@dataclass(frozen=True)
class Scalar:
    """An argument that is passed by value: a C++ expression."""

    name: str
    type: str
    value: str


Argument = Union[Buffer, Scalar]


@dataclass(frozen=True)
class Call:
    """A kernel with its launch, or a host function that launches by itself."""

    entry: str
    """With its template arguments: ``reduce<float, 256>``."""
    arguments: tuple[Argument, ...]
    grid: str | None = None
    """C++ expressions for a ``dim3``; None for a host function."""
    block: str | None = None
    shared_bytes: str = "0"


@dataclass(frozen=True)
class LaneProgram:
    """A source and what to call in it. The name is the program's own: letters, digits, underscores."""

    name: str
    text: bytes
    call: Call
    path: str = ""
    """Where messages of the compiler say that it stands; its name where that is not said."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*", self.name, re.A):
            raise ValueError(f"{self.name!r} cannot be the name of a namespace")

    @property
    def shown_path(self) -> str:
        return self.path or self.name


@dataclass(frozen=True)
class Waves:
    """The machine that is played."""

    platform: Platform
    size: int

    def __post_init__(self) -> None:
        if self.size not in (32, 64) or (self.platform is Platform.NVIDIA and self.size != 32):
            raise ValueError(f"no {self.platform.value} GPU has waves of {self.size}")

    @property
    def options(self) -> tuple[str, ...]:
        return (f"-DLANES_AMD={int(self.platform is Platform.AMD)}", f"-DLANES_WAVE={self.size}")


@dataclass(frozen=True)
class LaneRun:
    """One kernel, run once."""

    outcome: RunOutcome
    detail: str = ""
    outputs: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    """The buffers after the run, by name; empty unless the outcome is OK."""
    reads_from_absent_lanes: int = 0
    """Shuffles that asked a lane which was not there: undefined on NVIDIA, 0 on AMD."""
