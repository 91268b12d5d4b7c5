"""HPU-007: pinned memory, IPC handles and raw streams."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import HANDLES, judged_for_gaudi
from rewarp.targets import Context


@rule(
    id="HPU-007",
    title="Pinned memory, IPC handles or raw streams",
    kinds=PYTHON_KINDS,
    anchors=["pin_memory", *HANDLES],
    phase=Phase.LIBRARIES,
    gaudi=Impact(
        Severity.CRASH,
        why="Gaudi has no CUDA stream handles or IPC memory handles, and host memory is pinned for a named device.",
        fix='Pin with device="hpu" where a copy gains from it, and leave handles and registered memory to NVIDIA and AMD.',
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="handle = torch.cuda.current_stream().cuda_stream",
    source="https://github.com/LMCache/LMCache",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for pin_memory, cudaHostRegister, IPC memory handles and the integer handle of a stream."""
    for node in document.nodes(ast.Attribute):
        if node.attr in HANDLES and isinstance(node.ctx, ast.Load) and document.raw(node.value) != "self":
            yield Hit(node, f"{HANDLES[node.attr]} is used", node.attr)
    for call in document.nodes(ast.Call):
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "pin_memory"
            and not call.args
            and not call.keywords
        ):
            if document.raw(call.func.value) not in ("self", "super()"):
                yield Hit(call, "host memory is pinned without naming a device", "pin_memory")
    for keyword in document.nodes(ast.keyword):
        if keyword.arg == "pin_memory" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            call = document.parent(keyword)
            if not isinstance(call, ast.Call):
                continue
            if (document.path(call.func) or "").startswith("torch.utils.data"):
                if not any(other.arg == "pin_memory_device" for other in call.keywords):
                    message = "a loader pins memory without pin_memory_device"
                    yield Hit(keyword, message, "pin_memory", severity=Severity.INFO)
            elif (document.path(call.func) or "").startswith("torch."):
                yield Hit(keyword, "a tensor is allocated in pinned memory", "pin_memory")
