"""Environment variables that bite: what each does on this machine, and how bad that is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rewarp import tables
from rewarp.host import allocator, visible
from rewarp.host.facts import Backend, Device, Level, Note, TorchBuild
from rewarp.host.host import Host

# Chips that share the first digits of their name with others and not the instruction set.
_ALONE = ("gfx908", "gfx90a")


@dataclass(frozen=True)
class Setting:
    """What a check may know."""

    host: Host
    backend: Backend
    devices: tuple[Device, ...]
    """Those of the backend, hidden or not; empty may mean that they could not be listed."""
    torch: TorchBuild
    rocm: str | None = None

    @property
    def environ(self) -> Mapping[str, str]:
        return self.host.environ

    @property
    def archs(self) -> list[str]:
        return sorted({device.arch.value for device in self.devices if device.arch})


def examine(setting: Setting) -> tuple[Note, ...]:
    """Notes on every variable rewarp knows, the worst first."""
    environ, backend = setting.environ, setting.backend
    notes = [
        *visible.check(environ, backend, len(setting.devices) or None),
        *allocator.check(environ, backend, setting.torch.version, setting.rocm),
        *_override(setting),
        *_arch_lists(setting),
        *_library_path(setting),
        *_homes(setting),
        *_from_table(setting),
    ]
    return tuple(sorted(notes, key=lambda note: (-note.level.rank, note.subject)))


def _from_table(setting: Setting) -> Iterator[Note]:
    rows = tables.rows("env_vars.csv")
    for name, value in sorted(setting.environ.items()):
        for row in rows:
            if (
                setting.backend.value in row["backend"].split("|")
                and re.fullmatch(row["name"], name)
                and re.fullmatch(row["value"], value)
            ):
                yield Note(Level(row["level"]), name, row["message"], row["advice"], value)
                break


def _override(setting: Setting) -> Iterator[Note]:
    """HSA_OVERRIDE_GFX_VERSION, and its forms for one device."""
    for name, value in sorted(setting.environ.items()):
        if not re.fullmatch(r"HSA_OVERRIDE_GFX_VERSION(_\d+)?", name) or not value:
            continue
        if setting.backend is not Backend.ROCM:
            yield Note(Level.INFO, name, "No meaning here; a ROCm variable.", value=value)
            continue
        parts = value.split(".")
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            yield Note(Level.ERROR, name, "Not of the form 10.3.0: the runtime will not start.", value=value)
            continue
        major, minor, step = map(int, parts)
        pretended = f"gfx{major}{minor:x}{step:x}"
        real = [device.arch.value for device in setting.devices if device.arch and "kfd" in device.arch.source]
        if real and all(arch == pretended for arch in real):
            yield Note(Level.INFO, name, f"Says {pretended}, which the device is anyway.", "Unset it.", value)
            continue
        known = f"the devices are {', '.join(sorted(set(real)))}" if real else "what the devices are could not be read"
        family = bool(real) and all(arch[:-1] == pretended[:-1] and arch not in _ALONE for arch in real)
        yield Note(
            Level.WARNING if family or not real else Level.ERROR,
            name,
            f"The runtime takes every GPU for {pretended}; {known}. "
            + (
                "Close relatives often work, unsupported." if family else "Code for another chip may crash or be wrong."
            ),
            "Unset it where torch holds code for the real chip; never report results with it unsaid.",
            value,
        )


def _arch_lists(setting: Setting) -> Iterator[Note]:
    cuda, rocm = setting.environ.get("TORCH_CUDA_ARCH_LIST"), setting.environ.get("PYTORCH_ROCM_ARCH")
    if cuda is not None and setting.backend is Backend.ROCM:
        advice = f"Set PYTORCH_ROCM_ARCH={';'.join(setting.archs) or 'gfx942'} for builds."
        level = Level.INFO if rocm else Level.WARNING
        yield Note(level, "TORCH_CUDA_ARCH_LIST", "Not read by builds for ROCm.", "" if rocm else advice, cuda)
    elif cuda is not None and setting.backend is Backend.CUDA:
        yield from _cuda_list(cuda, setting.archs)
    if rocm is not None and setting.backend is Backend.ROCM:
        listed = [part.split(":")[0] for part in re.split(r"[;, ]+", rocm) if part]
        lacking = [arch for arch in setting.archs if arch not in listed]
        if lacking:
            message = (
                f"Extensions are built for {', '.join(listed) or 'nothing'}; {lacking[0]}, which is here, is not in it."
            )
            yield Note(Level.WARNING, "PYTORCH_ROCM_ARCH", message, f"Add {lacking[0]}.", rocm)
        else:
            yield Note(Level.INFO, "PYTORCH_ROCM_ARCH", "Extensions are built for these architectures.", value=rocm)
    elif rocm is not None:
        yield Note(Level.INFO, "PYTORCH_ROCM_ARCH", "Read by builds for ROCm only.", value=rocm)


def _cuda_list(value: str, archs: list[str]) -> Iterator[Note]:
    """A binary for 8.0 runs on 8.6, and PTX on everything newer."""
    name, served = "TORCH_CUDA_ARCH_LIST", []
    for entry in re.split(r"[;, ]+", value):
        match = re.fullmatch(r"(\d+)\.(\d+)([af]?)(\+PTX)?", entry)
        if match:
            served.append((int(match[1]), int(match[2]), bool(match[4])))
    if not served:
        yield Note(Level.INFO, name, "Names architectures in words; not checked.", value=value)
        return
    for arch in archs:
        number = re.fullmatch(r"sm_(\d+)(\d)", arch)
        if number is None:
            continue
        have = int(number[1]), int(number[2])
        if not any((a == have[0] and b <= have[1]) or (ptx and (a, b) <= have) for a, b, ptx in served):
            message = f"Extensions built with it do not run on {arch}, which is here."
            yield Note(Level.WARNING, name, message, f"Add {have[0]}.{have[1]}.", value)
            return
    yield Note(Level.INFO, name, "Extensions are built for these architectures.", value=value)


def _library_path(setting: Setting) -> Iterator[Note]:
    value = setting.environ.get("LD_LIBRARY_PATH", "")
    folders = [folder for folder in value.split(":") if folder]
    nvidia = [folder for folder in folders if re.search(r"(?i)cuda|nvidia|tensorrt", folder)]
    amd = [folder for folder in folders if re.search(r"(?i)rocm|/hip\b", folder)]
    if setting.backend is Backend.ROCM and nvidia:
        message = f"{nvidia[0]} comes before the system's folders: a program may load NVIDIA libraries from it."
        yield Note(Level.WARNING, "LD_LIBRARY_PATH", message, "Take the CUDA folders out.", value)
    if setting.backend is Backend.CUDA and amd:
        message = f"{amd[0]} holds ROCm libraries, on a machine with NVIDIA devices."
        yield Note(Level.WARNING, "LD_LIBRARY_PATH", message, "Take the ROCm folders out.", value)
    built = (setting.torch.cuda or "").split(".")[0]
    others = [folder for folder in nvidia if (found := re.search(r"cuda-(\d+)", folder)) and found[1] != built]
    if setting.backend is Backend.CUDA and built and others:
        message = (
            f"{others[0]} is another CUDA than torch's ({setting.torch.cuda}): libraries from it may be loaded first."
        )
        yield Note(Level.WARNING, "LD_LIBRARY_PATH", message, "Take it out; torch brings its own.", value)


def _homes(setting: Setting) -> Iterator[Note]:
    for name in ("CUDA_HOME", "CUDA_PATH", "ROCM_HOME", "ROCM_PATH", "HIP_PATH"):
        value = setting.environ.get(name)
        if not value:
            continue
        cuda = name.startswith("CUDA")
        if not setting.host.exists(value):
            level = Level.WARNING if cuda == (setting.backend is Backend.CUDA) else Level.INFO
            yield Note(level, name, "This folder does not exist: builds that look there fail.", value=value)
        elif cuda and setting.backend is Backend.ROCM:
            message = "Harmless to run; a build script may take it for a sign of NVIDIA."
            yield Note(Level.INFO, name, message, "Builds for AMD look at ROCM_HOME or ROCM_PATH.", value)
