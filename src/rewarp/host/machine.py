"""All of it together: one machine."""

from __future__ import annotations

import platform as system
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from rewarp.host import abilities, amd, environment, gaudi, intel, nvidia, specs, tools, torch_build
from rewarp.host.facts import (
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

_VENDORS = (nvidia, amd, gaudi, intel)


def examine(host: Host | None = None, *, ask_torch: bool = True) -> Machine:
    """Look at this machine. Tools run side by side, each with its own time limit; none can make this fail."""
    host = host or Host()
    with ThreadPoolExecutor(max_workers=16) as pool:
        asked = pool.submit(torch_build.examine, host) if ask_torch else None
        seen = [pool.submit(vendor.examine, host) for vendor in _VENDORS]
        known = [pool.submit(tools.examine, host, tool) for tool in tools.TOOLS]
        found = [future.result() for future in seen]
        toolbox = tuple(future.result() for future in known)
        torch = asked.result() if asked else TorchBuild(TorchState.NOT_ASKED, host.python)
    platforms = tuple(_with_torch(_with_tools(item, toolbox), torch) for item in found)
    backend, why = _decide(platforms, torch)
    chosen = next((item for item in platforms if item.backend is backend), Platform(backend))
    rocm = chosen.versions.get("rocm") if backend is Backend.ROCM else None
    setting = environment.Setting(host, backend, chosen.devices, torch, rocm.value if rocm else torch.hip)
    return Machine(
        backend=backend,
        why=why,
        system=_system(host),
        platforms=tuple(item for item in platforms if item.present),
        torch=torch,
        tools=toolbox,
        environment=environment.examine(setting),
        notes=tuple(_notes(platforms, backend, torch)),
        abilities=abilities.examine(tuple(device for item in platforms for device in item.devices), host.environ),
    )


def _system(host: Host) -> dict[str, Fact[str]]:
    facts = {
        "system": Fact(f"{system.system()} {system.release()}", "uname"),
        "machine": Fact(system.machine(), "uname"),
        "python": Fact(system.python_version(), "this process"),
    }
    release = re.search(r'^PRETTY_NAME="?([^"\n]+)', host.read("/etc/os-release") or "", re.MULTILINE)
    if release:
        facts["distribution"] = Fact(release[1], "/etc/os-release")
    if host.exists("/.dockerenv") or host.exists("/run/.containerenv"):
        facts["container"] = Fact("yes", "/.dockerenv" if host.exists("/.dockerenv") else "/run/.containerenv")
    if host.exists("/dev/dxg"):
        facts["WSL"] = Fact("yes", "/dev/dxg")
    return facts


def _with_tools(item: Platform, toolbox: tuple[Tool, ...]) -> Platform:
    """Compiler versions belong to a platform, too."""
    compilers = {Backend.CUDA: ("nvcc", "CUDA toolkit"), Backend.ROCM: ("hipcc", "HIP")}
    if item.backend not in compilers:
        return item
    name, label = compilers[item.backend]
    tool = next((tool for tool in toolbox if tool.name == name and tool.state is ToolState.WORKS), None)
    if tool is None or tool.version is None:
        return item
    return replace(item, versions={**item.versions, label: tool.version})


def _with_torch(item: Platform, torch: TorchBuild) -> Platform:
    """What torch says of the devices, and the devices themselves where only torch sees them."""
    seen = torch.devices if torch.backend is item.backend and torch.devices else ()
    devices = item.devices
    if seen and not devices:
        devices = tuple(_from_torch(item.backend, index, device) for index, device in enumerate(seen))
    else:
        devices = tuple(_filled(device, seen) for device in devices)
    return replace(item, devices=tuple(specs.enrich(device) for device in devices))


def _from_torch(backend: Backend, index: int, device: TorchDevice) -> Device:
    source = "torch"
    return Device(
        backend,
        index,
        name=Fact(device.name, source) if device.name else None,
        arch=Fact(device.arch, source) if device.arch else None,
        memory_bytes=Fact(device.memory_bytes, source) if device.memory_bytes else None,
        compute_units=Fact(device.compute_units, source) if device.compute_units else None,
        wave_size=Fact(device.wave_size, source) if device.wave_size else None,
    )


def _filled(device: Device, seen: tuple[TorchDevice, ...]) -> Device:
    """torch numbers devices its own way, so only what all devices of one name share is taken over."""
    alike = {replace(other, memory_bytes=None) for other in seen if device.name and other.name == device.name.value}
    if len(alike) != 1:
        return device
    return device.filled_from(_from_torch(device.backend, device.index, alike.pop()))


def _decide(platforms: tuple[Platform, ...], torch: TorchBuild) -> tuple[Backend, str]:
    present = [item for item in platforms if item.devices]
    chosen = next((item for item in present if item.backend is torch.backend), None)
    if chosen is not None and len(present) > 1:
        return chosen.backend, f"of {len(present)} kinds of device, torch is built for this one"
    if present:
        first = chosen or present[0]
        source = first.devices[0].name or first.devices[0].arch
        count = len(first.devices)
        noun = "device" if count == 1 else "devices"
        return first.backend, f"{count} {noun} found" + (f" by {source.source}" if source else "")
    return Backend.CPU, "no accelerator was found"


def _notes(platforms: tuple[Platform, ...], backend: Backend, torch: TorchBuild) -> Iterator[Note]:
    for item in platforms:
        yield from item.notes
    devices = next((item.devices for item in platforms if item.backend is backend), ())
    if torch.state is TorchState.BROKEN:
        yield Note(Level.ERROR, "torch", f"torch is installed and does not import: {torch.detail}")
    if torch.device_error:
        yield Note(Level.ERROR, "torch", f"torch could not list devices: {torch.device_error}")
    built = torch.backend
    if built is None or backend is Backend.CPU:
        return
    if built is not backend:
        yield Note(
            Level.ERROR,
            "torch",
            f"The machine has {backend.label} devices; this torch ({torch.version}) is built for {built.label}.",
            "Install the torch build for this machine, and keep pip from replacing it.",
        )
    elif torch.devices == ():
        yield Note(
            Level.ERROR,
            "torch",
            f"{len(devices)} devices were found, and torch sees none.",
            "Look at the environment variables below, the driver's version and the rights on the device files.",
        )
    elif torch.devices is not None and len(torch.devices) < len(devices):
        yield Note(Level.INFO, "torch", f"torch sees {len(torch.devices)} of {len(devices)} devices.")
    yield from _missing_code(devices, backend, torch)


def _missing_code(devices: tuple[Device, ...], backend: Backend, torch: TorchBuild) -> Iterator[Note]:
    """A ROCm build runs on the very architectures it was built for."""
    if backend is not Backend.ROCM or torch.backend is not backend or not torch.archs:
        return
    held = {arch.split(":")[0] for arch in torch.archs}
    if any("generic" in arch for arch in held):
        return
    for arch in sorted({device.arch.value for device in devices if device.arch} - held):
        yield Note(
            Level.ERROR,
            "torch",
            f"This torch holds no code for {arch}: the first kernel fails. It holds {', '.join(sorted(held))}.",
            "Install a build that names this architecture.",
        )
