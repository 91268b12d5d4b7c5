"""Detection and device specs: what machine is this, and what does that mean for a GPU program?

``examine()`` looks at the machine; ``specs`` answers from the tables. Nothing here imports torch.
"""

from rewarp.host.facts import (
    Ability,
    Backend,
    Device,
    Fact,
    Level,
    Machine,
    Note,
    Platform,
    Tool,
    ToolState,
    TorchBuild,
    TorchDevice,
    TorchState,
)
from rewarp.host.host import Host
from rewarp.host.machine import examine
from rewarp.tables.gpus import Specs, all_specs, specs_of_name

__all__ = [
    "Ability",
    "Backend",
    "Device",
    "Fact",
    "Host",
    "Level",
    "Machine",
    "Note",
    "Platform",
    "Specs",
    "Tool",
    "ToolState",
    "TorchBuild",
    "TorchDevice",
    "TorchState",
    "all_specs",
    "examine",
    "specs_of_name",
]
