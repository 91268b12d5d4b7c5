"""WAV-009: a group or matrix fragment is as wide as a warp."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.rules.waves._view import SOURCE, hits
from rewarp.targets import Context
from rewarp.waves import Kind


@rule(
    id="WAV-009",
    title="A group or matrix fragment is as wide as a warp",
    kinds=KINDS,
    anchors=["coalesced_threads", "meta_group_size", "meta_group_rank", "wmma", "*WMMA"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="coalesced_threads holds up to 64 threads, and a matrix fragment is spread over a wave: 64 threads on "
        "CDNA.",
        fix="Use tiles of a fixed size, ask the group for its size, and launch whole waves for rocWMMA.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="dim3 threads(TILE / WMMA_N * 32); // one warp a fragment",
    source=SOURCE,
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for coalesced groups, counts of groups and threads of matrix fragments that follow the width of a warp."""
    yield from hits(document, context, Kind.GROUPS, Kind.MATRIX)
