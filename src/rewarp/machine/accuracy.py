"""Instructions that cards only approximate: how far from the exact result they may be, and results moved within that.

The machine computes them nearly exactly. A program whose output changes when they are perturbed depends on digits that no card
promises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rewarp.machine.assembly import Instruction

_ENDING = re.compile(r"_(e32|e64|sdwa|dpp|e64_dpp|dpp8|e64_dpp8)$")


@dataclass(frozen=True)
class Bound:
    """So many units in the last place, or an absolute error of two to so much."""

    units: int = 0
    power: int = 0
    note: str = ""

    def __str__(self) -> str:
        return (
            f"2^{self.power}, absolute"
            if self.power
            else f"{self.units:,} unit{'s' if self.units > 1 else ''} in the last place"
        )


_ASSUMED = "AMD's manuals give the domain, -256 to 256 turns, and no bound: assumed"
BOUNDS = {
    **{f"v_{name}_f32": Bound(1) for name in ("exp", "log", "rcp", "rsq", "sqrt", "rcp_iflag", "exp_legacy", "log_legacy")},
    **{f"v_{name}_f16": Bound(1) for name in ("exp", "log", "rcp", "rsq", "sqrt")},
    **{f"v_{name}_f64": Bound(1 << 29) for name in ("rcp", "rsq", "sqrt")},
    **{f"v_{name}_f32": Bound(power=-20, note=_ASSUMED) for name in ("sin", "cos")},
    **{f"v_{name}_f16": Bound(1, note=_ASSUMED) for name in ("sin", "cos")},
}  # fmt: skip
"""As AMD's manuals of the instruction sets give them, rounded up to whole units."""


def bound(mnemonic: str) -> Bound | None:
    return BOUNDS.get(_ENDING.sub("", mnemonic))


def perturbed(instructions: Iterable[Instruction], seed: int) -> Iterator[Instruction]:
    """The same instructions, those that cards approximate moved by a part of their bound that the seed decides."""
    for number, instruction in enumerate(instructions):
        if bound(instruction.mnemonic):
            chosen = (seed * 0x9E3779B1 + number) & 0x7FFFFFFF
            modifiers = {**instruction.modifiers, "perturb": chosen}
            yield replace(instruction, modifiers=modifiers)
        else:
            yield instruction
