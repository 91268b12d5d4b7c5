"""WAV-007: a launch counts in warps of 32."""

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
    id="WAV-007",
    title="A launch counts in warps of 32",
    kinds=KINDS,
    anchors=[*ANCHORS, "*block_size"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="Blocks, grids and launch bounds counted in 32 do not match a kernel whose waves have 64 lanes; a device "
        "constant on the host is wrong in a build for both widths.",
        fix="Ask the runtime for the warp size on the host and pass it, or what follows from it, to the kernel; change"
        " host and device together.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="reduce_rows<<<rows, dim3(32, 4)>>>(x); // one warp a row",
    source=SOURCE,
    traits=[Trait.MET_IN_USE],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for block and grid sizes, bytes and __launch_bounds__ that are counted in warps of 32 or in the device's constant."""
    yield from hits(document, context, Kind.LAUNCH_GEOMETRY, Kind.LAUNCH_BOUNDS)
