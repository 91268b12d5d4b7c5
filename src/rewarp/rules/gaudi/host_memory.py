"""HPU-007: pinned memory, IPC handles and raw streams."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import after, picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import HANDLES, judged_for_gaudi
from rewarp.targets import Context


def _pinned_for_gaudi(place: Place) -> Outcome | None:
    """``x.pin_memory()``, and loaders with ``pin_memory=True``: memory is pinned for a named device."""
    why = "Host memory is pinned for Gaudi there."
    call = place.node(ast.Call)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "pin_memory":
        return Mend(picked(place, call, f'{place.view.text(call.func)}("hpu")'), why)
    keyword = place.node(ast.keyword)
    loader = place.document.parent(keyword) if keyword is not None else None
    if keyword is None or not isinstance(loader, ast.Call):
        return Refused("Gaudi has no such handle")
    if (place.document.path(loader.func) or "").startswith("torch.utils.data"):
        if any(other.arg is None and "pin_memory_device" in place.view.text(other) for other in loader.keywords):
            return None
        device = f', **({{"pin_memory_device": "hpu"}} if {place.gate.rocm} else {{}})'
        return Mend(after(place, keyword, device), why)
    return Mend(picked(place, keyword.value, "False"), "A tensor is pinned when it is made on NVIDIA alone.")


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
    gaudi_fix=PythonFix(_pinned_for_gaudi, even_if_mild=True),
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
                yield _pinned(context, call, "host memory is pinned without naming a device")
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
                yield _pinned(context, keyword, "a tensor is allocated in pinned memory")


def _pinned(context: Context, where: ast.AST, message: str) -> Hit:
    """Newer torch pins for whatever accelerator there is; before that CUDA was meant."""
    severity = Severity.CRASH if context.versions.matches(torch="<2.5") else Severity.INFO
    return Hit(where, message, "pin_memory", severity=severity, effort=Effort.MINUTES, safety=Safety.SAFE)
