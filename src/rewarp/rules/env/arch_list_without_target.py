"""ENV-016: what is built for leaves the GPU out."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_NAMES = (
    *(
        "PYTORCH_ROCM_ARCH",
        "AMDGPU_TARGETS",
        "GPU_TARGETS",
        "GPU_ARCHS",
        "CMAKE_HIP_ARCHITECTURES",
        "HIP_ARCHITECTURES",
    ),
    *("AMDGPU_TARGET", "ROCM_ARCH", "HCC_AMDGPU_TARGET", "HIP_ARCH", "ROCM_TARGET_LST"),
)
_GFX = re.compile(r"gfx\d+-\d+-generic|gfx[0-9a-f]+(?:-generic)?")
_NOT_GFX = re.compile(
    r"(?:sm_?|compute_)?\d+(?:\.\d+)?(?:\+PTX)?(?:[;, ](?:sm_?|compute_)?\d+(?:\.\d+)?(?:\+PTX)?)*", re.I
)
_BY_DEFAULT = re.compile(r"\?=|:-|:=\$|\$\{|\$\(")


@rule(
    id="ENV-016",
    title="The list of architectures to build for leaves the GPU out",
    kinds=(*ENV_KINDS, Kind.CMAKE),
    anchors=list(_NAMES),
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.CRASH,
        why="Device code runs on the architectures that it was built for and on no other: on the rest the first launch ends with "
        "hipErrorNoBinaryForGpu. ROCm's lists hold gfx names, not compute capabilities.",
        fix="Add the architecture to the list.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='export PYTORCH_ROCM_ARCH="gfx1030;gfx1100"   # for an MI300X, gfx942',
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for lists of architectures, set to a text, that hold compute capabilities, or leave out the architecture that was
    asked for. What can be given from outside is left alone."""
    arch = context.versions.arch
    for item in sets_of(document, *_NAMES):
        value = (item.value or "").strip("\"' ")
        line = document.source.line_text(document.source.line_at(document.span(item).start))
        if not value or _BY_DEFAULT.search(line):
            continue
        if _NOT_GFX.fullmatch(value):
            yield Hit(item, f"{item.name} is {value}, and names no gfx architecture", item.name)
            continue
        named = _GFX.findall(value)
        if arch and named and len(named) == len(re.split(r"[;,\s]+", value.strip("; "))) and not _covers(named, arch):
            yield Hit(item, f"{item.name} is {value}: nothing is built for {arch}", item.name)


def _covers(named: list[str], arch: str) -> bool:
    return any(
        name == arch or (name.endswith("-generic") and arch.startswith(name.replace("-generic", "").replace("-", "")))
        for name in named
    )
