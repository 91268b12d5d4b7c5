"""CU-010: more than 64 KiB of shared memory."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS
from rewarp.targets import Context
from rewarp.waves.reading.shared_sizes import LIMIT, LIMIT_GFX950, asked_over


@rule(
    id="CU-010",
    title="A kernel asks for more than 64 KiB of shared memory",
    kinds=KINDS,
    anchors=["cudaFuncSetAttribute", "cuFuncSetAttribute", "__shared__", "~<<<"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="A workgroup has 64 KiB of LDS on AMD GPUs (160 KiB on gfx950): a static array over it does not compile, "
        "a dynamic request fails at launch.",
        fix="Take smaller tiles or fewer stages on ROCm, and ask the device for its limit (sharedMemPerBlock).",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);",
    source="https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html",
    traits=[Trait.AT_LAUNCH],
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for shared memory sizes over the limit that can be computed from the file."""
    limit = LIMIT_GFX950 if context.versions.arch == "gfx950" else LIMIT
    for asked in asked_over(document, limit):
        message = f"{asked.message}, over the {limit // 1024} KiB an AMD workgroup has"
        yield Hit(asked.where, message, "shared memory", severity=Severity.BUILD if asked.array else None)
