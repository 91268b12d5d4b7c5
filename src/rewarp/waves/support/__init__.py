"""The portable header: what makes one source right on waves of 32 and of 64 lanes, and the same as before for NVIDIA."""

from __future__ import annotations

from pathlib import Path

HEADER = "rewarp_waves.h"


def portable_header() -> bytes:
    """The text of ``rewarp_waves.h``."""
    return Path(__file__).with_name(HEADER).read_bytes()
