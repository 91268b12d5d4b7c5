"""PY-MEM-006: the size of device memory is asked for."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.gaudi_twins import twin
from rewarp.targets import Context

_TOTAL = "torch.cuda.get_device_properties().total_memory"
_PATHS = ("torch.cuda.mem_get_info", "torch.cuda.memory.mem_get_info", _TOTAL)
_SHOWING = re.compile(r"round|print|format|[\w.]+\.(log\w*|info|debug|warning|write|format)")
_APUS = ("gfx902", "gfx90c", "gfx1013", "gfx1033", "gfx1035", "gfx1036", "gfx1103", "gfx1150", "gfx1151", "gfx1152")


@rule(
    id="PY-MEM-006",
    title="The size of device memory is taken from the driver",
    kinds=PYTHON_KINDS,
    anchors=["mem_get_info", "total_memory"],
    phase=Phase.VERIFICATION,
    rocm=Impact(
        Severity.WRONG,
        why="On an APU HIP may count only the part of memory set aside as VRAM, so a cache sized from it comes out far "
        "too small. Cards with memory of their own report it all.",
        fix="Let the user override the size, for example with an option or an environment variable.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A Gaudi build of torch has no CUDA device to ask; torch.hpu.mem_get_info gives free and total bytes.",
        fix="Ask torch.hpu.mem_get_info() on Gaudi.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="free, total = torch.cuda.mem_get_info()",
    versions="APUs",
    source="https://github.com/pytorch/pytorch/issues/107605",
    gaudi_fix=PythonFix(twin),
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for mem_get_info() and the total_memory of a device, unless it is only shown to a person; a note only,
    unless the target is an APU."""
    severity = None
    if context.target.name == "rocm":
        if not context.versions.may_be(*_APUS):
            return
        severity = Severity.INFO if context.versions.arch is None else None
    for path, node in document.refs(*_PATHS):
        if context.target.name == "rocm" and _is_shown(document, node):
            continue
        if not path.endswith("total_memory") or hasattr(node, "attr"):
            name = path.rpartition(".")[2]
            # A size comes from another call on Gaudi; free and total bytes come from a twin.
            safety = Safety.SAFE if context.target.name == "gaudi" and name == "mem_get_info" else None
            yield Hit(node, f"{name} tells how much device memory there is", path, severity=severity, safety=safety)


def _is_shown(document: PythonFile, node: ast.AST) -> bool:
    """Whether a size is rounded or put into a text, which nothing is sized by."""
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.stmt):
            return False
        if isinstance(ancestor, ast.JoinedStr):
            return True
        if isinstance(ancestor, ast.Call) and _SHOWING.fullmatch(document.raw(ancestor.func)):
            return True
    return False
