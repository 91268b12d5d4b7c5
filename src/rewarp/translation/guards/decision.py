"""What was decided for an ``#if`` of a file, beside the tree of them that the file has."""

from __future__ import annotations

from dataclasses import dataclass, field

from rewarp.lang.cpp.conditions import Macro
from rewarp.lang.cpp.file import Conditional


@dataclass
class Decision:
    pretended: dict[str, Macro] = field(default_factory=dict)
    """Of NVIDIA's macros; empty when no condition tests one."""
    on_host: dict[str, Macro] = field(default_factory=dict)
    """The same where the host's code is compiled."""
    portable: bool = True


Decisions = dict[Conditional, Decision]
"""Each before those inside it."""
