"""PY-MEM-001: ``max_split_size_mb`` in the allocator settings."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_runtime import allocator_confs, expandable
from rewarp.targets import Context

_OPTION = "max_split_size_mb"


@rule(
    id="PY-MEM-001",
    title="The caching allocator is told max_split_size_mb",
    kinds=ENV_KINDS,
    anchors=[_OPTION],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="The allocator's settings have one parser for CUDA and HIP, and this option has no ROCm exception in it.",
    ),
    example='os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"',
    source="https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDAAllocatorConfig.cpp",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for allocator settings with max_split_size_mb and without expandable segments."""
    for conf in allocator_confs(document):
        if _OPTION in conf.options and not expandable(conf):
            yield Hit(conf.where, f"{_OPTION}:{conf.options[_OPTION]} is read on ROCm as on NVIDIA", _OPTION)
