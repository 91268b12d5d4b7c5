"""The variables that hide devices, and how they get in each other's way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rewarp.host.facts import Backend, Level, Note

CUDA, HIP, ROCR = "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"


def entries(value: str) -> list[str]:
    return [entry.strip() for entry in value.split(",")]


def check(environ: Mapping[str, str], backend: Backend, count: int | None) -> Iterator[Note]:
    """Notes on the three lists. ``count`` is how many devices there are, hidden or not."""
    if backend is Backend.ROCM:
        yield from _rocm(environ, count)
    elif backend is Backend.CUDA:
        if CUDA in environ:
            yield from _list(CUDA, environ[CUDA], count)
        for name in (HIP, ROCR):
            if name in environ:
                yield Note(Level.INFO, name, "No meaning on NVIDIA; nothing is hidden by it.", value=environ[name])
    else:
        for name in (CUDA, HIP, ROCR):
            if name in environ:
                what = "There is no GPU here to hide." if backend is Backend.CPU else f"No meaning for {backend.label}."
                yield Note(Level.INFO, name, what, value=environ[name])


def _rocm(environ: Mapping[str, str], count: int | None) -> Iterator[Note]:
    cuda, hip, rocr = (environ.get(name) for name in (CUDA, HIP, ROCR))
    if rocr is not None:
        yield from _list(ROCR, rocr, count)
        if hip is not None:
            yield _double(hip, rocr)
        if cuda is not None and hip is None:
            yield Note(
                Level.WARNING,
                CUDA,
                f"torch counts the devices of {ROCR} and ignores this list, while HIP reads it: they may disagree.",
                f"Use {HIP} alone.",
                cuda,
            )
        return
    if hip is not None:
        yield from _list(HIP, hip, count)
        if cuda is not None:
            same = entries(hip) == entries(cuda)
            yield Note(
                Level.INFO if same else Level.WARNING,
                CUDA,
                f"Not read: {HIP} is set and wins." + ("" if same else f" It says {hip!r}, this one {cuda!r}."),
                "" if same else f"Set both to the same list, or unset {CUDA}.",
                cuda,
            )
    elif cuda is not None:
        yield from _list(CUDA, cuda, count)
        yield Note(
            Level.INFO,
            CUDA,
            f"HIP reads it because {HIP} is not set; newer ROCm documents no longer promise that.",
            f"Set {HIP} to the same list.",
            cuda,
        )


def _double(value: str, rocr: str) -> Note:
    """HIP's list counts inside what ROCR leaves over."""
    inner, outer = entries(value), entries(rocr)
    if len(inner) > len(outer):
        message = f"{len(inner)} devices here and {len(outer)} in {ROCR}: torch refuses this."
        return Note(Level.ERROR, HIP, message, f"Set only one of {HIP} and {ROCR}.", value)
    outside = [entry for entry in inner if entry.isdigit() and int(entry) >= len(outer)]
    if outside:
        message = f"Index {outside[0]} counts inside {ROCR}, which leaves {len(outer)}: there is no such device."
        return Note(Level.ERROR, HIP, message, f"Count from 0 again, or set only one of {HIP} and {ROCR}.", value)
    message = f"Counts inside the devices that {ROCR} leaves ({rocr}), not on the machine."
    return Note(Level.WARNING, HIP, message, f"Set only one of {HIP} and {ROCR}.", value)


def _list(name: str, value: str, count: int | None) -> Iterator[Note]:
    """One list on its own: empty, negative, repeated or too far."""
    listed = entries(value)
    if not value.strip() or listed[0].startswith("-"):
        yield Note(Level.WARNING, name, "Hides every device.", f"Unset {name} to use the GPU.", value)
        return
    if any(re.match(r"(GPU|MIG)-", entry) for entry in listed):
        yield Note(Level.INFO, name, f"Selects {len(listed)} by identifier; not checked further.", value=value)
        return
    if len(set(listed)) < len(listed):
        yield Note(Level.ERROR, name, "An entry stands twice: torch then sees no device at all.", value=value)
        return
    bad = next((entry for entry in listed if not entry.isdigit() or (count is not None and int(entry) >= count)), None)
    if bad is not None:
        before = listed.index(bad)
        there = f"there are {count} devices" if count is not None and bad.isdigit() else "it is not an index"
        message = f"{bad!r} is no device here ({there}): it and all after it are hidden, {before} remain."
        yield Note(Level.ERROR if before == 0 else Level.WARNING, name, message, value=value)
        return
    total = "" if count is None else f" of {count}"
    yield Note(Level.INFO, name, f"Shows {len(listed)}{total} devices, numbered from 0 in this order.", value=value)
