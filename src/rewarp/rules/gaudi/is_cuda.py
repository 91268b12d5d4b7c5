"""HPU-005: ``tensor.is_cuda``."""

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
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.gaudi_outcomes import outcome
from rewarp.targets import Context

_KERNEL = re.compile(r"(?i)triton|(^|[._])_C([._]|$)|kernel|_cuda|cuda_|_ext([._]|$)|^torch\.ops\.")
"""Calls that may be made for CUDA alone, which no scan can tell."""


def _kernel(place: Place, node: ast.AST) -> str | None:
    document = place.document
    for call in document.nodes(ast.Call):
        name = document.raw(call.func if not isinstance(call.func, ast.Subscript) else call.func.value)
        launched = isinstance(call.func, ast.Subscript)
        if document.scope(call) is document.scope(node) and (launched or _KERNEL.search(name)):
            return name
    return None


def _opens_torch_alone(place: Place, test: ast.AST) -> bool:
    """Whether what a condition opens calls nothing but torch's own functions."""
    condition = place.document.enclosing(test, ast.If, ast.IfExp)
    if not isinstance(condition, (ast.If, ast.IfExp)):
        return False
    body = condition.body if isinstance(condition.body, list) else [condition.body]
    calls = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Call)]
    return all((place.document.path(call.func) or "").startswith("torch.") for call in calls)


def _what_follows(document: PythonFile, test: ast.AST) -> bool:
    """``if x.is_cuda: mask = mask.cuda()``: what goes with a tensor is moved to where that one is, and nothing else is done."""
    condition = document.parent(test)
    if not isinstance(condition, ast.If) or condition.test is not test or condition.orelse:
        return False
    return all(_is_moved(test, statement) for statement in condition.body)


def _is_moved(test: ast.AST, statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not isinstance(test, ast.Attribute):
        return False
    value = statement.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr != "cuda":
        return False
    moved = ast.unparse(value.func.value)
    return ast.unparse(statement.targets[0]) == moved != ast.unparse(test.value)


def _on_gaudi_too(place: Place) -> Outcome | None:
    node = place.node(ast.Attribute)
    if node is None:
        return None
    if kernel := _kernel(place, node):
        return Refused(f"{kernel} is called in the same function, and may be made for CUDA alone")
    follows = _what_follows(place.document, node)
    if place.finding.severity is Severity.INFO and not follows:
        return None
    if place.finding.severity is not Severity.CRASH and not follows and not _opens_torch_alone(place, node):
        return Refused("which of the two ways is right on Gaudi is not in the code")
    text = f'{place.view.text(node.value)}.device.type == "hpu"'
    return Mend(picked(place, node, text), "A tensor on Gaudi counts as one on the accelerator.")


@rule(
    id="HPU-005",
    title="tensor.is_cuda is read",
    kinds=PYTHON_KINDS,
    anchors=["is_cuda"],
    phase=Phase.DETECTION,
    gaudi=Impact(
        Severity.PERF,
        why="is_cuda is False for a tensor on Gaudi, so the code takes it for a CPU tensor.",
        fix='Ask for the device type: `t.is_cuda or t.device.type == "hpu"`.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="if x.is_cuda: fused(x)",
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/Porting_Simple_PyTorch_Model_to_Gaudi.html",
    gaudi_fix=PythonFix(_on_gaudi_too, opens=True, even_if_mild=True),  # a port puts the tensor on Gaudi
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for reads of the attribute is_cuda; a call is_cuda() asks for the platform and is another thing."""
    seen: set[ast.stmt | None] = set()
    for node in document.nodes(ast.Attribute):
        if node.attr != "is_cuda" or not isinstance(node.ctx, ast.Load):
            continue
        parent = document.parent(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            continue
        receiver = document.raw(node.value)
        if re.search(r"(?i)platform|version|accelerator", receiver) or _knows_hpu(document, node):
            continue
        statement = document.statement(node)
        if statement in seen:  # `a.is_cuda and b.is_cuda`: once is enough
            continue
        seen.add(statement)
        if _what_follows(document, node):
            message = f"{receiver or 'a tensor'}.is_cuda is False on Gaudi, and what goes with a tensor there stays on the CPU"
            yield Hit(node, message, "is_cuda", severity=Severity.INFO)
            continue
        test = _compared(document, node)
        result = outcome(document, test or node, test is None)
        if result is not None:  # `assert not x.is_cuda` holds
            message = f"{receiver or 'a tensor'}.is_cuda is False on Gaudi{result.text}"
            # Nothing is on Gaudi before a port has put it there.
            severity = Severity.PERF if result.severity is Severity.ON_CPU else result.severity
            yield Hit(node, message, "is_cuda", severity=severity)


def _compared(document: PythonFile, node: ast.Attribute) -> ast.Compare | None:
    """``x.is_cuda == False``: a test that holds on Gaudi."""
    parent = document.parent(node)
    if not isinstance(parent, ast.Compare) or parent.left is not node or len(parent.ops) != 1:
        return None
    value = parent.comparators[0]
    is_false = isinstance(value, ast.Constant) and value.value is False
    return parent if is_false and isinstance(parent.ops[0], (ast.Eq, ast.Is)) else None


def _knows_hpu(document: PythonFile, node: ast.AST) -> bool:
    """Whether the same condition asks for hpu too: ``x.is_cuda or x.is_hpu``."""
    top = node
    for parent in document.ancestors(node):
        if not isinstance(parent, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
            break
        top = parent
    return top is not node and "hpu" in ast.unparse(top).lower()
