"""PY-BCK-006: the cuFFT plan cache is managed."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_CACHE = "torch.backends.cuda.cufft_plan_cache"


@rule(
    id="PY-BCK-006",
    title="The cuFFT plan cache is managed",
    kinds=PYTHON_KINDS,
    anchors=["cufft_plan_cache"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.INFO,
        why="PyTorch's notes on ROCm list setting the size of the hipFFT and rocFFT plan cache as not supported. "
        "Newer builds accept the call, so what it does there is a thing to try out.",
        fix="Do it only where torch.version.hip is None, or check that it works on the ROCm build in use.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="torch.backends.cuda.cufft_plan_cache[0].max_size = 32",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the cuFFT plan cache being resized, read or cleared, for one device or for the current one."""
    paths = [f"{cache}.{name}" for cache in (_CACHE, _CACHE + "[]") for name in ("max_size", "size", "clear")]
    for path, node in document.refs(*paths):
        parent = document.parent(node)
        if isinstance(parent, ast.Assign) and node in parent.targets:
            yield Hit(parent, "the size of the FFT plan cache is set", _CACHE)
        else:
            yield Hit(node, f"{path.rpartition('.')[2]} of the FFT plan cache is used", _CACHE)
