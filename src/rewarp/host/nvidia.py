"""NVIDIA: nvidia-smi, and what the kernel driver leaves under /proc."""

from __future__ import annotations

import csv
import re

from rewarp.host.facts import Backend, Device, Fact, Level, Note, Platform, ToolState
from rewarp.host.host import Host, Ran

_FIELDS = ("index", "name", "uuid", "pci.bus_id", "memory.total", "driver_version", "compute_cap")
_UNKNOWN = re.compile(r"^$|^\[.*\]$|^N/A$", re.IGNORECASE)


def examine(host: Host) -> Platform:
    ran, fields = _query(host)
    devices: list[Device] = []
    versions: dict[str, Fact[str]] = {}
    evidence: list[Fact[str]] = []
    notes: list[Note] = []
    if ran.worked:
        devices = parse_query(ran.stdout, fields)
        driver = parse_driver(ran.stdout, fields)
        if driver:
            versions["driver"] = Fact(driver, "nvidia-smi")
        newest = re.search(r"CUDA(?: UMD)? Version\s*:\s*([\d.]+)", host.run("nvidia-smi").stdout)
        if newest:
            versions["newest CUDA the driver serves"] = Fact(newest[1], "nvidia-smi")
    elif ran.state is not ToolState.MISSING:
        notes.append(_failed(host, ran))
    kernel = host.read("/proc/driver/nvidia/version")
    if kernel:
        evidence.append(Fact(kernel.splitlines()[0], "/proc/driver/nvidia/version"))
        found = re.search(r"Kernel Module(?: for \S+)?\s+([\d.]+)", kernel)
        if found and "driver" not in versions:
            versions["driver"] = Fact(found[1], "/proc/driver/nvidia/version")
    if not devices:
        devices = _from_proc(host)
    evidence += [Fact(f"/dev/{name}", "/dev") for name in host.list("/dev") if re.fullmatch(r"nvidia\d+", name)]
    return Platform(Backend.CUDA, tuple(devices), versions, tuple(evidence), tuple(notes))


def _query(host: Host) -> tuple[Ran, tuple[str, ...]]:
    """Ask nvidia-smi; an old one does not know the last field and is asked again without it."""
    ran = Ran(ToolState.MISSING)
    for fields in (_FIELDS, _FIELDS[:-1]):
        ran = host.run("nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits")
        if "not a valid field" not in ran.stdout + ran.stderr:
            return ran, fields
    return ran, _FIELDS[:-1]


def _failed(host: Host, ran: Ran) -> Note:
    said = " ".join((ran.stdout + " " + ran.stderr).split())[:200]
    if "No devices were found" in said:
        return Note(Level.WARNING, "nvidia-smi", "The driver answers and has no device.")
    return Note(
        Level.ERROR if host.exists("/proc/driver/nvidia/version") else Level.WARNING,
        "nvidia-smi",
        f"nvidia-smi is installed but did not list devices: {ran.detail or said}",
        "Check that the kernel module is loaded and matches the user-space driver; in a container, "
        "that the GPU was handed in.",
    )


def _rows(text: str, fields: tuple[str, ...]) -> list[dict[str, str]]:
    rows = []
    for cells in csv.reader(text.replace("\0", "").splitlines(), skipinitialspace=True):
        if len(cells) == len(fields) and cells[0].strip().isdigit():
            rows.append({field: cell.strip() for field, cell in zip(fields, cells) if not _UNKNOWN.match(cell.strip())})
    return rows


def parse_query(text: str, fields: tuple[str, ...] = _FIELDS) -> list[Device]:
    """The devices in the answer to ``nvidia-smi --query-gpu=...``; a field it cannot give is None."""
    devices = []
    for row in _rows(text, fields):
        memory, capability = row.get("memory.total", ""), row.get("compute_cap", "")
        source = "nvidia-smi"
        devices.append(
            Device(
                Backend.CUDA,
                int(row["index"]),
                name=Fact(row["name"], source) if "name" in row else None,
                arch=Fact("sm_" + capability.replace(".", ""), source) if capability else None,
                memory_bytes=Fact(int(memory) << 20, source) if memory.isdigit() else None,
                bus=Fact(row["pci.bus_id"], source) if "pci.bus_id" in row else None,
                uuid=Fact(row["uuid"], source) if "uuid" in row else None,
            )
        )
    return devices


def parse_driver(text: str, fields: tuple[str, ...] = _FIELDS) -> str | None:
    versions = {row["driver_version"] for row in _rows(text, fields) if "driver_version" in row}
    return versions.pop() if len(versions) == 1 else None


def _from_proc(host: Host) -> list[Device]:
    """What the kernel module says of each GPU: enough for a name when nvidia-smi is not there."""
    devices: list[Device] = []
    for folder in host.list("/proc/driver/nvidia/gpus"):
        path = f"/proc/driver/nvidia/gpus/{folder}/information"
        values = dict(re.findall(r"^([^:\n]+):\s*(.+?)\s*$", host.read(path) or "", re.MULTILINE))
        if "Model" not in values:
            continue
        uuid = values.get("GPU UUID", "")
        devices.append(
            Device(
                Backend.CUDA,
                len(devices),
                name=Fact(values["Model"], path),
                bus=Fact(values.get("Bus Location", folder), path),
                uuid=Fact(uuid, path) if uuid and "?" not in uuid else None,
            )
        )
    return devices
