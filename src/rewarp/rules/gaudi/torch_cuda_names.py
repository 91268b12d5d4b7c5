"""HPU-001: names of ``torch.cuda``."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import HANDLES, in_annotation, judged_for_gaudi, when_raised
from rewarp.rules.shapes.gaudi_outcomes import is_cudas
from rewarp.rules.shapes.gaudi_twins import is_default_type, twin
from rewarp.rules.shapes.torch import conditions
from rewarp.rules.shapes.torch_runtime import is_private
from rewarp.tables import find_torch_cuda
from rewarp.targets import Context

# These answer False, 0 or None on a build without CUDA; everything else that touches the device raises.
_QUIET = {
    **dict.fromkeys(("is_available", "is_initialized", "is_bf16_supported"), "answers False"),
    **dict.fromkeys(("device_count", "memory_allocated", "memory_reserved"), "answers 0"),
    **dict.fromkeys(("max_memory_allocated", "max_memory_reserved"), "answers 0"),
    **dict.fromkeys(("manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache"), "does nothing"),
    "device_of": "does nothing for tensors of other devices",
    **dict.fromkeys(("get_arch_list", "get_rng_state_all", "memory_stats"), "answers with nothing"),
}
_SEED_ALL = ("torch.manual_seed", "torch.random.manual_seed", "torch.seed")
_SEEDS = frozenset({"manual_seed", "manual_seed_all", "seed", "seed_all"})
# Calls that rules on other subjects tell with more to say.
_TOLD_CALLS = frozenset({"is_available", "is_bf16_supported", "CUDAGraph", "graph", "make_graphed_callables"})
_TOLD_CALLS |= {"graphs.CUDAGraph", "graphs.graph", "graphs.make_graphed_callables"}
_TOLD_PROPERTIES = ("multi_processor_count", "total_memory")
_ERRORS = ("OutOfMemoryError", "CudaError", "AcceleratorError", "DeferredCudaCallError")


@rule(
    id="HPU-001",
    title="torch.cuda is used",
    kinds=PYTHON_KINDS,
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
    gaudi_fix=PythonFix(twin),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for every name below torch.cuda that other Gaudi rules do not cover."""
    for path, node in document.refs("torch.cuda.*"):
        name = path.removeprefix("torch.cuda.")
        if "(" in name or "[" in name or name == "amp" or name.startswith("amp."):
            continue
        if in_annotation(document, node) or not _written_here(document, node) or _told(document, name, node):
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
            yield Hit(node, f"{path} is named; Gaudi never raises it", path, severity=Severity.INFO)
        elif quiet:
            yield Hit(node, f"{path} {quiet} on Gaudi; {advice}", path, severity=_of_quiet(document, name, node))
        elif is_default_type(document, node):
            message = f"{path} becomes the default tensor type; no type of Gaudi's can be that"
            yield Hit(node, message, path, effort=Effort.HOURS, safety=Safety.NONE)
        elif isinstance(document.parent(node), ast.Compare):
            yield Hit(node, f"{path} itself is compared, not what it returns", path, severity=Severity.WRONG)
        else:
            effort = Effort.MINUTES if twin else Effort.HOURS
            yield Hit(node, f"{path} raises on Gaudi; {advice}", path, when_raised(document, node), effort=effort)


def _of_quiet(document: PythonFile, name: str, node: ast.AST) -> Severity:
    """What comes of an answer as if there were no accelerator."""
    call = document.parent(node)
    if (
        not isinstance(call, ast.Call)
        or call.func is not node
        or name in ("empty_cache", "is_initialized", "device_of")
    ):
        return Severity.INFO
    if name in _SEEDS and any(document.scope(other) is document.scope(call) for _, other in document.calls(*_SEED_ALL)):
        return Severity.INFO  # on Gaudi these seed its devices as well
    parent = document.parent(call)
    if name == "device_count":
        if isinstance(parent, (ast.BinOp, ast.AugAssign)) and isinstance(parent.op, (ast.Mod, ast.FloorDiv, ast.Div)):
            if call is (parent.right if isinstance(parent, ast.BinOp) else parent.value):
                return Severity.CRASH  # it divides by 0
        if isinstance(parent, ast.Compare):  # one card is used; DataParallel would not run on more
            chosen = [condition for condition, _ in conditions(document, parent)]
            return Severity.INFO if any("DataParallel" in ast.unparse(c) for c in chosen) else Severity.PERF
        return Severity.INFO if _is_shown(document, call) or _is_one_at_least(parent) else Severity.PERF
    return Severity.INFO if _is_shown(document, call) else Severity.WRONG


def _is_one_at_least(parent: ast.AST | None) -> bool:
    """``max(torch.cuda.device_count(), 1)``, ``torch.cuda.device_count() or 1``"""
    if isinstance(parent, ast.BoolOp):
        return isinstance(parent.op, ast.Or)
    return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "max"


def _is_shown(document: PythonFile, call: ast.AST) -> bool:
    """Whether a figure goes into a text, or to a function that prints or logs."""
    for parent in document.ancestors(call):
        if isinstance(parent, ast.JoinedStr):
            return True
        if isinstance(parent, ast.Call) and is_cudas(document, parent):
            return True
        if isinstance(parent, ast.stmt):
            return False
    return False


def _told(document: PythonFile, name: str, node: ast.AST) -> bool:
    """Whether another rule has this place as its subject: graphs, capabilities, memory sizes, nvtx, raw streams."""
    if name == "mem_get_info":
        return True
    if is_private(name) and isinstance(node, ast.Attribute) and find_torch_cuda(name) is None:
        return True
    call = document.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    if name in _TOLD_CALLS or name.startswith(("nvtx.", "nccl.", "comm.")):
        return True
    after = document.parent(call)
    if isinstance(after, ast.Attribute):
        if name in ("current_stream", "default_stream", "Stream", "ExternalStream", "Event", "cudart"):
            return after.attr in HANDLES
        if name == "get_device_properties" and after.attr in _TOLD_PROPERTIES:
            return True
    return name in ("get_device_capability", "get_device_properties") and _compared(document, call)


def _compared(document: PythonFile, call: ast.AST) -> bool:
    """``torch.cuda.get_device_capability()[0] >= 9`` is told as a test of the SM version."""
    for parent in document.ancestors(call):
        if isinstance(parent, ast.Compare):
            return True
        if isinstance(parent, ast.Attribute) and parent.attr not in ("major", "minor"):
            return False
        if not isinstance(parent, (ast.Attribute, ast.Subscript)):
            return False
    return False


def _written_here(document: PythonFile, node: ast.AST) -> bool:
    """Not a variable that was read off torch.cuda earlier: that place is told already."""
    if not isinstance(node, ast.Name):
        return True
    return any(binding.path is not None for binding in document.bindings(node))
