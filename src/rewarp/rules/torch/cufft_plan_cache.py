"""PY-BCK-006: the cuFFT plan cache is managed."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.torch._backend_shapes import PYTHON_KINDS
from rewarp.targets import Context

_CACHE = "torch.backends.cuda.cufft_plan_cache"


@rule(
    id="PY-BCK-006",
    title="The cuFFT plan cache is managed",
    kinds=PYTHON_KINDS,
    anchors=["cufft_plan_cache"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="PyTorch's notes on ROCm say that the size of the hipFFT and rocFFT plan cache cannot be set.",
        fix="Do it only where torch.version.hip is None.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="torch.backends.cuda.cufft_plan_cache[0].max_size = 32",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for max_size of the cuFFT plan cache being set, and (milder) for its size being read or cleared."""
    paths = [f"{cache}.{name}" for cache in (_CACHE, _CACHE + "[]") for name in ("max_size", "size", "clear")]
    for path, node in document.refs(*paths):
        parent = document.parent(node)
        if isinstance(parent, ast.Assign) and node in parent.targets:
            yield Hit(parent, "the size of the FFT plan cache is set", _CACHE)
        else:
            name = path.rpartition(".")[2]
            yield Hit(node, f"{name} of the FFT plan cache is used", _CACHE, severity=Severity.INFO)
