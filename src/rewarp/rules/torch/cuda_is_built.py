"""PY-DET-006: ``torch.backends.cuda.is_built()`` taken for "NVIDIA build"."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import GAUDI_NAME, ROCM_WORD, branches, conditions, nvidia_only, words
from rewarp.rules.shapes.torch_test_fixes import left_to_nvidia
from rewarp.targets import Context

_PATH = "torch.backends.cuda.is_built"


@rule(
    id="PY-DET-006",
    title="torch.backends.cuda.is_built() is taken for an NVIDIA build",
    kinds=PYTHON_KINDS,
    anchors=["is_built"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why="torch.backends.cuda.is_built() says whether PyTorch has GPU code at all; it is true on ROCm builds.",
        fix="Test `torch.backends.cuda.is_built() and torch.version.hip is None`, or torch.version.cuda.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.PERF,
        why="torch.backends.cuda.is_built() is false on a Gaudi build, so the code for GPUs is skipped.",
        fix="Ask torch.hpu.is_available() as well.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='backend = "nvidia" if torch.backends.cuda.is_built() else "cpu"',
    source="https://github.com/pytorch/pytorch/blob/main/torch/backends/cuda/__init__.py",
    fix=PythonFix(left_to_nvidia),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.backends.cuda.is_built() in a condition or assignment that asks for NVIDIA."""
    on_rocm = context.target.name == "rocm"
    names = ROCM_WORD if on_rocm else GAUDI_NAME
    for _, call in document.calls(_PATH):
        statement = document.statement(call)
        if isinstance(statement, ast.Expr) or _asks_platform(statement, call, names):
            continue
        if not on_rocm:
            yield Hit(call, f"{_PATH}() is false on Gaudi", _PATH)
        elif _wants_nvidia(document, call, context):
            yield Hit(call, f"{_PATH}() is true on ROCm and is taken for an NVIDIA build here", _PATH)
        else:
            yield Hit(call, f"{_PATH}() is true on ROCm as well", _PATH, severity=Severity.INFO)


def _asks_platform(statement: ast.stmt | None, call: ast.Call, names: re.Pattern[str]) -> bool:
    """Whether the same condition already tells the target apart."""
    test = getattr(statement, "test", statement)
    return test is not None and any(names.search(word) for word in words(test))


def _wants_nvidia(document: PythonFile, call: ast.Call, context: Context) -> bool:
    for condition, positive in conditions(document, call):
        for place, _, _ in nvidia_only(document, *branches(condition, positive)):
            return not document.unreachable(place, context.target)
    statement = document.statement(call)
    targets = list(words(*statement.targets)) if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.Return) and (function := document.enclosing(call, ast.FunctionDef)):
        targets.append(function.name)
    return any("nvidia" in word.lower() for word in targets)
