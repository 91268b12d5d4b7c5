"""PY-MEM-005: the asynchronous allocator back end."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS
from rewarp.rules.shapes.torch_runtime import allocator_confs
from rewarp.targets import Context


@rule(
    id="PY-MEM-005",
    title="The allocator's back end is cudaMallocAsync",
    kinds=ENV_KINDS,
    anchors=["cudaMallocAsync"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="A ROCm build takes cudaMallocAsync and hipMallocAsync for the same back end.",
    ),
    example='os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"',
    source="https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDAAllocatorConfig.cpp",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for backend:cudaMallocAsync in allocator settings."""
    for conf in allocator_confs(document):
        if conf.options.get("backend") == "cudaMallocAsync":
            yield Hit(conf.where, "backend:cudaMallocAsync is accepted on ROCm under this name", "cudaMallocAsync")
