"""WAV-010: inline PTX works with the lanes or barriers of a warp."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.rules.waves._view import SOURCE, hits
from rewarp.targets import Context
from rewarp.waves import Kind


@rule(
    id="WAV-010",
    title="Inline PTX works with the lanes or barriers of a warp",
    kinds=KINDS,
    anchors=["*asm"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="AMD's compiler does not read PTX, and what these registers and functions give for 32 lanes has 64 bits, "
        "or goes up to 63, on a 64-wide wave.",
        fix="Use __lane_id(), __lanemask_lt() and the HIP functions for votes and shuffles under __HIP_PLATFORM_AMD__.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='asm("mov.u32 %0, %%laneid;" : "=r"(lane));',
    source=SOURCE,
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for PTX that reads lane registers, or votes, shuffles and meets among the lanes of a warp."""
    yield from hits(document, context, Kind.PTX_LANE)
