"""LIB-012: ONNX Runtime providers."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_NVIDIA = ("CUDAExecutionProvider", "TensorrtExecutionProvider", "NvTensorRTRTXExecutionProvider")
_GONE = "ROCMExecutionProvider"
_AMD = "MIGraphXExecutionProvider"


def _migraphx(place: Place) -> Outcome | None:
    node = place.node(ast.List) or place.node(ast.Tuple)
    if node is None:
        return None
    names = '"MIGraphXExecutionProvider", "CPUExecutionProvider"'
    amd = f"[{names}]" if isinstance(node, ast.List) else f"({names})"
    return Mend(
        picked(place, node, amd),
        "ONNX Runtime runs on AMD's GPUs through MIGraphX, with the package onnxruntime-migraphx installed instead of onnxruntime-gpu.",
    )


@rule(
    id="LIB-012",
    title="ONNX Runtime is given NVIDIA's providers only",
    kinds=PYTHON_KINDS,
    anchors=[*_NVIDIA, _GONE],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.ON_CPU,
        why="AMD's provider is MIGraphXExecutionProvider; ROCMExecutionProvider is gone from current builds. ONNX Runtime only "
        "warns about a provider it does not have and runs the model on the CPU.",
        fix='Pass ["MIGraphXExecutionProvider", "CPUExecutionProvider"] on ROCm.',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='ort.InferenceSession(path, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])',
    versions="onnxruntime >= 1.23",
    source="https://rocm.docs.amd.com/projects/ai-ecosystem/en/latest/inference/onnxruntime.html",
    fix=PythonFix(_migraphx),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for lists of ONNX Runtime providers that name CUDA, TensorRT or ROCM in files that never name MIGraphX."""
    if any(string.value == _AMD for string in document.strings):
        return
    seen: set[ast.AST] = set()
    for string in document.strings:
        if string.value not in _NVIDIA and string.value != _GONE:
            continue
        if document.enclosing(string, ast.Compare) or _asked_for(document, string):
            continue
        where = _outermost(document, string)
        if where is not None and where not in seen:
            seen.add(where)
            yield Hit(where, f"{string.value} is chosen and {_AMD} is not", str(string.value))


def _outermost(document: PythonFile, string: ast.Constant) -> ast.AST | None:
    """The list of providers a name stands in, or the name itself when it is added or passed alone."""
    found: ast.AST | None = None
    for ancestor in document.ancestors(string):
        if isinstance(ancestor, (ast.List, ast.Tuple, ast.IfExp)):
            found = ancestor if not isinstance(ancestor, ast.IfExp) else found
        elif isinstance(ancestor, ast.Call):
            method = document.raw(ancestor.func).rpartition(".")[2]
            adds = method in ("append", "insert", "InferenceSession", "set_providers")
            return found or (string if adds else None)
        elif isinstance(ancestor, (ast.stmt, ast.keyword)):
            providers = isinstance(ancestor, ast.keyword) and "provider" in (ancestor.arg or "")
            return found or (string if providers else None)
        elif not isinstance(ancestor, ast.Starred):
            return found
    return found


def _asked_for(document: PythonFile, string: ast.Constant) -> bool:
    """Whether the code first asks if this provider is there: then another one is taken on AMD."""
    for ancestor in document.ancestors(string):
        if isinstance(ancestor, (ast.If, ast.IfExp)):
            for part in ast.walk(ancestor.test):
                if isinstance(part, ast.Constant) and part.value == string.value:
                    return True
                if isinstance(part, ast.Attribute) and part.attr == "get_available_providers":
                    return True
    return False
