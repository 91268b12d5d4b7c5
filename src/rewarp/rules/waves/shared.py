"""WAV-006: shared memory is sized by warps or lanes of 32."""

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
    id="WAV-006",
    title="Shared memory is sized by warps or lanes of 32",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="An array with 32 slots that lanes index is half as long as a 64-wide wave; one with a slot for each warp "
        "has slots that no wave writes.",
        fix="Size such arrays by the target's warp size, and guard reads by the number of waves.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="__shared__ float best[32];\nbest[lane] = __shfl_xor(value, 1);",
    source=SOURCE,
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for shared arrays and dynamic bytes that are counted in lanes or warps of 32."""
    yield from hits(document, context, Kind.SHARED_SIZE)
