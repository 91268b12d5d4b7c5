"""HPU-006: step boundaries of lazy mode."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_LAZY = "PT_HPU_LAZY_MODE"


@rule(
    id="HPU-006",
    title="A training step has no lazy-mode boundary",
    kinds=PYTHON_KINDS,
    anchors=["backward"],
    phase=Phase.GRAPHS,
    gaudi=Impact(
        Severity.INFO,
        why="In lazy mode (PT_HPU_LAZY_MODE=1) Gaudi collects operations and runs them at htcore.mark_step(); without it the "
        "graph grows over many steps. In eager mode and with torch.compile nothing is needed.",
        fix="In lazy mode call habana_frameworks.torch.core.mark_step() after loss.backward() and after optimizer.step().",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="loss.backward(); optimizer.step()",
    versions="lazy mode only",
    source="https://docs.habana.ai/en/latest/PyTorch/Python_Packages.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for functions that call loss.backward() and optimizer.step() in a file that never marks a step."""
    if b"mark_step" in document.source.view:
        return
    lazy = any(item.name == _LAZY and item.value == "1" for item in document.env_sets)
    seen: set[ast.AST] = set()
    calls = [call for call in document.nodes(ast.Call) if isinstance(call.func, ast.Attribute)]
    stepping = {document.scope(call) for call in calls if _is(document, call, "step", r"(?i)\w*optim\w*|opt\d?")}
    for call in sorted(calls, key=lambda c: c.lineno):
        if not _is(document, call, "backward", r"(?i)\w*loss\w*"):
            continue
        scope = document.scope(call)
        if scope in stepping and scope not in seen:
            seen.add(scope)
            message = "a training step ends without htcore.mark_step()"
            yield Hit(call, message, "backward", severity=Severity.WRONG if lazy else None)


def _is(document: PythonFile, call: ast.Call, method: str, receiver: str) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name = document.raw(call.func.value).removesuffix("()").rpartition(".")[2]
    scaled = isinstance(call.func.value, ast.Call) and call.func.value.args and method == "backward"
    if scaled:  # scaler.scale(loss).backward()
        name = document.raw(call.func.value.args[0]).rpartition(".")[2]  # type: ignore[attr-defined]
    return call.func.attr == method and bool(re.fullmatch(receiver, name))
