"""PY-BCK-011: attention over permuted views."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, When, rule
from rewarp.targets import Context

_PATH = "torch.nn.functional.scaled_dot_product_attention"
_SWAPS: dict[str, set[tuple[int, ...]]] = {"transpose": {(1, 2), (2, 1), (-3, -2), (-2, -3)}, "permute": {(0, 2, 1, 3)}}


@rule(
    id="PY-BCK-011",
    title="Attention runs over a permuted view",
    kinds=PYTHON_KINDS,
    anchors=["scaled_dot_product_attention"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.PERF,
        why="AOTriton's kernels are tuned for contiguous [batch, heads, sequence, dim] tensors; a view with swapped "
        "axes may get a slower one. A copy was a large win on gfx1151 and generally is none on discrete GPUs.",
        fix="Time the call with and without .contiguous() on the shapes that matter; keep the faster.",
        effort=Effort.MINUTES,
        when=When(torch=">=2.13"),
    ),
    example="F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))",
    versions="torch >= 2.13",
    source="https://docs.pytorch.org/docs/main/notes/hip.html#sdpa-input-layout-on-rocm",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for scaled_dot_product_attention whose query is x.transpose(1, 2) or x.permute(0, 2, 1, 3), written in
    the call or last assigned before it, and not made contiguous."""
    severity = None if context.versions.arch and context.versions.may_be("gfx115") else Severity.INFO
    for path, call in document.calls(_PATH):
        query = document.argument(call, 0, "query")
        if isinstance(query, ast.Name):
            query = _last_value(document, query, call)
        if query is not None and _swaps_heads(document, query):
            yield Hit(call, "the query is a view with swapped axes", path, severity=severity)


def _last_value(document: PythonFile, name: ast.Name, call: ast.Call) -> ast.expr | None:
    """The value a name was last given before the call, in the same scope, when that is in plain sight."""
    scope = document.scope(call)
    last: ast.Assign | None = None
    for assign in document.nodes(ast.Assign):
        if assign.lineno >= call.lineno or document.scope(assign) is not scope:
            continue
        bound = any(isinstance(n, ast.Name) and n.id == name.id for target in assign.targets for n in ast.walk(target))
        if bound and (last is None or assign.lineno > last.lineno):
            last = assign
    if last is None:
        return None
    target, value = last.targets[0], last.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return next((v for t, v in zip(target.elts, value.elts, strict=True) if getattr(t, "id", "") == name.id), None)
    if isinstance(target, ast.Tuple) and isinstance(value, (ast.GeneratorExp, ast.ListComp)):
        return value.elt
    return value if isinstance(target, ast.Name) else None


def _swaps_heads(document: PythonFile, value: ast.expr) -> bool:
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
        return False
    axes = value.args[0].elts if len(value.args) == 1 and isinstance(value.args[0], ast.Tuple) else value.args
    numbers = tuple(document.number(axis) for axis in axes)
    return numbers in _SWAPS.get(value.func.attr, set())
