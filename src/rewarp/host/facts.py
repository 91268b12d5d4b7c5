"""What can be known of a machine. Every fact says where it was read; what is not known is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Fact(Generic[T]):
    """A value, and the file, tool or table it was read from."""

    value: T
    source: str


class Backend(str, Enum):
    CUDA = "cuda"
    ROCM = "rocm"
    GAUDI = "gaudi"
    XPU = "xpu"
    CPU = "cpu"

    @property
    def label(self) -> str:
        """The name for people."""
        return _LABELS[self]


_LABELS = {
    Backend.CUDA: "NVIDIA CUDA",
    Backend.ROCM: "AMD ROCm",
    Backend.GAUDI: "Intel Gaudi",
    Backend.XPU: "Intel GPU (XPU)",
    Backend.CPU: "CPU only",
}


class Level(str, Enum):
    """How bad something is, mildest first."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return list(Level).index(self)


@dataclass(frozen=True)
class Note:
    """Something about this machine that a person should know."""

    level: Level
    subject: str
    """What it is about: an environment variable, a tool, a file."""
    message: str
    advice: str = ""
    value: str | None = None
    """The value of the environment variable, if it is one."""


@dataclass(frozen=True)
class Device:
    """One device as software sees it: a card with two dies is two of them."""

    backend: Backend
    index: int
    name: Fact[str] | None = None
    """As the driver or a tool spells it."""
    product: Fact[str] | None = None
    """The row of the spec tables it was recognised as."""
    arch: Fact[str] | None = None
    """gfx942, sm_90, hpu-gaudi2."""
    memory_bytes: Fact[int] | None = None
    compute_units: Fact[int] | None = None
    """SMs or CUs; matrix engines on Gaudi."""
    cores: Fact[int] | None = None
    """FP32 lanes: CUDA cores or stream processors."""
    wave_size: Fact[int] | None = None
    fp8: Fact[str] | None = None
    bus: Fact[str] | None = None
    uuid: Fact[str] | None = None
    node: Fact[int] | None = None
    """The KFD node (AMD only)."""
    note: str = ""

    def filled_from(self, other: Device) -> Device:
        """This device, with what it lacks taken from another view of the same device."""
        missing = {
            item.name: getattr(other, item.name)
            for item in fields(self)
            if getattr(self, item.name) is None and getattr(other, item.name) is not None
        }
        if other.note and not self.note:
            missing["note"] = other.note
        return replace(self, **missing)


@dataclass(frozen=True)
class Platform:
    """One vendor's stack on this machine, or what is there of it."""

    backend: Backend
    devices: tuple[Device, ...] = ()
    versions: Mapping[str, Fact[str]] = field(default_factory=dict)
    evidence: tuple[Fact[str], ...] = ()
    """What points to this platform, device or not."""
    notes: tuple[Note, ...] = ()

    @property
    def present(self) -> bool:
        return bool(self.devices or self.versions or self.evidence)


class ToolState(str, Enum):
    WORKS = "works"
    MISSING = "missing"
    FAILED = "failed"
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class Tool:
    name: str
    purpose: str
    state: ToolState
    path: str | None = None
    on_path: bool | None = None
    """False: not on PATH, but found in a usual place. None: not found."""
    version: Fact[str] | None = None
    detail: str = ""
    """Why it failed, in its own words."""


class TorchState(str, Enum):
    WORKS = "works"
    NOT_INSTALLED = "not installed"
    BROKEN = "installed, but its import fails"
    TIMED_OUT = "timed out"
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class TorchDevice:
    name: str
    memory_bytes: int | None
    compute_units: int | None
    arch: str | None
    wave_size: int | None


@dataclass(frozen=True)
class TorchBuild:
    """The torch of this interpreter, asked in a child process."""

    state: TorchState
    python: str
    version: str | None = None
    cuda: str | None = None
    hip: str | None = None
    xpu: str | None = None
    hpu: str | None = None
    """The version of the Gaudi bridge (habana_frameworks)."""
    archs: tuple[str, ...] | None = None
    """The GPU architectures it holds code for; None is unknown."""
    devices: tuple[TorchDevice, ...] | None = None
    """What it sees under the present environment variables; None is unknown."""
    device_error: str = ""
    detail: str = ""

    @property
    def backend(self) -> Backend | None:
        """What the build is for; None when that is not known."""
        if self.state is not TorchState.WORKS:
            return None
        if self.hip:
            return Backend.ROCM
        if self.cuda:
            return Backend.CUDA
        if self.hpu:
            return Backend.GAUDI
        return Backend.XPU if self.xpu else Backend.CPU


@dataclass(frozen=True)
class Ability:
    """A level of verification, and whether this machine and this version of rewarp reach it."""

    name: str
    possible: bool
    why: str


@dataclass(frozen=True)
class Machine:
    """Everything `rewarp doctor` says."""

    backend: Backend
    """The platform a GPU program would use here."""
    why: str
    system: Mapping[str, Fact[str]]
    platforms: tuple[Platform, ...]
    torch: TorchBuild
    tools: tuple[Tool, ...]
    environment: tuple[Note, ...]
    notes: tuple[Note, ...]
    abilities: tuple[Ability, ...]

    @property
    def devices(self) -> tuple[Device, ...]:
        return tuple(device for platform in self.platforms for device in platform.devices)

    def platform(self, backend: Backend) -> Platform:
        found = [platform for platform in self.platforms if platform.backend is backend]
        return found[0] if found else Platform(backend)
