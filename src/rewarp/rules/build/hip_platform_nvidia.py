"""BLD-026: HIP is told to build for NVIDIA."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.project.sides import Side, side_of
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import names_platform
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_NAMES = ("HIP_PLATFORM", "HIP_COMPILER", "HIP_RUNTIME")
_NVIDIA = re.compile(r"nvidia|nvcc|cuda", re.I)


@rule(
    id="BLD-026",
    title="HIP_PLATFORM asks for NVIDIA's side of HIP",
    kinds=(*ENV_KINDS, Kind.CMAKE),
    anchors=list(_NAMES),
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="With HIP_PLATFORM=nvidia hipcc calls nvcc, and HIP's headers stand for CUDA's. There is neither on an AMD machine.",
        fix="Leave it out: HIP takes AMD where ROCm is installed, or set it to amd.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="export HIP_PLATFORM = nvidia",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/install/install.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for HIP_PLATFORM and its kin set to nvidia, nvcc or cuda, where no condition names a platform."""
    if side_of(document.source.path, document.kind) is Side.NVIDIA:
        return
    for item in sets_of(document, *_NAMES):
        if not _NVIDIA.fullmatch((item.value or "").strip("\"' ")):
            continue
        if isinstance(document, Makefile) and names_platform(document.conditions(document.span(item).start)):
            continue
        yield Hit(item, f"{item.name} is {item.value}: hipcc calls nvcc", item.name)
    if isinstance(document, CMakeFile):
        for call in document.calls:
            told = (
                call.name == "set"
                and len(call.texts) > 1
                and call.texts[0] in _NAMES
                and _NVIDIA.fullmatch(call.texts[1])
            )
            if told and not names_platform(condition for condition, _ in call.conditions):
                yield Hit(
                    call.arguments[1].where, f"{call.texts[0]} is {call.texts[1]}: hipcc calls nvcc", call.texts[0]
                )
