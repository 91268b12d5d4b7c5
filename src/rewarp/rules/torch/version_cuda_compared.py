"""PY-VER-002: ``torch.version.cuda`` compared to gate a feature."""

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

_PATH = "torch.version.cuda"
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class _CudaVersion(Flow):
    """Labels: ``cuda`` (None on other platforms), ``fallback`` (something else stands in for None)."""

    def source(self, node: ast.expr) -> str | None:
        return "cuda" if isinstance(node, (ast.Attribute, ast.Name)) and self.document.path(node) == _PATH else None

    def label(self, node: ast.AST | None) -> str | None:
        label = super().label(node)
        return "fallback" if label and isinstance(node, (ast.BoolOp, ast.IfExp)) else label


@rule(
    id="PY-VER-002",
    title="torch.version.cuda is compared with a version",
    kinds=PYTHON_KINDS,
    anchors=["version cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why="torch.version.cuda is None on ROCm: ordering it raises TypeError, and where a stand-in avoids that the feature "
        "is silently off.",
        fix="Test `torch.version.cuda is not None` first, and gate the feature for AMD by torch.version.hip "
        "(its first two numbers).",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="torch.version.cuda is None on Gaudi: ordering it raises TypeError, and where a stand-in avoids that the feature "
        "is silently off.",
        fix="Test `torch.version.cuda is not None` first.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='if torch.version.cuda >= "11.8":\n    enable_fp8()',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
    fix=PythonFix(cuda_version),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.version.cuda, itself or with a stand-in for None, ordered or compared with a version."""
    if "torch.version.cuda" not in document.references and not any(True for _ in document.refs(_PATH + ".*")):
        return
    flow = _CudaVersion(document)
    for compare in document.nodes(ast.Compare):
        sides = [compare.left, *compare.comparators]
        labels = [flow.label(side) for side in sides]
        if not any(labels) or isinstance(compare.ops[0], (ast.Is, ast.IsNot)):
            continue
        ordered = any(isinstance(op, _ORDER) for op in compare.ops)
        if ordered and any(document.path(side) == _PATH for side in sides):
            yield Hit(compare, f"{_PATH} is ordered, but it is None on {context.target.title}", _PATH)
        elif (ordered and "fallback" in labels) or (not ordered and _names_version(document, sides)):
            message = f"{_PATH} is None on {context.target.title}, so this test never holds its intended version"
            yield Hit(compare, message, _PATH, severity=Severity.INFO)


def _names_version(document: PythonFile, sides: list[ast.expr]) -> bool:
    texts = [document.string(side) for side in sides]
    return any(document.path(s) == _PATH for s in sides) and any(t and t[:1].isdigit() for t in texts)
