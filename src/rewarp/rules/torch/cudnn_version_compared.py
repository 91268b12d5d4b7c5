"""PY-VER-003: ``torch.backends.cudnn.version()`` compared with cuDNN numbers."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_test_fixes import cuda_version
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import Context

_PATH = "torch.backends.cudnn.version"


class _CudnnVersion(Flow):
    def source(self, node: ast.expr) -> str | None:
        return "cudnn" if isinstance(node, ast.Call) and self.document.path(node.func) == _PATH else None


@rule(
    id="PY-VER-003",
    title="cuDNN version is compared",
    kinds=PYTHON_KINDS,
    anchors=["cudnn version"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why="On ROCm torch.backends.cudnn speaks for MIOpen, and version() is MIOpen's number: it says nothing about cuDNN.",
        fix="Make the test for NVIDIA only: `torch.version.hip is None and ...`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="torch.backends.cudnn.version() is None on Gaudi: there is no cuDNN, and None has no order.",
        fix="Test `torch.backends.cudnn.is_available()` first.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="if torch.backends.cudnn.version() >= 8900:\n    use_fused_attention()",
    source="https://github.com/pytorch/pytorch/blob/main/torch/backends/cudnn/__init__.py",
    fix=PythonFix(cuda_version),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.backends.cudnn.version() compared with numbers."""
    flow = _CudnnVersion(document)
    for compare in document.nodes(ast.Compare):
        sides = [compare.left, *compare.comparators]
        if isinstance(compare.ops[0], (ast.Is, ast.IsNot)) or not any(flow.label(side) for side in sides):
            continue
        number = next((n for side in sides if (n := document.number(side)) is not None), None)
        if number is not None or any(document.raw(side).isupper() for side in sides):
            yield Hit(compare, f"{_PATH}() is compared with a cuDNN version", _PATH)
