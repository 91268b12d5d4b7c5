"""ENV-004: two names for the allocator's settings."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_HIP = "PYTORCH_HIP_ALLOC_CONF"
_CUDA = "PYTORCH_CUDA_ALLOC_CONF"


@rule(
    id="ENV-004",
    title="PYTORCH_HIP_ALLOC_CONF beside PYTORCH_CUDA_ALLOC_CONF",
    kinds=ENV_KINDS,
    anchors=[_HIP],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="A ROCm build of torch reads PYTORCH_CUDA_ALLOC_CONF too and looks at the HIP name only when that one is "
        "not set. From torch 2.9 on PYTORCH_ALLOC_CONF is the common name.",
    ),
    example="export PYTORCH_CUDA_ALLOC_CONF=$C PYTORCH_HIP_ALLOC_CONF=$C",
    versions="PYTORCH_ALLOC_CONF from torch 2.9",
    source="https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDAAllocatorConfig.h",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for PYTORCH_HIP_ALLOC_CONF and PYTORCH_CUDA_ALLOC_CONF set in the same file."""
    if sets_of(document, _CUDA):
        for item in sets_of(document, _HIP):
            yield Hit(item, f"{_HIP} is set beside {_CUDA}, which is the one that counts", _HIP)
