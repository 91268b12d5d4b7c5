"""ENV-008: ``CUDA_DEVICE_ORDER`` fixes the numbering."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.env._shapes import ENV_KINDS, neutral, sets_of
from rewarp.targets import Context

_NAME = "CUDA_DEVICE_ORDER"


@rule(
    id="ENV-008",
    title="CUDA_DEVICE_ORDER fixes the numbering of GPUs",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WRONG,
        why="HIP has no such variable: its numbering stays as it is, and a number chosen for PCI order may mean another "
        "GPU.",
        fix="Check the order with amd-smi where the code depends on it, and choose devices by HIP_VISIBLE_DEVICES.",
        effort=Effort.MINUTES,
    ),
    example="export CUDA_DEVICE_ORDER=PCI_BUS_ID",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/reference/env_variables.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_DEVICE_ORDER being set to PCI_BUS_ID, or to something that is not a literal. In a test it only
    informs."""
    severity = Severity.INFO if is_test(document) else None
    yield from neutral(
        document,
        (
            Hit(item, f"{_NAME} asks for an order that HIP does not know", _NAME, severity)
            for item in sets_of(document, _NAME)
            if item.value in (None, "PCI_BUS_ID")
        ),
    )
