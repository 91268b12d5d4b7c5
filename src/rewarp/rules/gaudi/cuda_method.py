"""HPU-002: ``x.cuda()``."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import around, picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi, when_raised
from rewarp.targets import Context

_KEYWORDS = {"device", "non_blocking", "memory_format"}


def _to_hpu(place: Place) -> Outcome | None:
    """``x.cuda()``: with a number of the card, or not to wait for the copy."""
    call = place.node(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if any(isinstance(argument, ast.Starred) for argument in call.args) or None in keywords:
        return Refused("its arguments are not spelled out")
    waits = call.args[1] if len(call.args) > 1 else keywords.get("non_blocking")
    given = ['"hpu"']
    if waits is not None:
        given.append(f"non_blocking={place.view.text(waits)}")
    if "memory_format" in keywords:
        given.append(f"memory_format={place.view.text(keywords['memory_format'])}")
    text = f"{place.view.text(call.func.value)}.to({', '.join(given)})"
    why = "On Gaudi tensors and modules move with .to()."
    if "\n" in text or "\n" in place.view.text(call):
        return Mend(around(place, call, f"({text} if {place.gate.rocm} else ", ")"), why)
    return Mend(picked(place, call, text), why)


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
    gaudi_fix=PythonFix(_to_hpu),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of a method named cuda that take no more than what the torch methods take. In a method of that name it
    only informs."""
    for call in document.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "cuda":
            continue
        if len(call.args) <= 2 and {k.arg for k in call.keywords} <= _KEYWORDS and _is_value(document, call.func.value):
            receiver = document.raw(call.func.value) or "a value"
            message = f".cuda() on {receiver.removesuffix('()')} raises on Gaudi"
            yield Hit(
                call, message, ".cuda()", Severity.INFO if _hands_on(document, call) else when_raised(document, call)
            )


def _hands_on(document: PythonFile, call: ast.Call) -> bool:
    """Whether it stands in a method of that name itself: whoever calls that is told of it there."""
    function = document.enclosing(call, ast.FunctionDef)
    return function is not None and function.name == "cuda" and isinstance(document.parent(function), ast.ClassDef)


def _is_value(document: PythonFile, node: ast.expr) -> bool:
    """Not a module such as tvm, and not a class with a constructor called cuda."""
    if isinstance(node, ast.Name) and node.id[:1].isupper() and len(node.id) > 1 and not node.id.isupper():
        return False
    path = document.path(node)
    if path is None or "(" in path or "[" in path:
        return True
    imported = {item.module.partition(".")[0] for item in document.imports} | {item.full for item in document.imports}
    return path.partition(".")[0] not in imported and path not in imported
