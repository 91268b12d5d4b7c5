"""ENV-008: ``CUDA_DEVICE_ORDER`` fixes the numbering."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, neutral, sets_of
from rewarp.targets import Context

_NAME = "CUDA_DEVICE_ORDER"


@rule(
    id="ENV-008",
    title="CUDA_DEVICE_ORDER fixes the numbering of GPUs",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.INFO,
        why="HIP has no such variable: its numbering stays as it is. Where a program chooses a GPU by its number on a machine with "
        "several, the number may mean another one.",
        fix="Check the order with amd-smi where the code depends on it, and choose devices by HIP_VISIBLE_DEVICES.",
        effort=Effort.MINUTES,
    ),
    example="export CUDA_DEVICE_ORDER=PCI_BUS_ID",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_DEVICE_ORDER being set to PCI_BUS_ID, or to something that is not a literal."""
    yield from neutral(
        document,
        (
            Hit(item, f"{_NAME} asks for an order that HIP does not know", _NAME)
            for item in sets_of(document, _NAME)
            if item.value in (None, "PCI_BUS_ID")
        ),
    )
