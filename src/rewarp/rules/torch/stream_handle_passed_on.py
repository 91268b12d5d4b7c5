"""PY-RT-016: the number of a stream is handed to another library."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.libraries import for_nvidia
from rewarp.targets import Context

_NVIDIA_ONLY = ("cuda.", "pycuda.", "cutlass.", "nvmath.", "tensorrt.", "numba.cuda.", "PyNvVideoCodec.")
_EITHER = ("cupy.", "cupyx.", "ctypes.")
_HANDLES = ("torch.cuda.current_blas_handle", "torch.cuda.current_solver_handle")


@rule(
    id="PY-RT-016",
    title="A raw stream is handed to another library",
    kinds=PYTHON_KINDS,
    anchors=["cuda_stream", "cuda_event", "current_blas_handle", "current_solver_handle"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="On ROCm the number is a hipStream_t (a hipEvent_t, a hipBLAS handle). A library made for CUDA cannot take "
        "it, and one built for HIP can.",
        fix="Hand it to a HIP build of the library, chosen where torch.version.hip is set.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="cuda.CUstream(torch.cuda.current_stream().cuda_stream)",
    source="https://github.com/LMCache/LMCache",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for stream.cuda_stream and event.cuda_event among the arguments of calls into other libraries."""
    for node in _raw_handles(document):
        call = document.parent(node)
        if isinstance(call, ast.keyword):
            call = document.parent(call)
        if not isinstance(call, ast.Call) or call.func is node:
            continue
        path = document.path(call.func) or ""
        if path.startswith(_NVIDIA_ONLY):
            # Without its library nobody comes to a module that is imported only where the code has asked for one.
            asked_for = document.source.path in context.project.asked_for
            severity = Severity.INFO if asked_for or for_nvidia(document) else None
            yield Hit(call, f"a raw stream goes to {path}, which is NVIDIA's", path, severity=severity)
        elif path.startswith(_EITHER):
            message = f"a raw stream goes to {path}: what takes it must be built for the same platform"
            yield Hit(call, message, path, severity=Severity.INFO)
    for path, call in document.calls(*_HANDLES):
        if _thrown_away(document, call):
            continue
        yield Hit(call, f"{path} gives a handle of the platform's own library", path, severity=Severity.INFO)


def _raw_handles(document: PythonFile) -> Iterator[ast.expr]:
    for node in document.nodes(ast.Attribute):
        if node.attr in ("cuda_stream", "cuda_event"):
            yield node
    for name in document.nodes(ast.Name):
        if isinstance(name.ctx, ast.Load) and _names_handle(document, name):
            yield name


def _thrown_away(document: PythonFile, call: ast.Call) -> bool:
    """A call made only so that the handle exists."""
    parent = document.parent(call)
    if isinstance(parent, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id == "_" for target in parent.targets)
    return isinstance(parent, ast.Expr)


def _names_handle(document: PythonFile, name: ast.Name) -> bool:
    value = document.only_value(name)
    return isinstance(value, ast.Attribute) and value.attr in ("cuda_stream", "cuda_event")
