"""WAV-005: a loop over lanes is written for 32."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.rules.waves._view import ANCHORS, SOURCE, hits
from rewarp.targets import Context
from rewarp.waves import Kind


@rule(
    id="WAV-005",
    title="A loop over lanes is written for 32",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="A reduction that starts at offset 16, or a scan that ends at 16, never crosses lane 32: half of a 64-wide"
        " wave stays out of the result.",
        fix="Start at warpSize / 2 and end at warpSize; where each half is meant apart, give the shuffles the width "
        "32.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down(value, offset);",
    source=SOURCE,
    traits=[Trait.MET_IN_USE],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for loops over lane offsets or lanes whose bounds are those of 32 lanes, around shuffles and ballots that see the whole wave."""
    yield from hits(document, context, Kind.LOOP)
