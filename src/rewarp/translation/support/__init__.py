"""The support header: what HIP lacks, for translated files that need it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_SOME = "// These are the parts that this project uses: `rewarp translate --support-header` prints the whole.\n"


@lru_cache(maxsize=1)
def support_header() -> bytes:
    """The text of ``rewarp_hip.h``."""
    return Path(__file__).with_name("rewarp_hip.h").read_bytes()


def support_for(sources: Iterable[bytes], before: bytes | None = None, *, kernels_alone: bool = False) -> bytes:
    """As much of ``rewarp_hip.h`` as these sources use, or as the kernels in them do; and what is there already, if it was
    made by an earlier run."""
    # Late: it expands macros, which whoever translates nothing need not wait for.
    from rewarp.translation.support.parts import used_parts

    there = before.decode() if before is not None and is_support_header(before) else ""
    text = used_parts(support_header().decode(), sources, there, kernels_alone=kernels_alone)
    first, _, rest = text.partition("\n")
    return f"{first}\n{_SOME}{rest}".encode()


def is_support_header(data: bytes) -> bool:
    """Whether this is our header, whole or in parts, and as we wrote it."""
    if data == support_header():
        return True
    # Late, for the same reason.
    from rewarp.translation.support.parts import is_made_of

    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return _SOME in text and is_made_of(support_header().decode(), text.replace(_SOME, "", 1))


def waves_header_for(sources: Iterable[bytes], before: bytes | None = None) -> bytes:
    """As much of ``rewarp_waves.h`` as these sources use; and what is there already, if it is made of the same parts."""
    # Late, for the same reason.
    from rewarp.translation.support.parts import used_parts
    from rewarp.waves.support import portable_header

    there = before.decode() if before is not None and is_waves_header(before) else ""
    return used_parts(portable_header().decode(), sources, there).encode()


def is_waves_header(data: bytes) -> bool:
    """Whether this is the header for waves, whole or in parts, and as we wrote it."""
    # Late, for the same reason.
    from rewarp.translation.support.parts import is_made_of
    from rewarp.waves.support import portable_header

    try:
        return data == portable_header() or is_made_of(portable_header().decode(), data.decode())
    except UnicodeDecodeError:
        return False
