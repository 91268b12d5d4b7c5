"""ENV-003: ``CUDA_VISIBLE_DEVICES`` selects the device."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.env._fixes import also_set
from rewarp.rules.shapes.env import ENV_KINDS, neutral, sets_of
from rewarp.targets import Context

_NAME = "CUDA_VISIBLE_DEVICES"


@rule(
    id="ENV-003",
    title="CUDA_VISIBLE_DEVICES selects the GPU",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WRONG,
        why="HIP falls back to CUDA_VISIBLE_DEVICES up to ROCm 7; the documentation of ROCm 10 no longer lists it.",
        fix="Also set HIP_VISIBLE_DEVICES to the same list, and never ROCR_VISIBLE_DEVICES beside it.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
        when=When(rocm=">=10", otherwise=Severity.WORKS),
    ),
    gaudi=Impact(
        Severity.INFO,
        why="Gaudi does not read CUDA_VISIBLE_DEVICES: which cards a process sees is not limited by it.",
        fix="Set HABANA_VISIBLE_DEVICES (containers) or HLS_MODULE_ID.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="export CUDA_VISIBLE_DEVICES=0,1",
    versions="honoured by HIP up to ROCm 7.x; not relied upon from ROCm 10",
    source="https://github.com/ROCm/rocm-systems/pull/10473",
    fix=PythonFix(also_set("HIP_VISIBLE_DEVICES")),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for CUDA_VISIBLE_DEVICES being set where its twin for the target is not set as well."""
    twins = {item.name for item in document.env_sets}
    if context.target.visible_devices in twins:
        return
    message = f"{_NAME} is set and {context.target.visible_devices} is not"
    yield from neutral(document, (Hit(item, message, _NAME) for item in sets_of(document, _NAME)))
