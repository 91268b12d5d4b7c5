"""What rewarp can verify on this machine, and what it cannot."""

from __future__ import annotations

from rewarp.platforms.facts import Ability, Backend, Device, Tool, ToolState

_LATER = "not part of this version of rewarp"


def examine(devices: tuple[Device, ...], tools: tuple[Tool, ...]) -> tuple[Ability, ...]:
    hipcc = next((tool for tool in tools if tool.name == "hipcc" and tool.state is ToolState.WORKS), None)
    compiler = f"hipcc {hipcc.version.value if hipcc.version else ''}".strip() if hipcc else None
    has = f"{compiler} is here for it" if compiler else "it needs a HIP compiler, and none was found here"
    targets = [device for device in devices if device.backend in (Backend.ROCM, Backend.GAUDI)]
    if targets:
        named = targets[0].name.value if targets[0].name else targets[0].backend.label
        device = f"{named} is here for it"
    else:
        device = "it needs an AMD GPU or a Gaudi, and none was found here"
    return (
        Ability("static", True, "rewarp scan reads files, on any machine; it says nothing about running"),
        Ability("build", False, f"{_LATER}; {has}"),
        Ability("run", False, f"{_LATER}; {device}"),
        Ability("numbers", False, f"{_LATER}; {device}"),
    )
