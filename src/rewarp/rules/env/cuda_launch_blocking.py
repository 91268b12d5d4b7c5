"""ENV-006: ``CUDA_LAUNCH_BLOCKING`` for debugging."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, only_named
from rewarp.targets import Context

_NAME = "CUDA_LAUNCH_BLOCKING"
_TWINS = {
    "rocm": ("AMD_SERIALIZE_KERNEL", "HIP_LAUNCH_BLOCKING"),
    "gaudi": ("PT_HPU_LAZY_MODE", "PT_HPU_MAX_COMPOUND_OP_SIZE"),
}


@rule(
    id="ENV-006",
    title="CUDA_LAUNCH_BLOCKING is set",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="It is an aid for debugging and does no harm. What makes launches wait on AMD is AMD_SERIALIZE_KERNEL=3 or "
        "HIP_LAUNCH_BLOCKING=1.",
        fix="Set AMD_SERIALIZE_KERNEL=3 beside it.",
        safety=Safety.DISPLAY_ONLY,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="It is an aid for debugging that Gaudi does not know; the PT_HPU_* variables serve there.",
        fix="Use the PT_HPU_* variables for debugging on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
    ),
    example="export CUDA_LAUNCH_BLOCKING=1",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_LAUNCH_BLOCKING being switched on in a file that sets none of the target's own switches."""
    for item in only_named(document, _NAME, *_TWINS[context.target.name]):
        if item.value not in ("0", ""):
            yield Hit(item, f"{_NAME} is switched on; {context.target.title} has its own switch", _NAME)
