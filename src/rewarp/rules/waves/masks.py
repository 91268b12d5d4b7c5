"""WAV-001: a mask of lanes has 32 bits."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.rules.waves._view import ANCHORS, SOURCE, hits
from rewarp.targets import Context
from rewarp.waves import Kind


@rule(
    id="WAV-001",
    title="A mask of lanes has 32 bits",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="HIP's *_sync functions reject a mask that is not 64 bits wide, and a widened 0xffffffff names half of a "
        "64-wide wave.",
        fix="Give masks a 64-bit type under HIP and all 64 bits where all lanes are meant; where the code means 32 "
        "lanes, shift the mask to the lane's own half.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="value += __shfl_down_sync(0xffffffff, value, 16);",
    source=SOURCE,
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for 32-bit masks that reach the *_sync functions: literals, constants, variables, parameters and helpers' results."""
    yield from hits(document, context, Kind.MASK_32)
