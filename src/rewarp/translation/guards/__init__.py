"""``#if`` conditions on NVIDIA's macros: what they hold, what is pretended for each, and how HIP's compiler shall read them."""

from rewarp.translation.guards.conditions import TESTED, arch_aliases, asks_for_arch
from rewarp.translation.guards.deciding import Guards
from rewarp.translation.guards.macros import declares_under_conditions, macros_by_guard, unportable_macros
from rewarp.translation.guards.without_meaning import bad_places, holds_ptx, ptx_places

__all__ = [
    "TESTED",
    "Guards",
    "arch_aliases",
    "asks_for_arch",
    "bad_places",
    "declares_under_conditions",
    "holds_ptx",
    "macros_by_guard",
    "ptx_places",
    "unportable_macros",
]
