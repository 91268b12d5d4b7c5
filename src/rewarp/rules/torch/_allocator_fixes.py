"""Settings of the allocator that ROCm does without."""

from __future__ import annotations


def not_expandable(value: object) -> object | None:
    if not isinstance(value, str) or "expandable_segments" not in value:
        return None
    options = [option for option in value.split(",") if "expandable_segments" not in option]
    return ",".join(options) or "expandable_segments:False"
