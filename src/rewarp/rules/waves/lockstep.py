"""WAV-008: a warp is taken to run in lockstep."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.rules.waves._view import ANCHORS, SOURCE, hits
from rewarp.targets import Context
from rewarp.waves import Kind


@rule(
    id="WAV-008",
    title="A warp is taken to run in lockstep",
    kinds=KINDS,
    anchors=[*ANCHORS, "volatile", "__shared__"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="Steps through shared memory without a barrier count on 32 threads that run together and on a compiler "
        "that keeps their order.",
        fix="Put __syncthreads() or a wave barrier between the steps, or use shuffles.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="volatile float *v = shared;\nif (tid < 32) { v[tid] += v[tid + 32]; v[tid] += v[tid + 16]; } // one warp",
    source=SOURCE,
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for the last steps of reductions in shared memory that no barrier separates."""
    yield from hits(document, context, Kind.IMPLICIT_SYNC, Kind.VOLATILE_TAIL)
