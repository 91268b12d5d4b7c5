"""TRI-012: code that insists on Triton's backend being "cuda"."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Outcome, Place
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_test_fixes import settled
from rewarp.targets import Context

_PLATFORM = re.compile(r"\b(?:CUDA|NVIDIA|HIP|ROCm|AMD)\b")


def _amd_too(place: Place) -> Outcome | None:
    """A program that stops unless the back end is NVIDIA's goes on with AMD's."""
    test = place.node(ast.Compare)
    if test is None or not isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
        return None
    positive = isinstance(test.ops[0], (ast.Eq, ast.In))
    return settled(place, test, positive, 'Triton calls its AMD back end "hip".')


@rule(
    id="TRI-012",
    title='Triton\'s backend must be "cuda"',
    kinds=PYTHON_KINDS,
    anchors=["get_current_target"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why='On ROCm Triton calls its backend "hip", so code that raises for anything but "cuda" stops there.',
        fix='Accept both: `backend in ("cuda", "hip")`.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='assert triton.runtime.driver.active.get_current_target().backend == "cuda"',
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
    fix=PythonFix(_amd_too),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a comparison of the current target's backend with "cuda" that raises or asserts when it fails."""
    for compare in document.nodes(ast.Compare):
        path = document.path(compare.left) or document.raw(compare.left)
        if not path.endswith("get_current_target().backend") or len(compare.ops) != 1:
            continue
        wanted = compare.comparators[0]
        names = wanted.elts if isinstance(wanted, (ast.Tuple, ast.List, ast.Set)) else [wanted]
        accepted = {document.string(name) for name in names}
        if accepted != {"cuda"}:
            continue
        positive = isinstance(compare.ops[0], (ast.Eq, ast.In, ast.Is))
        if _raises(document, compare, positive):
            told = Severity.INFO if context.ported and _is_told(document, compare) else None
            yield Hit(compare, f'the code stops unless {path} is "cuda"; it is "hip" here', "backend", severity=told)


def _is_told(document: PythonFile, compare: ast.Compare) -> bool:
    """Whether a function that was not made for AMD says so: in a port that is a feature left out, and no slip."""
    around = next((one for one in document.ancestors(compare) if isinstance(one, ast.If)), None)
    if around is None or document.enclosing(compare, ast.FunctionDef) is None:
        return False
    raised = [part for part in ast.walk(around) if isinstance(part, ast.Raise)]
    texts = [document.string(part) or "" for one in raised for part in ast.walk(one) if isinstance(part, ast.expr)]
    return any(map(_PLATFORM.search, texts))


def _raises(document: PythonFile, compare: ast.Compare, positive: bool) -> bool:
    """Whether the program stops when the backend is another one."""
    node: ast.AST = compare
    parent = document.parent(node)
    while isinstance(parent, (ast.UnaryOp, ast.BoolOp)):
        if isinstance(parent, ast.UnaryOp):
            positive = positive is not isinstance(parent.op, ast.Not)
        node, parent = parent, document.parent(parent)
    if isinstance(parent, ast.Assert):
        return positive
    if isinstance(parent, ast.If) and parent.test is node:
        other = parent.orelse if positive else parent.body
        return bool(other) and isinstance(other[-1], ast.Raise)
    return False
