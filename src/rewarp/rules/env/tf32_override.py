"""ENV-009: variables that override TF32."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_WHY = {
    "NVIDIA_TF32_OVERRIDE": "only NVIDIA's libraries read it",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "torch reads it on ROCm as well",
}


@rule(
    id="ENV-009",
    title="A variable overrides TF32",
    kinds=ENV_KINDS,
    anchors=list(_WHY),
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="TF32 on ROCm follows torch's own settings (HIPBLASLT_ALLOW_TF32 in older versions); NVIDIA's variable is "
        "ignored and does no harm.",
    ),
    example="export NVIDIA_TF32_OVERRIDE=0",
    source="https://github.com/ROCm/aorta/issues/500",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for NVIDIA_TF32_OVERRIDE and TORCH_ALLOW_TF32_CUBLAS_OVERRIDE being set."""
    for item in sets_of(document, *_WHY):
        yield Hit(item, f"{item.name} is set; {_WHY[item.name]}", item.name)
