"""PY-BCK-010: ``num_splits`` is passed to PyTorch's flash attention."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import without_keyword
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_backends import leaves
from rewarp.targets import Context

_VARLEN = "torch.nn.attention.varlen."
_ATEN = "torch.ops.aten._flash_attention_forward"


@rule(
    id="PY-BCK-010",
    title="num_splits is passed to PyTorch's flash attention",
    kinds=PYTHON_KINDS,
    anchors=["num_splits"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The ROCm build of _flash_attention_forward, which varlen_attn calls, refuses num_splits.",
        fix="Pass num_splits only where torch.version.hip is None.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="varlen_attn(q, k, v, cu, cu, n, n, num_splits=1)",
    versions="torch >= 2.12",
    source="https://github.com/pytorch/torchtitan/pull/3738",
    fix=PythonFix(without_keyword("ROCm's flash attention takes no num_splits.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the keyword num_splits, other than None, in calls of torch's varlen_attn, varlen_attn_out and
    aten's _flash_attention_forward, also through a dict of options."""
    paths = (_VARLEN + "varlen_attn", _VARLEN + "varlen_attn_out", _ATEN, _ATEN + ".default")
    for path, call in document.calls(*paths):
        message = f"num_splits is passed to {path.rpartition('.')[2]}"
        for keyword in call.keywords:
            if keyword.arg is None:
                yield from (Hit(where, message, path) for where in _put_into(document, keyword.value))
            elif keyword.arg == "num_splits":
                for leaf in leaves(keyword.value):
                    if not (isinstance(leaf, ast.Constant) and leaf.value is None):
                        yield Hit(keyword if leaf is keyword.value else leaf, message, path)


def _put_into(document: PythonFile, options: ast.expr) -> Iterator[ast.AST]:
    """Where num_splits is put into a dict of options: ``options["num_splits"] = 1``."""
    if isinstance(options, ast.Name):
        for assign in document.nodes(ast.Assign):
            target = assign.targets[0]
            if isinstance(target, ast.Subscript) and document.string(target.slice) == "num_splits":
                same = isinstance(target.value, ast.Name) and target.value.id == options.id
                if same and document.scope(assign) is document.scope(options):
                    yield assign
