"""AMD: the KFD topology in /sys, rocminfo, amd-smi and rocm-smi, laid over one another.

The kernel's topology comes first: it shows every GPU, whatever ROCR_VISIBLE_DEVICES hides and
whatever HSA_OVERRIDE_GFX_VERSION pretends. The tools add names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rewarp.host.facts import Backend, Device, Fact, Level, Note, Platform, ToolState
from rewarp.host.host import Host, Ran

_KFD = "/sys/class/kfd/kfd/topology/nodes"
_PROPERTY = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)


def examine(host: Host) -> Platform:
    kernel, unreadable = from_kfd(host)
    notes: list[Note] = []
    views = [kernel]
    asked: tuple[tuple[str, tuple[str, ...], Callable[[str], list[Device]]], ...] = (
        ("rocminfo", (), parse_rocminfo),
        ("amd-smi", ("static", "--asic", "--bus", "--vram", "--json"), parse_amd_smi),
        ("rocm-smi", ("--showproductname", "--showmeminfo", "vram", "--showbus", "--json"), parse_rocm_smi),
    )
    for tool, arguments, parse in asked:
        ran = host.run(tool, *arguments)
        if ran.worked:
            views.append(parse(ran.stdout))
        elif ran.state is not ToolState.MISSING:
            notes.append(_failed(tool, ran))
    devices = merge(views)
    evidence = [Fact(f"{len(kernel)} GPU nodes", _KFD)] if kernel else []
    if unreadable:
        evidence.append(Fact(f"{unreadable} nodes that may not be read from here", _KFD))
    evidence += _pci_evidence(host)
    if host.exists("/dev/kfd"):
        evidence.append(Fact("/dev/kfd", "/dev"))
    notes += _access(host, devices)
    return Platform(Backend.ROCM, tuple(devices), _versions(host), tuple(evidence), tuple(notes))


def _failed(tool: str, ran: Ran) -> Note:
    return Note(Level.WARNING, tool, f"{tool} is installed but did not list devices: {ran.detail}")


def _access(host: Host, devices: list[Device]) -> list[Note]:
    """The usual reasons why a GPU the kernel knows cannot be used."""
    if devices and not host.exists("/dev/kfd"):
        return [
            Note(
                Level.ERROR,
                "/dev/kfd",
                "The kernel knows the GPU, and /dev/kfd is not here: no ROCm program can open it.",
                "In a container, hand in --device /dev/kfd --device /dev/dri.",
            )
        ]
    if host.exists("/dev/kfd") and not host.writable("/dev/kfd"):
        return [
            Note(
                Level.ERROR,
                "/dev/kfd",
                "This user may not open /dev/kfd, so ROCm programs see no GPU.",
                "Add the user to the groups that own it, usually render and video, and log in again.",
            )
        ]
    return []


def _versions(host: Host) -> dict[str, Fact[str]]:
    versions: dict[str, Fact[str]] = {}
    homes = [host.environ.get(name, "") for name in ("ROCM_PATH", "ROCM_HOME")]
    for home in [*homes, "/opt/rocm"]:
        text = host.read(f"{home}/.info/version") if home else None
        if text and "rocm" not in versions:
            versions["rocm"] = Fact(text.splitlines()[0], f"{home}/.info/version")
    if "rocm" not in versions:
        said = re.search(r"ROCm version:\s*([\d.]+)", host.run("amd-smi", "version").stdout)
        if said:
            versions["rocm"] = Fact(said[1], "amd-smi version")
    driver = host.read("/sys/module/amdgpu/version")
    if driver:
        versions["driver"] = Fact(driver, "/sys/module/amdgpu/version")
    return versions


def _pci_evidence(host: Host) -> list[Fact[str]]:
    cards = [name for name in host.list("/sys/class/drm") if re.fullmatch(r"card\d+", name)]
    found = []
    for card in cards:
        path = f"/sys/class/drm/{card}/device/vendor"
        if host.read(path) == "0x1002":
            found.append(Fact(f"AMD display or compute device {card}", path))
    return found


# --- the kernel's topology ---------------------------------------------------------------


def gfx_of_version(version: int) -> str:
    """90402 is gfx942, 90010 gfx90a, 110001 gfx1101: two digits each, the last as hexadecimal."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def from_kfd(host: Host) -> tuple[list[Device], int]:
    """The GPU nodes of /sys/class/kfd, and how many nodes could not be read."""
    devices: list[Device] = []
    unreadable = 0
    for node in host.list(_KFD):
        path = f"{_KFD}/{node}/properties"
        text = host.read(path)
        if text is None:
            unreadable += 1
            continue
        values = {name: int(value) for name, value in _PROPERTY.findall(text)}
        if values.get("simd_count", 0) and values.get("gfx_target_version", 0) and node.isdigit():
            devices.append(_kfd_device(host, int(node), len(devices), values, path))
    return devices, unreadable


def _kfd_device(host: Host, node: int, index: int, values: dict[str, int], path: str) -> Device:
    per_cu, location, unique = values.get("simd_per_cu", 0), values.get("location_id"), values.get("unique_id", 0)
    memory = _kfd_memory(host, node)
    minor = values.get("drm_render_minor", 0)
    product = f"/sys/class/drm/renderD{minor}/device/product_name"
    name = host.read(product) if minor else None
    missing = minor and host.list("/dev/dri") and not host.exists(f"/dev/dri/renderD{minor}")
    bus = None
    if location is not None:
        parts = (values.get("domain", 0), location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7)
        bus = "{:04x}:{:02x}:{:02x}.{:x}".format(*parts)
    return Device(
        Backend.ROCM,
        index,
        name=Fact(name, product) if name else None,
        arch=Fact(gfx_of_version(values["gfx_target_version"]), path),
        memory_bytes=Fact(memory, f"{_KFD}/{node}/mem_banks") if memory else None,
        compute_units=Fact(values["simd_count"] // per_cu, path) if per_cu else None,
        wave_size=Fact(values["wave_front_size"], path) if values.get("wave_front_size") else None,
        bus=Fact(bus, path) if bus else None,
        uuid=Fact(f"GPU-{unique:016x}", path) if unique else None,
        node=Fact(node, path),
        note=f"/dev/dri/renderD{minor} is not here: the device cannot be opened from here" if missing else "",
    )


def _kfd_memory(host: Host, node: int) -> int:
    """The local memory of a node: heap types 1 and 2 are the public and private frame buffer."""
    total = 0
    for bank in host.list(f"{_KFD}/{node}/mem_banks"):
        text = host.read(f"{_KFD}/{node}/mem_banks/{bank}/properties") or ""
        values = {name: int(value) for name, value in _PROPERTY.findall(text)}
        if values.get("heap_type") in (1, 2):
            total += values.get("size_in_bytes", 0)
    return total


# --- the tools ---------------------------------------------------------------------------


def parse_rocminfo(text: str) -> list[Device]:
    """The GPU agents of ``rocminfo``."""
    devices: list[Device] = []
    for block in re.split(r"^\*+\s*\nAgent \d+\s*\n\*+\s*$", text, flags=re.MULTILINE)[1:]:
        head, _, rest = block.partition("Pool Info:")
        values = dict(re.findall(r"^ {2}(\S[^:\n]*):[ \t]*(\S.*?)?[ \t]*$", head, re.MULTILINE))
        if values.get("Device Type") != "GPU":
            continue
        pools = re.findall(r"Segment:\s*GLOBAL;.*\n\s*Size:\s*(\d+)", rest.partition("ISA Info:")[0])
        units, node = _leading(values.get("Compute Unit")), _leading(values.get("Node"))
        wave, name, uuid = _leading(values.get("Wavefront Size")), values.get("Marketing Name"), values.get("Uuid", "")
        source = "rocminfo"
        devices.append(
            Device(
                Backend.ROCM,
                len(devices),
                name=Fact(name, source) if name else None,
                arch=Fact(values["Name"], source) if values.get("Name", "").startswith("gfx") else None,
                memory_bytes=Fact(max(map(int, pools)) << 10, source) if pools else None,
                compute_units=Fact(units, source) if units else None,
                wave_size=Fact(wave, source) if wave else None,
                uuid=Fact(uuid, source) if re.fullmatch(r"GPU-[0-9a-f]{8,}", uuid) else None,
                node=Fact(node, source) if node is not None else None,
            )
        )
    return devices


def _leading(text: str | None) -> int | None:
    """The number a value such as ``64(0x40)`` begins with."""
    match = re.match(r"\d+", text or "")
    return int(match[0]) if match else None


def _json(text: str) -> Any:
    """The JSON in a tool's output; warnings may stand before it."""
    starts = [position for position in (text.find("{"), text.find("[")) if position >= 0]
    for start in sorted(starts):
        try:
            return json.JSONDecoder().raw_decode(text[start:])[0]
        except json.JSONDecodeError:
            continue
    return None


def _known(value: Any) -> str | None:
    text = str(value).strip() if value is not None else ""
    return None if text in ("", "N/A", "n/a", "None") else text


def _part(entry: dict[str, Any], key: str) -> dict[str, Any]:
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def parse_amd_smi(text: str) -> list[Device]:
    """``amd-smi static --asic --bus --vram --json``: a list, or since ROCm 7 a list under gpu_data."""
    data = _json(text)
    entries = data.get("gpu_data", []) if isinstance(data, dict) else data
    devices: list[Device] = []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            continue
        asic, bus, vram = (_part(entry, key) for key in ("asic", "bus", "vram"))
        name, gfx = _known(asic.get("market_name")), _known(asic.get("target_graphics_version"))
        units, bdf, size = _leading(_known(asic.get("num_compute_units"))), _known(bus.get("bdf")), vram.get("size")
        megabytes = size.get("value") if isinstance(size, dict) else _leading(_known(size))
        source = "amd-smi"
        devices.append(
            Device(
                Backend.ROCM,
                len(devices),
                name=Fact(name, source) if name and not name.startswith("0x") else None,
                arch=Fact(gfx, source) if gfx and gfx.startswith("gfx") else None,
                memory_bytes=Fact(megabytes << 20, source) if isinstance(megabytes, int) and megabytes else None,
                compute_units=Fact(units, source) if units else None,
                bus=Fact(bdf.lower(), source) if bdf else None,
            )
        )
    return devices


def parse_rocm_smi(text: str) -> list[Device]:
    """``rocm-smi --showproductname --showmeminfo vram --showbus --json``."""
    data = _json(text)
    devices: list[Device] = []
    for card, raw in data.items() if isinstance(data, dict) else ():
        if not re.fullmatch(r"card\d+", card) or not isinstance(raw, dict):
            continue
        # The capitals changed between releases: "Card series", "Card Series".
        values = {key.lower(): known for key, value in raw.items() if (known := _known(value))}
        name, gfx, size = values.get("card series"), values.get("gfx version"), values.get("vram total memory (b)", "")
        node, bdf = _leading(values.get("node id")), values.get("pci bus")
        source = "rocm-smi"
        devices.append(
            Device(
                Backend.ROCM,
                len(devices),
                name=Fact(name, source) if name and not name.startswith("0x") else None,
                arch=Fact(gfx, source) if gfx and gfx.startswith("gfx") else None,
                memory_bytes=Fact(int(size), source) if size.isdigit() else None,
                bus=Fact(bdf.lower(), source) if bdf else None,
                node=Fact(node, source) if node is not None else None,
            )
        )
    return devices


# --- one list out of several --------------------------------------------------------------


def merge(views: list[list[Device]]) -> list[Device]:
    """The first view that has devices, filled from the others where it is sure which is which."""
    present = [view for view in views if view]
    if not present:
        return []
    merged, *others = present
    for other in others:
        pairs = dict(_pairs(merged, other))
        merged = [device.filled_from(pairs[i]) if i in pairs else device for i, device in enumerate(merged)]
    return [replace(device, index=index) for index, device in enumerate(merged)]


def _pairs(first: list[Device], second: list[Device]) -> Iterator[tuple[int, Device]]:
    for index, device in enumerate(first):
        for other in second:
            if any(_same(getattr(device, key), getattr(other, key)) for key in ("node", "bus", "uuid")):
                yield index, other
                break
        else:
            # Without a common key, only alike devices may be paired, since then it does not matter which.
            alike = {(other.name and other.name.value, other.arch and other.arch.value) for other in second}
            if len(second) == len(first) and len(alike) == 1 and not _keyed(first, second):
                yield index, second[index]


def _same(one: Fact[Any] | None, two: Fact[Any] | None) -> bool:
    return one is not None and two is not None and one.value == two.value


def _keyed(first: list[Device], second: list[Device]) -> bool:
    """Whether the two views share a kind of key at all."""
    return any(
        any(getattr(device, key) for device in first) and any(getattr(device, key) for device in second)
        for key in ("node", "bus", "uuid")
    )
