"""HPU-004: tests that only "cuda" passes."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import DEVICE_NAME, DEVICE_STRING, KINDS, migrated, names_hpu
from rewarp.targets import Context

_DEVICE = re.compile(r"(?i)(auto|cpu|gpu|cuda|rocm|hip|xpu|mps|npu|tpu|mlu|musa|xla|meta|vulkan|metal|None)(:\d+)?")


@rule(
    id="HPU-004",
    title='a test or list of devices knows "cuda" but not "hpu"',
    kinds=KINDS,
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
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for comparisons, match cases, Literal types and argparse choices that name "cuda" and not "hpu"."""
    if migrated(document):
        return
    for node in document.strings:
        text = str(node.value)
        if not DEVICE_STRING.fullmatch(text):
            continue
        place = _place(document, node)
        if place and not names_hpu(document, node):
            where, what, crash = place
            yield Hit(
                where,
                f'{what} "{text}"; on Gaudi it is "hpu"',
                "cuda",
                severity=None if crash else Severity.WRONG,
            )


def _place(document: PythonFile, node: ast.Constant) -> tuple[ast.AST, str, bool] | None:
    """(where, what it does, whether anything else is refused)."""
    parent = document.parent(node)
    group = parent if isinstance(parent, (ast.Tuple, ast.List, ast.Set)) else None
    holder = document.parent(group) if group else parent
    if isinstance(holder, ast.Compare) and _about_device(document, holder, node):
        asserted = isinstance(document.statement(holder), ast.Assert) and isinstance(holder.ops[0], (ast.Eq, ast.In))
        return holder, "the device is asserted to be" if asserted else "the device is compared with", asserted
    if isinstance(parent, ast.MatchValue):
        return parent, "a match case accepts", False
    if group and not _all_devices(group):
        return None
    if isinstance(holder, ast.Subscript) and document.raw(holder.value).rpartition(".")[2] == "Literal":
        return holder, "a Literal type allows", True
    if group and isinstance(holder, ast.keyword) and holder.arg == "choices":
        return group, "the choices on the command line allow", True
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "startswith":
        if re.search(r"(?i)dev", ast.unparse(parent.func.value)):
            return parent, "the device is tested for", False
    return None


def _all_devices(group: ast.Tuple | ast.List | ast.Set) -> bool:
    """Whether a list names devices only: ["torch", "cuda", "proton"] are profilers."""
    return all(isinstance(item, ast.Constant) and _DEVICE.fullmatch(str(item.value)) for item in group.elts)


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
