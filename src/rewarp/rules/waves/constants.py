"""WAV-004: a constant fixes the size of a warp."""

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
    id="WAV-004",
    title="A constant fixes the size of a warp",
    kinds=KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="A wave has 64 lanes on CDNA and 32 on RDNA: a fixed size is wrong on one of them wherever lanes, loops, "
        "arrays or launches are worked out from it.",
        fix="Choose the constant per target under the platform's macro, and ask the runtime for warpSize on the host.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#define WARP_SIZE 32\n__device__ int lane() { return threadIdx.x % WARP_SIZE; }",
    source=SOURCE,
    fix=SourceFix(),
    traits=[Trait.GIVES_A_NAME, Trait.MET_IN_USE],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for macros, constants, enumerators and template parameters that mean a warp's size (or its half or log2) and have one value."""
    yield from hits(document, context, Kind.WIDTH_CONSTANT, Kind.SHIFT_CONSTANT)
