"""PY-BCK-008: a BLAS library is asked for by its NVIDIA name."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.backends.cuda.preferred_blas_library"
_TWINS = {"cublas": "hipBLAS", "cublaslt": "hipBLASLt"}


@rule(
    id="PY-BCK-008",
    title="cuBLAS or cuBLASLt is preferred",
    kinds=PYTHON_KINDS,
    anchors=["preferred_blas_library"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why='ROCm takes NVIDIA\'s names for its own libraries; "ck" is a third choice that only ROCm has.',
    ),
    example='torch.backends.cuda.preferred_blas_library("cublaslt")',
    versions="torch >= 2.4",
    source="https://github.com/pytorch/pytorch/blob/main/torch/backends/cuda/__init__.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for preferred_blas_library called with "cublas" or "cublaslt"."""
    for path, call in document.calls(_PATH):
        name = document.string(document.argument(call, 0, "backend")) or ""
        if name.lower() in _TWINS:
            yield Hit(call, f"{name} means {_TWINS[name.lower()]} on ROCm", path)
