"""Intel GPUs: xpu-smi, and display devices of the Intel vendor id as a hint."""

from __future__ import annotations

import json
import re

from rewarp.host.facts import Backend, Device, Fact, Level, Note, Platform, ToolState
from rewarp.host.host import Host


def examine(host: Host) -> Platform:
    ran = host.run("xpu-smi", "discovery", "-j")
    devices = parse_discovery(ran.stdout) if ran.worked else []
    notes: tuple[Note, ...] = ()
    if not ran.worked and ran.state is not ToolState.MISSING:
        notes = (Note(Level.WARNING, "xpu-smi", f"xpu-smi is installed but did not list devices: {ran.detail}"),)
    evidence = []
    for card in host.list("/sys/class/drm"):
        path = f"/sys/class/drm/{card}/device/vendor"
        # Most laptops and many servers have one: a hint, not a platform.
        if re.fullmatch(r"card\d+", card) and host.read(path) == "0x8086":
            evidence.append(Fact(f"Intel display device {card}", path))
    return Platform(Backend.XPU, tuple(devices), {}, tuple(evidence), notes)


def parse_discovery(text: str) -> list[Device]:
    """The devices in ``xpu-smi discovery -j``."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return []
    entries = data.get("device_list", []) if isinstance(data, dict) else []
    devices: list[Device] = []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        name, bus, uuid = (entry.get(key) for key in ("device_name", "pci_bdf_address", "uuid"))
        devices.append(
            Device(
                Backend.XPU,
                len(devices),
                name=Fact(str(name), "xpu-smi") if name else None,
                bus=Fact(str(bus), "xpu-smi") if bus else None,
                uuid=Fact(str(uuid), "xpu-smi") if uuid else None,
            )
        )
    return devices
