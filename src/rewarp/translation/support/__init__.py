"""The support header: what HIP lacks, for translated files that need it."""

from __future__ import annotations

from pathlib import Path


def support_header() -> bytes:
    """The text of ``rewarp_hip.h``."""
    return Path(__file__).with_name("rewarp_hip.h").read_bytes()
