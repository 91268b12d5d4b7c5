"""PY-RT-018: a CUDA symbol looked up in a library that may be HIP's."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import picked
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.torch._hip_names import hip_name
from rewarp.targets import Context

_SYMBOL = re.compile(r"(cuda|cu)([A-Z][A-Za-z]\w*)")
_NOT_A_LIBRARY = ("torch.", "cuda.", "cupy.", "pycuda.", "numba.", "cutlass.", "os.", "re.", "sys.")


def _hip_symbol(place: Place) -> Outcome | None:
    """``lib.cudaMalloc`` of a library that may be HIP's."""
    node = place.node(ast.Attribute)
    if node is None:
        return None
    twin = hip_name(node.attr)
    owner = place.view.text(node.value)
    return Mend(picked(place, node, f"{owner}.{twin}"), "HIP's library has the function by its own name.")


@rule(
    id="PY-RT-018",
    title="A CUDA function is looked up in a library that may be HIP's",
    kinds=PYTHON_KINDS,
    anchors=["amdhip64", "libamdhip64"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="The HIP library has hipMemcpy where CUDA has cudaMemcpy: the lookup raises AttributeError, or hasattr says "
        "no and the code quietly takes another path, such as a host copy on a device pointer.",
        fix="Look the function up under its hip name where torch.version.hip is set.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='for name in ("libcudart.so", "libamdhip64.so"): lib = ctypes.CDLL(name)\nlib.cudaMemcpy(dst, src, n, 0)',
    versions="seen in LMCache 0.5.6",
    source="https://github.com/LMCache/LMCache",
    fix=PythonFix(_hip_symbol),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for cudaXxx and cuXxx taken from a loaded library, in files that open libamdhip64 with ctypes."""
    opens_hip = any("amdhip64" in str(text.value) for text in document.strings)
    if not opens_hip or not any(document.imports_of("ctypes", "cffi")):
        return
    renamed = {node.attr for node in document.nodes(ast.Attribute) if isinstance(node.ctx, ast.Store)}
    spoken = {node.attr for node in document.nodes(ast.Attribute)} | {text.value for text in document.strings}
    for where, owner, name in _lookups(document):
        found = _SYMBOL.fullmatch(name)
        if not found or name in renamed or "hip" + found[2] in spoken:
            continue
        if not (document.path(owner) or "").startswith(_NOT_A_LIBRARY):
            yield Hit(where, f"{name} is looked up, and the HIP library calls it hip{found[2]}", name)


def _lookups(document: PythonFile) -> Iterator[tuple[ast.AST, ast.expr, str]]:
    for node in document.nodes(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            yield node, node.value, node.attr
    for _, call in document.calls("getattr", "hasattr"):
        name = document.string(call.args[1]) if len(call.args) >= 2 else None
        if name:
            yield call, call.args[0], name
