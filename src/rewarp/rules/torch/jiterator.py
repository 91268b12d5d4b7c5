"""PY-RT-007: kernels from torch's jiterator."""

from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATHS = tuple(f"torch.cuda.jiterator.{name}" for name in ("_create_jit_fn", "_create_multi_output_jit_fn"))


@rule(
    id="PY-RT-007",
    title="The jiterator compiles a kernel",
    kinds=PYTHON_KINDS,
    anchors=["_create_jit_fn", "_create_multi_output_jit_fn"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.WORKS,
        why="ROCm builds have the jiterator too and compile its kernels with hiprtc.",
    ),
    example="fn = torch.cuda.jiterator._create_jit_fn(code)",
    versions="torch 1.13 and later",
    source="https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/jit_macros.h",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of the jiterator's two functions."""
    for path, call in document.calls(*_PATHS):
        yield Hit(call, f"{path} compiles with hiprtc on ROCm", path)
