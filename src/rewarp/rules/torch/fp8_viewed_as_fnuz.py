"""FP8-002: OCP bytes are read as fnuz."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import function_around
from rewarp.targets import Context

_PATH = "torch.float8_e4m3fnuz"
_LOADED = re.compile(r"(?i)weight|ckpt|checkpoint|state_dict|param|safetensor|loaded|(^|_)w\d?(_|$)")

_WHY = "The bits of an e4m3fn number mean half as much in e4m3fnuz, and 0x80 is minus zero in the one and NaN in the other."
_FIX = (
    "Set 0x80 to 0 and double the scale when the bytes change their type, as vLLM's normalize_e4m3fn_to_e4m3fnuz does."
)


@rule(
    id="FP8-002",
    title="FP8 weights are viewed as fnuz and the scale stays",
    kinds=PYTHON_KINDS,
    anchors=["float8_e4m3fnuz"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(Severity.WRONG, why=_WHY, fix=_FIX, safety=Safety.DISPLAY_ONLY, effort=Effort.HOURS),
    gaudi=Impact(Severity.WRONG, why=_WHY, fix=_FIX, safety=Safety.DISPLAY_ONLY, effort=Effort.HOURS),
    example="weight = weight.view(torch.float8_e4m3fnuz)",
    versions="gfx94x",
    source="https://github.com/vllm-project/vllm/pull/12134",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for weights viewed as float8_e4m3fnuz in a function that never doubles anything."""
    if context.target.name == "rocm" and not context.versions.may_be("gfx94"):
        return
    for call in document.nodes(ast.Call):
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "view" and call.args):
            continue
        if document.path(call.args[0]) != _PATH:
            continue
        words = [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(call.func.value)]
        words += [
            n.value for n in ast.walk(call.func.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        if not any(_LOADED.search(word) for word in words):
            continue  # bytes this machine wrote itself, such as a cache, are fnuz already
        if not _doubles(document, function_around(document, call)):
            yield Hit(call, "weights are viewed as e4m3fnuz and no scale is doubled around it", _PATH)


def _doubles(document: PythonFile, scope: ast.AST) -> bool:
    for node in ast.walk(scope):
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Mult):
            sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
            if any(document.number(side) == 2 for side in sides):
                return True
        if isinstance(node, ast.Call) and "normalize_e4m3fn" in document.raw(node.func):
            return True
    return False
