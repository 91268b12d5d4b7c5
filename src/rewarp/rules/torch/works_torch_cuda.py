"""PY-OK-001: names below torch.cuda that do the same on ROCm."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import cuda_uses, runs_every_step
from rewarp.tables import find_torch_cuda, torch_cuda_modules
from rewarp.targets import Context

_NOT_EVERY_STEP = ("empty_cache", "memory.empty_cache", "ipc_collect")


@rule(
    id="PY-OK-001",
    title="A torch.cuda name that does the same on ROCm",
    kinds=PYTHON_KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WORKS,
        why="PyTorch for ROCm keeps the module torch.cuda and puts HIP behind it; this name does the same there.",
    ),
    example="torch.cuda.synchronize()",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for uses of torch.cuda names that the table of torch.cuda marks as the same on ROCm."""
    for use in cuda_uses(document):
        row = find_torch_cuda(use.name)
        if row is None or row.rocm != "same" or use.name in torch_cuda_modules() or use.in_import:
            continue
        if use.name in _NOT_EVERY_STEP and runs_every_step(document, use.node):
            continue
        path = f"torch.cuda.{use.name}"
        yield Hit(use.node, f"{path} does the same on ROCm" + (f" ({row.note})" if row.note else ""), path)
