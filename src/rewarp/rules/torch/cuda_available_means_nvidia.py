"""PY-DET-001: ``torch.cuda.is_available()`` taken for "this is an NVIDIA GPU"."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import amd_too
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.gaudi_outcomes import what_is_missed
from rewarp.rules.shapes.torch import GAUDI_NAME, branches, conditions, mentions, nvidia_only, refusal
from rewarp.rules.shapes.torch_test_fixes import left_to_nvidia
from rewarp.targets import Context

_PATH = "torch.cuda.is_available"
_MILD = {"pin_memory": Severity.INFO, "enabled": Severity.PERF, "non_blocking": Severity.PERF}
"""Arguments that choose no device."""


def _gaudi_too(place: Place) -> Outcome | None:
    call = place.node(ast.Call)
    return Mend(amd_too(place, call), "Gaudi counts as an accelerator that is there.") if call is not None else None


@rule(
    id="PY-DET-001",
    title="torch.cuda.is_available() opens an NVIDIA-only branch",
    kinds=PYTHON_KINDS,
    anchors=["is_available cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="torch.cuda.is_available() is true on ROCm as well, so what only NVIDIA machines have is used on AMD.",
        fix="Test `torch.cuda.is_available() and torch.version.hip is None`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="torch.cuda.is_available() is false on Gaudi (unless the GPU migration toolkit is active): the program runs "
        "on the CPU and says nothing.",
        fix='Ask `torch.hpu.is_available()` as well and take the device "hpu".',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="if torch.cuda.is_available():\n    import pynvml",
    source="https://github.com/oobabooga/text-generation-webui/pull/3225",
    fix=PythonFix(left_to_nvidia),
    gaudi_fix=PythonFix(_gaudi_too, opens=True),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.cuda.is_available() whose true branch imports an NVIDIA-only package, or the build for CUDA of
    one that is imported otherwise, loads a CUDA library, runs nvidia-smi or nvcc, or records the vendor as NVIDIA; on Gaudi, for every such test that picks the device."""
    if context.target.name == "gaudi":
        yield from _on_gaudi(document)
        return
    names = [node for _, node in document.refs(_PATH + "()")]
    for node in [call for _, call in document.calls(_PATH)] + names:
        for condition, positive in conditions(document, node):
            for place, what, severity in nvidia_only(document, *branches(condition, positive)):
                if not document.unreachable(place, context.target):
                    message = f"{_PATH}() is true on {context.target.title}, and this branch {what}"
                    yield Hit(node, message, _PATH, severity=severity)
                    break


def _on_gaudi(document: PythonFile) -> Iterator[Hit]:
    for _, call in document.calls(_PATH):
        if mentions(document, call, GAUDI_NAME):
            continue
        for condition, positive in conditions(document, call):
            yield _decision(document, call, condition, positive)
            break
        else:
            statement = document.statement(call)
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield Hit(call, f"{_PATH}() is false on Gaudi: the test is skipped", _PATH, severity=Severity.INFO)
            elif _marks_a_skip(document, call):
                yield Hit(call, f"{_PATH}() is false on Gaudi: the tests are skipped", _PATH, severity=Severity.INFO)
            elif _kept(document, call, statement):
                given = document.parent(call)
                mild = _MILD.get(given.arg or "") if isinstance(given, ast.keyword) else None
                if isinstance(given, ast.BoolOp) and _asks_cuda_more(document, given):
                    mild = Severity.INFO
                yield Hit(call, f"{_PATH}() is false on Gaudi, and the answer is kept for later", _PATH, severity=mild)


def _decision(document: PythonFile, call: ast.Call, condition: ast.AST, positive: bool) -> Hit:
    taken, left = branches(condition, positive)
    end = "stop" if isinstance(condition, ast.Assert) else refusal(document, left)
    if end == "stop":
        return Hit(call, f"{_PATH}() is false on Gaudi, and the program stops here", _PATH, severity=Severity.CRASH)
    if end == "skip":
        return Hit(call, f"{_PATH}() is false on Gaudi: the test is skipped", _PATH, severity=Severity.INFO)
    missed = what_is_missed(document, taken, left)
    if missed is not None:
        return Hit(call, f"{_PATH}() is false on Gaudi{missed.text}", _PATH, severity=missed.severity)
    what = "this branch is skipped" if taken and positive else "the branch for machines without a GPU is taken"
    return Hit(call, f"{_PATH}() is false on Gaudi: {what}", _PATH)


def _marks_a_skip(document: PythonFile, call: ast.Call) -> bool:
    """``pytestmark = pytest.mark.skipif(not torch.cuda.is_available())``"""
    outer = document.enclosing(call, ast.Call)
    return outer is not None and document.raw(outer.func).rpartition(".")[2].lower() in ("skipif", "skipunless")


def _kept(document: PythonFile, call: ast.Call, statement: ast.stmt | None) -> bool:
    if isinstance(document.parent(call), ast.keyword):
        return True
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)) and not _is_reported(document, call)


def _asks_cuda_more(document: PythonFile, test: ast.BoolOp) -> bool:
    """``torch.cuda.is_available() and torch.cuda.get_device_capability() >= (8, 0)`` asks for a feature of a CUDA device."""
    paths = [document.path(node) or "" for node in ast.walk(test) if isinstance(node, ast.Call)]
    return isinstance(test.op, ast.And) and any(
        p.startswith(("torch.cuda.", "torch.version.")) for p in paths if _PATH not in p
    )


def _is_reported(document: PythonFile, call: ast.Call) -> bool:
    """An argument of some other call: printed, or put into a report."""
    parent = document.parent(call)
    return isinstance(parent, (ast.Call, ast.FormattedValue, ast.Dict)) and parent is not call
