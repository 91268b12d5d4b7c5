"""HPU-001: names of ``torch.cuda``."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import KINDS, behind_cuda_test, in_annotation, migrated
from rewarp.tables import find_torch_cuda
from rewarp.targets import Context

# These answer False, 0 or None on a build without CUDA; everything else that touches the device raises.
_QUIET = {
    **dict.fromkeys(("is_available", "is_initialized", "is_bf16_supported"), "answers False"),
    **dict.fromkeys(("device_count", "memory_allocated", "memory_reserved"), "answers 0"),
    **dict.fromkeys(("max_memory_allocated", "max_memory_reserved"), "answers 0"),
    **dict.fromkeys(("manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache"), "does nothing"),
    **dict.fromkeys(("get_arch_list", "get_rng_state_all", "memory_stats"), "answers with nothing"),
}
_ERRORS = ("OutOfMemoryError", "CudaError", "AcceleratorError", "DeferredCudaCallError")


@rule(
    id="HPU-001",
    title="torch.cuda is used",
    kinds=KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    gaudi=Impact(
        Severity.CRASH,
        why="On Gaudi torch is built without CUDA: torch.cuda functions raise, or answer as if there were no accelerator. "
        "torch.hpu has the common ones under the same names.",
        fix="Choose the module once (torch.hpu on Gaudi, torch.cuda otherwise), or import "
        "habana_frameworks.torch.gpu_migration first, which patches torch.cuda at run time.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="torch.cuda.synchronize()",
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/GPU_Migration_Toolkit/Intel_Gaudi_Migration_APIs.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for every name below torch.cuda that other Gaudi rules do not cover."""
    if migrated(document):
        return
    for path, node in document.refs("torch.cuda.*"):
        name = path.removeprefix("torch.cuda.")
        if "(" in name or "[" in name or name == "amp" or name.startswith("amp."):
            continue
        if in_annotation(document, node) or _continued(document, node) or not _written_here(document, node):
            continue
        if behind_cuda_test(document, node):
            continue
        row = find_torch_cuda(name)
        twin = row.gaudi_twin if row else None
        advice = (
            f"its twin is {twin}"
            if twin
            else "torch.hpu has no twin"
            if row
            else "whether torch.hpu has it is not known"
        )
        quiet = _QUIET.get(name)
        if name.rpartition(".")[2] in _ERRORS:
            yield Hit(node, f"{path} is named; Gaudi never raises it", path, severity=Severity.WRONG)
        elif quiet:
            severity = Severity.INFO if name == "empty_cache" else Severity.WRONG
            yield Hit(node, f"{path} {quiet} on Gaudi; {advice}", path, severity=severity)
        else:
            effort = Effort.MINUTES if twin else Effort.HOURS
            yield Hit(node, f"{path} raises on Gaudi; {advice}", path, effort=effort)


def _continued(document: PythonFile, node: ast.AST) -> bool:
    """``torch.cuda.current_stream().cuda_stream`` and the like are told by HPU-007."""
    call = document.parent(node)
    after = document.parent(call) if isinstance(call, ast.Call) else None
    return isinstance(after, ast.Attribute) and after.attr in ("cuda_stream", "cudaHostRegister", "cudaHostUnregister")


def _written_here(document: PythonFile, node: ast.AST) -> bool:
    """Not a variable that was read off torch.cuda earlier: that place is told already."""
    if not isinstance(node, ast.Name):
        return True
    return any(binding.path is not None for binding in document.bindings(node))
