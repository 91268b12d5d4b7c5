"""HPU-002: ``x.cuda()``."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import judged_for_gaudi
from rewarp.targets import Context

_KEYWORDS = {"device", "non_blocking", "memory_format"}


@rule(
    id="HPU-002",
    title="A tensor or module is moved with .cuda()",
    kinds=PYTHON_KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    gaudi=Impact(
        Severity.CRASH,
        why="On Gaudi .cuda() raises 'Torch not compiled with CUDA enabled'.",
        fix='Move it with .to(device), where device is "hpu" on Gaudi and "cuda" otherwise.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="model = model.cuda()",
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/Porting_Simple_PyTorch_Model_to_Gaudi.html",
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of a method named cuda that take no more than what the torch methods take."""
    for call in document.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "cuda":
            continue
        if len(call.args) <= 2 and {k.arg for k in call.keywords} <= _KEYWORDS and _is_value(document, call.func.value):
            receiver = document.raw(call.func.value) or "a value"
            yield Hit(call, f".cuda() on {receiver.removesuffix('()')} raises on Gaudi", ".cuda()")


def _is_value(document: PythonFile, node: ast.expr) -> bool:
    """Not a module such as tvm, and not a class with a constructor called cuda."""
    if isinstance(node, ast.Name) and node.id[:1].isupper() and len(node.id) > 1 and not node.id.isupper():
        return False
    path = document.path(node)
    if path is None or "(" in path or "[" in path:
        return True
    imported = {item.module.partition(".")[0] for item in document.imports} | {item.full for item in document.imports}
    return path.partition(".")[0] not in imported and path not in imported
