"""WAV-002: a ballot is kept or counted in 32 bits."""

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
    id="WAV-002",
    title="A ballot is kept or counted in 32 bits",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="A ballot has one bit for every lane: 64 on CDNA. In 32 bits the votes of lanes 32 to 63 are lost, and 1u "
        "<< lane is undefined for them.",
        fix="Keep ballots in unsigned long long, use __popcll, __ffsll and __clzll, and shift 1ull.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="unsigned who = __ballot_sync(mask, ready);\nint before = __popc(who & ((1u << lane) - 1));",
    source=SOURCE,
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for ballots in 32-bit variables and memory, counted by 32-bit functions, shifted with 1u or compared with 32 ones."""
    yield from hits(document, context, Kind.BALLOT_32, Kind.BIT_COUNT, Kind.LANE_BIT, Kind.FULL_COMPARE)
