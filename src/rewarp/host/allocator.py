"""The settings of torch's caching allocator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from packaging.version import InvalidVersion, Version

from rewarp.host.facts import Backend, Level, Note

NEW, CUDA, HIP = "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"
KEYS = frozenset(
    """backend max_split_size_mb max_non_split_rounding_mb garbage_collection_threshold roundup_power2_divisions
    expandable_segments release_lock_on_cudamalloc release_lock_on_hipmalloc pinned_use_cuda_host_register
    pinned_use_hip_host_register pinned_num_register_threads pinned_use_background_threads
    pinned_reserve_segment_size_mb pinned_max_register_threads pinned_max_round_threshold_mb
    graph_capture_record_stream_reuse per_process_memory_fraction use_cuda_host_register""".split()
)


def parse(text: str) -> dict[str, str]:
    """``a:1,b:[2:3,4:5]`` as a mapping; an entry without a colon has an empty value."""
    pairs: dict[str, str] = {}
    depth, start = 0, 0
    for position, char in enumerate(text + ","):
        depth += (char == "[") - (char == "]")
        if (char == "," and depth <= 0) or position == len(text):
            key, _, value = text[start:position].partition(":")
            if key.strip():
                pairs[key.strip()] = value.strip()
            start = position + 1
    return pairs


def at_least(version: str | None, wanted: str) -> bool | None:
    """Whether a version such as 2.11.0+cu130 has reached another; None when it is not known."""
    if version is None:
        return None
    try:
        return Version(version.split("+")[0].split("-")[0]) >= Version(wanted)
    except InvalidVersion:
        return None


def check(environ: Mapping[str, str], backend: Backend, torch: str | None, rocm: str | None) -> Iterator[Note]:
    if backend not in (Backend.CUDA, Backend.ROCM):
        return
    order = [name for name in (NEW, CUDA, HIP) if name in environ]
    if backend is Backend.CUDA and HIP in order:
        order.remove(HIP)
        yield Note(Level.INFO, HIP, "Not read on NVIDIA.", value=environ[HIP])
    if NEW in order and at_least(torch, "2.9") is False:
        order.remove(NEW)
        yield Note(Level.WARNING, NEW, f"torch {torch} does not know this name yet.", f"Use {CUDA}.", environ[NEW])
    for name in order[1:]:
        if environ[name] != environ[order[0]]:
            message = f"Not read: {order[0]} is set, too, and comes first."
            yield Note(Level.WARNING, name, message, "Keep one of them.", environ[name])
    if order:
        yield from _settings(order[0], environ[order[0]], backend, torch, rocm)


def _settings(name: str, value: str, backend: Backend, torch: str | None, rocm: str | None) -> Iterator[Note]:
    settings = parse(value)
    unknown = sorted(set(settings) - KEYS)
    if unknown:
        message = f"Unknown key {', '.join(unknown)}: torch stops at a key it does not know."
        yield Note(Level.WARNING, name, message, value=value)
    expandable = settings.get("expandable_segments", "").lower() == "true"
    if backend is Backend.ROCM and expandable:
        yield _expandable(name, value, "max_split_size_mb" in settings, torch, rocm)
    elif not unknown:
        keys = ", ".join(settings) or "nothing"
        yield Note(Level.INFO, name, f"Sets {keys} for torch's allocator; works here as on any GPU.", value=value)


def _expandable(name: str, value: str, split: bool, torch: str | None, rocm: str | None) -> Note:
    live = (at_least(torch, "2.12"), at_least(rocm, "7.0"))
    if False in live:
        message = "expandable_segments is ignored, with a warning, before torch 2.12 with ROCm 7.0."
        return Note(Level.INFO, name, message, value=value)
    known = "is live here" if None not in live else "is live from torch 2.12 with ROCm 7.0"
    message = f"expandable_segments {known}, and hangs have been reported."
    if split:
        message += " Together with max_split_size_mb a live tensor was seen to read back as zeros (gfx1201, ROCm 7.14)."
    return Note(Level.WARNING, name, message, "Leave expandable_segments out on ROCm unless you need it.", value)
