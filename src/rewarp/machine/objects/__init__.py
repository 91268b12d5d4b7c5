"""Code objects (hsaco): AMD's machine code, as the assembly that would give it, so that one reader serves all.

The format: https://llvm.org/docs/AMDGPUUsage.html#elf-code-object
"""

from __future__ import annotations

import struct

from rewarp.errors import ParseError
from rewarp.machine.objects.reading import CodeObject
from rewarp.machine.objects.writing import assembly

__all__ = ["assembly_of"]


def assembly_of(data: bytes, arch: str = "") -> str:
    """The assembly of a code object, for ``rewarp.machine.assembly.parse``. ``arch`` names the card where the code is
    for a family (``gfx9-4-generic``). Raises ParseError, with the reason, for what is no whole code object."""
    try:
        return assembly(CodeObject(data, arch))
    except (struct.error, ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ParseError(f"not a whole AMD code object: {error}") from None
