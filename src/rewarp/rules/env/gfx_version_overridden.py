"""ENV-014: ``HSA_OVERRIDE_GFX_VERSION`` makes one GPU pass for another."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_NAME = "HSA_OVERRIDE_GFX_VERSION"
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


@rule(
    id="ENV-014",
    title="HSA_OVERRIDE_GFX_VERSION makes the GPU pass for another",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="The runtime then loads code of the architecture that the variable names. It helps consumer GPUs that are like a supported "
        "one; a GPU with other instructions or another wave width ends in a fault, or finds no kernel.",
        fix="Leave it out where the GPU is supported.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="ENV HSA_OVERRIDE_GFX_VERSION=10.3.0",
    source="https://rocm.docs.amd.com/en/latest/reference/env-variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for the variable with another version than that of the architecture that was asked for; without one it informs."""
    arch = context.versions.arch
    for item in sets_of(document, _NAME):
        version = _VERSION.fullmatch((item.value or "").strip("\"' "))
        if version is None:
            continue
        named = f"gfx{version[1]}{version[2]}{int(version[3]):x}"
        if named != arch:
            message = f"{_NAME} makes the GPU pass for {named}" + (f", and {arch} is not like it" if arch else "")
            alike = (
                arch is not None and (named[:-2], len(named)) == (arch[:-2], len(arch)) and not arch.startswith("gfx9")
            )
            yield Hit(item, message, _NAME, Severity.INFO if arch is None or alike else None)
