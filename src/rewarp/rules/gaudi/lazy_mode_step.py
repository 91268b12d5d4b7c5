"""HPU-006: step boundaries of lazy mode."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import followed_by
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_LAZY = "PT_HPU_LAZY_MODE"


_OWN_LINES = "it shares its lines with other code"
_CORE = "import habana_frameworks.torch.core as htcore"


def _marked(place: Place) -> Outcome | None:
    """``loss.backward()`` and ``optimizer.step()``: in lazy mode what was collected runs at ``mark_step()``."""
    call = place.node(ast.Call)
    if call is None:
        return None
    scope = place.document.scope(call)
    edits: list[Edit] = []
    for other in place.document.nodes(ast.Call):
        statement = place.document.statement(other)
        if place.document.scope(other) is not scope or not isinstance(statement, ast.Expr):
            continue
        if other is call or (_steps(other) and statement.value is other):
            lines = followed_by(place, statement, [_CORE, "htcore.mark_step()"])
            if lines is None:
                return Refused(_OWN_LINES)
            edits += lines
    return Mend(tuple(edits), "In Gaudi's lazy mode a training step ends with mark_step().") if edits else None


def _steps(call: ast.Call) -> bool:
    """``optimizer.step``, ``self.opt.step``, or the scaler's that calls it."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return False
    last = ast.unparse(call.func.value).rpartition(".")[2]
    return re.fullmatch(r"(?i)\w*optim\w*|opt\d?|\w*scaler", last) is not None


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
    gaudi_fix=PythonFix(_marked, even_if_mild=True),
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
