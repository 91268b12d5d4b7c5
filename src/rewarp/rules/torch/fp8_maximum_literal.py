"""FP8-003: the largest FP8 number as a literal."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.libraries import for_nvidia
from rewarp.rules.shapes.torch_runtime import of_ocp, tells_fp8_apart
from rewarp.rules.torch._fp8_fixes import apart, chosen, in_function
from rewarp.targets import Context

_MAXIMUM = 448
_FP8 = re.compile(r"(?i)fp8|float8|e4m3|f8_")
_LIMIT = re.compile(r"(?i)max|limit|bound|range|amax")
_QUANTITY = re.compile(r"(?i)amax|abs_?max|max_?val|(^|_)max(_|$)|scale|(^|_)sf(_|$)")


_NAMES_OF_FP8 = (
    "float8_e4m3fn float8_e4m3 float8e4nv float8e4m3fn fp8 FP8 Fp8 e4m3 E4M3 "
    "FP8_MAX fp8_max FP8_E4M3_MAX E4M3_MAX FLOAT8_E4M3_MAX fp8_e4m3 fp8_dtype F8_MAX"
).split()


def _by_gpu(place: Place) -> Outcome | None:
    numbers = [
        node
        for top in place.nodes[:1]
        for node in ast.walk(top)
        if isinstance(node, ast.Constant) and node.value == 448 and not isinstance(node.value, bool)
    ]
    why_not = apart(place) or next(
        ("it is set when the module is imported" for node in numbers if not in_function(place, node)), None
    )
    if why_not:
        return Refused(why_not)
    edits = [e for node in numbers for e in chosen(place, node, "240.0" if isinstance(node.value, float) else "240")]
    return Mend(tuple(edits), "The largest number of the fnuz format is 240.") if edits else None


@rule(
    id="FP8-003",
    title="448 stands for the largest FP8 number",
    kinds=PYTHON_KINDS,
    anchors=[f"448 {name}" for name in _NAMES_OF_FP8],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="448 is the largest number of e4m3fn. On gfx94x FP8 is e4m3fnuz and ends at 240: scaled to 448, values "
        "overflow to NaN or are clipped.",
        fix="Take torch.finfo(fp8_dtype).max with the type chosen for the device.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
        when=When(arch=("gfx94",)),
    ),
    example="scale = x.abs().amax() / 448.0",
    versions="gfx94x",
    source="https://github.com/pytorch/pytorch/blob/main/torch/testing/_internal/common_device_type.py",
    fix=PythonFix(_by_gpu),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for 448 as divisor or bound of a maximum, in a clamp, or under a name that speaks of FP8."""
    if not context.versions.may_be("gfx94"):
        return
    computes = any(document.imports_of("torch", "triton"))
    severity = Severity.INFO if for_nvidia(document) or of_ocp(document) else None
    for node in document.nodes(ast.Constant):
        if node.value != _MAXIMUM or isinstance(node.value, bool):
            continue
        parent = document.parent(node)
        whole = parent if isinstance(parent, ast.UnaryOp) else node
        if not computes and not isinstance(parent, (ast.Assign, ast.AnnAssign)):
            continue  # a file of constants: only a name can tell what 448 is
        if not _is_bound(document, whole) or tells_fp8_apart(document, node):
            continue
        # A clamp names the bound twice; it is one finding.
        call = document.enclosing(node, ast.Call) if _in_clamp(document, whole) else None
        message = "448 is the largest number of e4m3fn and not of e4m3fnuz"
        yield Hit(call or node, message, "448", severity=severity)


def _is_bound(document: PythonFile, node: ast.AST) -> bool:
    parent = document.parent(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Div, ast.Mult)):
        other = parent.left if parent.right is node else parent.right
        return _speaks(other, _QUANTITY) or _speaks(other, _FP8)
    if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is node:
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        spoken = any(_speaks(target, _FP8) for target in targets)
        return spoken and any(_speaks(target, _LIMIT) for target in targets)
    if isinstance(parent, ast.arguments):
        pairs = defaults(parent)
        return any(default is node and _FP8.search(arg.arg) and _LIMIT.search(arg.arg) for arg, default in pairs)
    if _in_clamp(document, node):
        return isinstance(node, ast.UnaryOp) or isinstance(getattr(node, "value", None), float)
    name = (parent.arg or "") if isinstance(parent, ast.keyword) else ""
    return bool(_FP8.search(name) and _LIMIT.search(name))


def _in_clamp(document: PythonFile, node: ast.AST) -> bool:
    parent = document.parent(node)
    call = document.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else document.raw(call.func)
    return name in ("clamp", "clip", "clamp_", "minimum", "maximum")


def _speaks(node: ast.AST, words: re.Pattern[str]) -> bool:
    for part in ast.walk(node):
        word = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", None)
        if isinstance(word, str) and words.search(word):
            return True
    return False
