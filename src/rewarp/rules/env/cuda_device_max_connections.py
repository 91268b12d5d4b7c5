"""ENV-007: ``CUDA_DEVICE_MAX_CONNECTIONS`` orders the queues."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, neutral, only_named
from rewarp.targets import Context

_NAME = "CUDA_DEVICE_MAX_CONNECTIONS"


@rule(
    id="ENV-007",
    title="CUDA_DEVICE_MAX_CONNECTIONS is set",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.PERF,
        why="HIP does not read it, so the overlap it is meant to arrange is left to chance. The number of hardware "
        "queues is GPU_MAX_HW_QUEUES.",
        fix="Set GPU_MAX_HW_QUEUES beside it (2 is the usual counterpart) and measure.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="export CUDA_DEVICE_MAX_CONNECTIONS=1",
    source="https://rocm.docs.amd.com/en/docs-7.1.1/reference/env-variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_DEVICE_MAX_CONNECTIONS being set in a file that does not set GPU_MAX_HW_QUEUES."""
    yield from neutral(
        document,
        (
            Hit(item, f"{_NAME} is set and GPU_MAX_HW_QUEUES is not", _NAME)
            for item in only_named(document, _NAME, "GPU_MAX_HW_QUEUES")
        ),
    )
