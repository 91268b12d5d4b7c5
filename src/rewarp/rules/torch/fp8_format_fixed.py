"""FP8-001: one kind of FP8 is written into the code."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, When, rule
from rewarp.rules.shapes.libraries import for_nvidia
from rewarp.rules.shapes.torch_runtime import knows_fnuz, of_ocp, tells_fp8_apart
from rewarp.rules.torch._fp8_fixes import FNUZ, apart, chosen
from rewarp.targets import Context

_PATHS = ("torch.float8_e4m3fn", "torch.float8_e5m2")
_FNUZ = {"torch.float8_e4m3fn": "uz", "torch.float8_e5m2": "fnuz"}


def _by_gpu(place: Place) -> Outcome | None:
    node = place.node(ast.Attribute)
    if node is None or node.attr not in FNUZ:
        return None
    why_not = apart(place)
    if why_not:
        return Refused(why_not)
    owner = place.view.text(node.value)
    return Mend(chosen(place, node, f"{owner}.{FNUZ[node.attr]}"), "gfx94x computes in the fnuz formats of FP8.")


@rule(
    id="FP8-001",
    title="An FP8 type is fixed to the OCP format",
    kinds=PYTHON_KINDS,
    anchors=["float8_e4m3fn", "float8_e5m2"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="The matrix cores of gfx94x (MI300) compute in the fnuz formats, which have another range (e4m3fnuz ends at "
        "240) and another bias. gfx950 and gfx12 use the OCP formats as NVIDIA does.",
        fix="Choose the type once: torch.float8_e4m3fnuz on gfx94x, torch.float8_e4m3fn elsewhere.",
        safety=Safety.SAFE,
        effort=Effort.HOURS,
        when=When(arch=("gfx94",)),
    ),
    example="q = x.to(torch.float8_e4m3fn)",
    versions="gfx94x",
    source="https://github.com/vllm-project/vllm/pull/12134",
    fix=PythonFix(_by_gpu),
    traits=[Trait.WHERE_COMPUTED],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.float8_e4m3fn and torch.float8_e5m2 as the type of a tensor, a default or in finfo()."""
    if not context.versions.may_be("gfx94"):
        return
    found = [
        (path, node)
        for path, node in document.refs(*_PATHS)
        if not _alias(document, node) and _decides(document, node) and not tells_fp8_apart(document, node)
    ]
    mild = bool(found) and (knows_fnuz(document, document.tree) or for_nvidia(document) or of_ocp(document))
    for path, node in found:
        severity = Severity.INFO if mild else None
        yield Hit(node, f"{path} is fixed here, and gfx94x computes in {path}{_FNUZ[path]}", path, severity=severity)


def _alias(document: PythonFile, node: ast.expr) -> bool:
    """A variable that was given the type elsewhere: reported there."""
    return isinstance(node, ast.Name) and all(binding.path is None for binding in document.bindings(node))


def _decides(document: PythonFile, node: ast.expr) -> bool:
    """Whether the type is what a tensor gets, not something a tensor's type is compared with."""
    parent = document.parent(node)
    if isinstance(parent, ast.IfExp):
        return node is not parent.test and _decides(document, parent)
    if isinstance(parent, ast.keyword):
        return parent.arg is not None and "dtype" in parent.arg
    if isinstance(parent, ast.Call):
        name = parent.func.attr if isinstance(parent.func, ast.Attribute) else document.raw(parent.func)
        return node in parent.args and (
            name in ("to", "type", "view", "finfo", "full", "empty", "zeros") or _converts(name)
        )
    if isinstance(parent, ast.arguments):
        return node in parent.defaults or node in parent.kw_defaults
    if isinstance(parent, ast.Assign) and all(_is_named(document, target) for target in parent.targets):
        return False
    return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.Return)) and parent.value is node


def _is_named(document: PythonFile, target: ast.expr) -> bool:
    """``types["f8_e4m3"] = …``: a table of what formats are called."""
    key = document.string(target.slice) if isinstance(target, ast.Subscript) else None
    return key is not None and re.search(r"(?i)e[45]m[23]", key) is not None


def _converts(name: str) -> bool:
    return any(word in name.lower() for word in ("quant", "cast", "fp8", "float8"))
