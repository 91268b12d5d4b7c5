"""PY-CAP-003: an ``sm_`` name built from the compute capability."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import for_nvidia, words
from rewarp.rules.torch._capability import ANCHORS, Capability
from rewarp.targets import Context

_NAME = re.compile(r"(.*[=,\s])?(sm|compute)_")
_COMPILER = re.compile(r"(?i)nvcc|gencode|nvrtc|cpp_extension|CUDAExtension|load_inline|ptxas|cubin|-arch")
_LOGS = ("print", "info", "debug", "warning", "warn", "error", "info_once", "warning_once", "log", "skip", "write")


_GFX = 'torch.cuda.get_device_properties({device}).gcnArchName.split(":")[0]'


def _gfx_name(place: Place) -> Outcome | None:
    """``sm_90`` has a twin only where all of the text is the name."""
    text = place.node(ast.JoinedStr)
    if text is None or not isinstance(text.values[0], ast.Constant):
        return None
    whole = re.fullmatch(r"(sm|compute)_", str(text.values[0].value))
    if not whole or any(isinstance(part, ast.Constant) for part in text.values[1:]):
        return Refused("the name of the architecture is only part of a text that a compiler reads")
    amd = _GFX.format(device="torch.cuda.current_device()")
    return Mend(picked(place, text, amd), "On ROCm the architecture is called by its gfx name.")


@rule(
    id="PY-CAP-003",
    title="An sm_ name is built from the compute capability",
    kinds=PYTHON_KINDS,
    anchors=ANCHORS,
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="On gfx942 this makes sm_94, a name no compiler knows.",
        fix='On ROCm take the architecture from `torch.cuda.get_device_properties(i).gcnArchName.split(":")[0]`.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='arch = f"sm_{cap[0]}{cap[1]}"  # cap = torch.cuda.get_device_capability()',
    source="https://github.com/rahul-goel/fused-ssim/pull/24",
    fix=PythonFix(_gfx_name),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for strings sm_NN and compute_NN made from the compute capability by an f-string, %, format() or +."""
    flow = Capability(document)
    for node in document.nodes(ast.JoinedStr):
        for part, follows in zip(node.values, node.values[1:]):
            text = document.string(part)
            if text and _NAME.fullmatch(text) and flow.label(follows) and not _message(document, node, text):
                yield _hit(document, node)
                break
    for node in document.nodes(ast.BinOp):
        text = document.string(node.left) if isinstance(node.left, ast.Constant) else None
        if text is None or not flow.label(node.right) or _message(document, node, text):
            continue
        formatted = isinstance(node.op, ast.Mod) and re.search(r"(sm|compute)_%", text)
        if formatted or (isinstance(node.op, ast.Add) and _NAME.fullmatch(text)):
            yield _hit(document, node)
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "format":
            text = document.string(call.func.value) or ""
            if re.search(r"(sm|compute)_\{", text) and any(flow.label(arg) for arg in call.args):
                if not _message(document, call, text):
                    yield _hit(document, call)


def _hit(document: PythonFile, node: ast.AST) -> Hit:
    compiles = any(_COMPILER.search(word) for word in words(document.tree)) and not for_nvidia(document, node)
    message = "The architecture name is made from the compute capability"
    return Hit(node, message, "sm_", severity=None if compiles else Severity.INFO)


def _message(document: PythonFile, node: ast.AST, text: str) -> bool:
    """A sentence for people: it holds blanks, or is printed, logged or raised."""
    if " " in text.strip() and not text.lstrip().startswith("-"):
        return True
    statement = document.statement(node)
    if isinstance(statement, (ast.Raise, ast.Assert)):
        return True
    call = document.enclosing(node, ast.Call)
    return call is not None and document.raw(call.func).rpartition(".")[2] in _LOGS
