"""What the files of a project tell one another: names for a warp's size and for masks that a header fixes at 32."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewarp.lang.cpp.file import CodeFile
from rewarp.targets.base import Target
from rewarp.waves.hazards import WaveFacts
from rewarp.waves.reading.names import Names
from rewarp.waves.reading.syntax import Code

GIVES_LANES = re.compile(
    rb"(?:arp|ARP|anes|ANES|ask|ASK)\w*[ \t]*(?:(?<=[ \t])|[={][ \t]*)\(?(?:32|64|0[xX][fF]{8}|~0)[uU]?(?![\w.])"
)
"""A file where this does not occur gives no number to a name for lanes."""
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")


def read(documents: Iterable[CodeFile], target: Target) -> WaveFacts:
    """Widths that are 32 wherever the target's compiler sees them set, and masks of 32 lanes, both outside of functions."""
    widths: set[bytes] = set()
    masks: set[bytes] = set()
    others: set[bytes] = set()
    for document in documents:
        code = Code(document)
        names = Names(code, target)
        widths |= {name for name in names.widths if any(_is_global(code, at) for at in names.offsets_of(name))}
        masks |= {name for name, where in names.masks.items() if _is_global(code, where.start)}
        others |= names.constants.keys() - names.widths
    return WaveFacts(widths=_decoded(widths - others), masks=_decoded(masks))


def sets_otherwise(document: CodeFile, widths: Iterable[str], target: Target) -> frozenset[str]:
    """Those of these widths that a file defines as something else than 32 for the target."""
    fixed = Names(Code(document), target).widths
    seen = {match[1] for match in _DEFINE.finditer(document.code) if not document.is_dead(match.start(), target)}
    return frozenset(name for name in widths if name.encode() in seen - fixed)


def _is_global(code: Code, at: int) -> bool:
    function = code.function_at(at)
    return function is None or function.is_macro


def _decoded(names: Iterable[bytes]) -> frozenset[str]:
    return frozenset(name.decode() for name in names)
