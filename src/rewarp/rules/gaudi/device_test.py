"""HPU-004: tests that only "cuda" passes."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.gaudi import DEVICE_NAME, DEVICE_STRING, OTHER_DEVICE, judged_for_gaudi, names_hpu
from rewarp.rules.shapes.gaudi_outcomes import Outcome, outcome
from rewarp.targets import Context


@rule(
    id="HPU-004",
    title='A test or list of devices knows "cuda" but not "hpu"',
    kinds=PYTHON_KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    gaudi=Impact(
        Severity.CRASH,
        why='A tensor on Gaudi has the device type "hpu": an assertion or list of choices refuses it, a comparison takes '
        "the branch for the CPU.",
        fix='Let the test, the match case or the list of choices accept "hpu" as well.',
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example='assert x.device.type == "cuda"',
    source="https://docs.habana.ai/en/latest/PyTorch/PyTorch_Model_Porting/Porting_Simple_PyTorch_Model_to_Gaudi.html",
    traits=[Trait.TESTS_FOR_CUDA],
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for comparisons, match cases, Literal types and argparse choices that name "cuda" and not "hpu"."""
    seen: set[ast.AST] = set()
    for node in document.strings:
        text = str(node.value)
        if not DEVICE_STRING.fullmatch(text):
            continue
        place = _place(document, node)
        if place and place[0] not in seen and not names_hpu(document, node):
            where, what, result = place
            seen.add(where)  # ["cuda:0", "cuda:1"]: once
            message = f'{what} "{text}"; on Gaudi it is "hpu"{result.text}'
            effort = None if isinstance(where, (ast.Compare, ast.Call)) else Effort.MINUTES
            # Who does not ask for "hpu" is not refused: it is a port's to let it in.
            safety = Safety.DISPLAY_ONLY if result is _ASKED_FOR else None
            yield Hit(where, message, "cuda", severity=result.severity, effort=effort, safety=safety)


_ASKED_FOR = Outcome(Severity.PERF, "")


def _place(document: PythonFile, node: ast.Constant) -> tuple[ast.AST, str, Outcome] | None:
    """(where, what it does, what comes of it)."""
    refused = Outcome(Severity.CRASH, "")
    parent = document.parent(node)
    group = parent if isinstance(parent, (ast.Tuple, ast.List, ast.Set)) else None
    holder = document.parent(group) if group else parent
    if isinstance(holder, ast.Compare) and _about_device(document, holder, node):
        result = outcome(document, holder, isinstance(holder.ops[0], (ast.Eq, ast.In, ast.Is)))
        return (holder, "the device is compared with", result) if result else None
    if isinstance(parent, ast.MatchValue):
        return parent, "a match case accepts", refused if _else_raises(document, parent) else Outcome(Severity.PERF, "")
    if group and not _all_devices(group):
        return None
    if isinstance(holder, ast.Subscript) and document.raw(holder.value).rpartition(".")[2] == "Literal":
        return holder, "a Literal type allows", _ASKED_FOR
    if group and isinstance(holder, ast.keyword) and holder.arg == "choices":
        return group, "the choices on the command line allow", _ASKED_FOR
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "startswith":
        if re.search(r"(?i)dev", ast.unparse(parent.func.value)):
            result = outcome(document, parent, True)
            return (parent, "the device is tested for", result) if result else None
    return None


def _else_raises(document: PythonFile, pattern: ast.AST) -> bool:
    """Whether the match statement around a case raises for what no case accepts."""
    match = document.enclosing(pattern, ast.Match)
    last = match.cases[-1] if match else None
    if last is None or not isinstance(last.pattern, ast.MatchAs) or last.pattern.pattern or last.guard:
        return False
    return isinstance(last.body[-1], ast.Raise)


def _all_devices(group: ast.Tuple | ast.List | ast.Set) -> bool:
    """Whether a list names devices only: ["torch", "cuda", "proton"] are profilers."""
    return all(isinstance(item, ast.Constant) and OTHER_DEVICE.fullmatch(str(item.value)) for item in group.elts)


def _about_device(document: PythonFile, compare: ast.Compare, node: ast.Constant) -> bool:
    """Whether what is compared is a device: ``device``, ``x.device.type``, ``str(device)``."""
    sides = [side for side in (compare.left, *compare.comparators) if node is not side]
    for side in sides:
        if isinstance(side, ast.Call) and side.args and document.raw(side.func) in ("str", "torch.device"):
            side = side.args[0]
        if isinstance(side, ast.Attribute) and side.attr == "type":
            side = side.value
            if isinstance(side, ast.Name) and side.id in ("self", "args"):
                continue
        name = side.id if isinstance(side, ast.Name) else side.attr if isinstance(side, ast.Attribute) else ""
        if DEVICE_NAME.fullmatch(name):
            return True
    return False
