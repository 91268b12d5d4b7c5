"""What the parts of a port say to each other: a change, what is left to a person, the project's gate."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from rewarp.findings import Phase
from rewarp.targets import Target
from rewarp.verdict import Approach


class PortPhase(Enum):
    """The phases of a port, in the order they are done; ``PortPhase(finding.phase)`` is where a finding belongs."""

    ENVIRONMENT = Phase.ENVIRONMENT
    DETECTION = Phase.DETECTION
    TRANSLATION = Phase.TRANSLATION
    ARCHITECTURE = Phase.ARCHITECTURE
    BUILD = Phase.BUILD
    LIBRARIES = Phase.LIBRARIES
    COMPILE = Phase.COMPILE
    GRAPHS = Phase.GRAPHS
    VERIFICATION = Phase.VERIFICATION

    @property
    def number(self) -> int:
        return list(PortPhase).index(self)

    @property
    def title(self) -> str:
        return Phase(self.value).value


@dataclass(frozen=True)
class Change:
    """What a file holds after the port."""

    path: str
    after: bytes | None
    """None: the file is deleted."""
    phase: PortPhase
    why: str
    """One plain sentence for the pull request."""
    rules: tuple[str, ...] = ()
    """The rules whose findings asked for it."""


@dataclass(frozen=True)
class Manual:
    """A place that is left to a person."""

    path: str
    line: int | None
    phase: PortPhase
    what: str
    why: str
    """Why it was not changed here."""
    rule: str = ""
    stops: bool = False
    """Whether the build for the target stops at it, whatever the scan says of it."""
    of_change: bool = False
    """Whether it speaks of what was changed: a later pass, which finds that done, does not say it again."""


@dataclass
class PhaseResult:
    changes: list[Change] = field(default_factory=list)
    manual: list[Manual] = field(default_factory=list)


@dataclass(frozen=True)
class Gate:
    """The one place where the project says which platform it runs on."""

    module: str
    """Dotted, as imports write it."""
    path: str
    name: str
    """``IS_ROCM``, say."""
    function: bool = False
    """Whether it is called rather than read."""

    @property
    def root(self) -> str:
        """What is imported: ``platform`` of ``platform.is_rocm``."""
        return self.name.partition(".")[0]

    @property
    def expression(self) -> str:
        """How a condition asks it."""
        return f"{self.name}()" if self.function else self.name


OPTIONAL = {
    "lists": "requirements files for AMD beside those for NVIDIA, and an extra in pyproject.toml; else the text says how to install",
    "images": "Dockerfiles and compose files for AMD beside those for NVIDIA",
    "tuning": "changes that only make it faster",
}
"""What a port writes where it is asked for alone, by the word that asks."""


@dataclass(frozen=True)
class PortOptions:
    approach: Approach | None = None
    """What to do with CUDA C++; None: what the scan advises."""
    wanted: frozenset[str] = frozenset()
    """Words of ``OPTIONAL``."""
    ci: bool = False
    """Whether a CI job is wanted, and its steps may be run here."""
    ci_from: str | None = None
    """The address that a CI job installs rewarp from; where this rewarp came from, unless it is given."""
    checks_until: float | None = None
    """When, by ``time.monotonic()``, its own checks of the ported tree end; what is left of them then is *not checked*."""


@dataclass(frozen=True)
class PortContext:
    target: Target
    gate: Gate | None = None
    """The gate that changes shall use. It may be one that is still to be made: the engine adds it where a change
    mentions it. None where no module can hold one: conditions then spell the test out."""
    options: PortOptions = PortOptions()
    phases: frozenset[PortPhase] = frozenset(PortPhase)
    """The phases that were asked for; changes of others are dropped."""
    other_gates: tuple[Gate, ...] = ()
    """Further gates of the project's own: a file that has one uses it."""
    support: tuple[str, ...] = ()
    """Where the project shows that it runs on the target already: tests that tell NVIDIA's GPUs apart are then its own."""
    old_torch: bool = False
    """Whether the project speaks of a torch that knows no ``torch.version.hip``: it is asked for what it may lack."""
