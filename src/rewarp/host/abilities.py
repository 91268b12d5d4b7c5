"""What rewarp can verify on this machine, and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping

from rewarp.errors import UsageError
from rewarp.host.facts import Ability, Backend, Device
from rewarp.toolchain import find


def examine(devices: tuple[Device, ...], environment: Mapping[str, str]) -> tuple[Ability, ...]:
    targets = [device for device in devices if device.backend in (Backend.ROCM, Backend.GAUDI)]
    here = targets or devices
    named = here[0].name.value if here and here[0].name else here[0].backend.label if here else "the CPU"
    where = f"{named} is here" if targets else f"{named} is here, which says nothing about AMD or Gaudi"
    return (
        Ability("static", True, "rewarp verify reads files, on any machine; it says nothing about running"),
        _build(environment),
        Ability("run", bool(targets), f"rewarp verify run watches a program; {where}"),
        Ability("numbers", bool(targets), f"rewarp verify record and compare; {where}"),
        Ability("isolation", True, "rewarp verify isolation compares sources, on any machine"),
    )


def _build(environment: Mapping[str, str]) -> Ability:
    try:
        compiler = find(environment)
    except UsageError as error:
        return Ability("build", False, str(error))
    return Ability("build", True, f"rewarp verify build compiles for AMD; a compiler is here ({compiler.kind})")
