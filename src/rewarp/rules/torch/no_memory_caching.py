"""PY-MEM-009: the variable that switches the caching allocator off."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.targets import Context

_NAME = "PYTORCH_NO_CUDA_MEMORY_CACHING"


@rule(
    id="PY-MEM-009",
    title="PYTORCH_NO_CUDA_MEMORY_CACHING is set",
    kinds=ENV_KINDS,
    anchors=[_NAME],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="A ROCm build reads the CUDA name and the HIP name of this variable alike.",
    ),
    example="export PYTORCH_NO_CUDA_MEMORY_CACHING=1",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for PYTORCH_NO_CUDA_MEMORY_CACHING being set."""
    for item in document.env_sets:
        if item.name == _NAME:
            yield Hit(item, f"{_NAME} switches the caching allocator off on ROCm too", _NAME)
