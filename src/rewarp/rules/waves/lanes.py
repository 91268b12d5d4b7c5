"""WAV-003: a lane or warp number is worked out with 32."""

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
    id="WAV-003",
    title="A lane or warp number is worked out with 32",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="Where the warp functions see 64 lanes, a lane number modulo 32 names two lanes, and a block has half as "
        "many waves as threads / 32.",
        fix="Use warpSize, or one constant chosen per target; where the algorithm means 32, give every shuffle the "
        "width 32 and vote by halves.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="const int lane = threadIdx.x & 31;\nif (lane == 0) sums[threadIdx.x >> 5] = __shfl_down_sync(mask, value, 1);",
    source=SOURCE,
    traits=[Trait.MET_IN_USE],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for lane and warp numbers made with 32, 31 or 5 in functions that work on the whole warp."""
    yield from hits(document, context, Kind.LANE_ARITHMETIC)
