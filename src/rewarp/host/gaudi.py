"""Intel Gaudi: hl-smi, and the habanalabs driver under /sys/class/accel (NPUs are there, too)."""

from __future__ import annotations

import csv
import re

from rewarp.host.facts import Backend, Device, Fact, Level, Note, Platform, ToolState
from rewarp.host.host import Host

_FIELDS = ("index", "name", "bus_id", "driver_version", "memory.total")
_HABANA = "0x1da3"
# PCI device ids in the kernel's habanalabs driver.
_CHIPS = {"0x1000": "Gaudi", "0x1010": "Gaudi", "0x1020": "Gaudi2"}


def examine(host: Host) -> Platform:
    ran = host.run("hl-smi", "-Q", ",".join(_FIELDS), "-f", "csv,noheader")
    notes: list[Note] = []
    versions: dict[str, Fact[str]] = {}
    devices: list[Device] = []
    if ran.worked:
        devices, driver = parse_query(ran.stdout)
        if driver:
            versions["driver"] = Fact(driver, "hl-smi")
    elif ran.state is not ToolState.MISSING:
        notes.append(Note(Level.WARNING, "hl-smi", f"hl-smi is installed but did not list devices: {ran.detail}"))
    kernel = host.read("/sys/module/habanalabs/version")
    if kernel and "driver" not in versions:
        versions["driver"] = Fact(kernel, "/sys/module/habanalabs/version")
    found = from_sysfs(host)
    evidence = tuple(device.name for device in found if device.name)
    return Platform(Backend.GAUDI, tuple(devices or found), versions, evidence, tuple(notes))


def parse_query(text: str) -> tuple[list[Device], str | None]:
    """The devices in the answer to ``hl-smi -Q``, and the driver's version."""
    devices: list[Device] = []
    drivers: set[str] = set()
    for cells in csv.reader(text.replace("\0", "").splitlines(), skipinitialspace=True):
        if len(cells) != len(_FIELDS) or not cells[0].strip().isdigit():
            continue
        row = dict(zip(_FIELDS, (cell.strip() for cell in cells)))
        memory = re.match(r"(\d+)(?: MiB)?$", row["memory.total"])
        drivers.add(row["driver_version"])
        devices.append(
            Device(
                Backend.GAUDI,
                int(row["index"]),
                name=Fact(row["name"], "hl-smi") if row["name"] not in ("", "N/A") else None,
                memory_bytes=Fact(int(memory[1]) << 20, "hl-smi") if memory else None,
                bus=Fact(row["bus_id"], "hl-smi") if row["bus_id"] else None,
            )
        )
    drivers.discard("")
    return devices, drivers.pop() if len(drivers) == 1 else None


def from_sysfs(host: Host) -> list[Device]:
    """Accelerators of the Habana vendor id. An Intel or AMD NPU in the same folder is none of them."""
    devices: list[Device] = []
    for folder, pattern in (("/sys/class/accel", r"accel\d+"), ("/sys/class/habanalabs", r"hl\d+")):
        for entry in host.list(folder):
            path = f"{folder}/{entry}/device"
            if not re.fullmatch(pattern, entry) or host.read(f"{path}/vendor") != _HABANA:
                continue
            kind = host.read(f"{path}/device_type")
            if kind and kind.upper().startswith("GAUDI"):
                name = Fact(kind.split()[0].capitalize(), f"{path}/device_type")
            else:
                chip = _CHIPS.get(host.read(f"{path}/device") or "")
                name = Fact(chip, f"{path}/device") if chip else Fact("Habana accelerator", f"{path}/vendor")
            devices.append(Device(Backend.GAUDI, len(devices), name=name))
    return devices
