"""ENV-013: a list of devices that leaves none."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, EnvSet
from rewarp.lang.python import PythonFile
from rewarp.project.gates import NVIDIA, Reach
from rewarp.project.sides import is_for_amd
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.env import ENV_KINDS, sets_of
from rewarp.targets import Context

_NAMES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
_NONE = re.compile(r"-\d+|none|void|NoDevFiles|", re.I)
_NO_ID = re.compile(r"(?:cuda|rocm|hip|gpu|amd|mi\d+x?)[:_]?\d*(?:,.*)?|all", re.I)


def _for_one_command(document: Document, item: EnvSet) -> bool:
    """``CUDA_VISIBLE_DEVICES=-1 python prepare.py``: one program is kept off the GPU, on purpose."""
    if isinstance(item.where, ast.AST):
        return False
    text = document.source.line_text(document.source.line_at(document.span(item).start))
    return re.match(rf"\s*(?:\w+=\S*\s+)*{item.name}=\S*\s+[^\s#]", text) is not None


def _is_amds(document: Document, item: EnvSet) -> bool:
    """Whether only AMD's users come here."""
    if is_for_amd(document.source.path):
        return True
    return isinstance(document, PythonFile) and isinstance(item.where, ast.AST) and _off_nvidia(document, item.where)


def _off_nvidia(document: PythonFile, node: ast.AST) -> bool:
    return Reach(document, NVIDIA).unreachable(node)


@rule(
    id="ENV-013",
    title="A list of devices leaves no GPU",
    kinds=ENV_KINDS,
    anchors=list(_NAMES),
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.ON_CPU,
        why="HIP reads CUDA_VISIBLE_DEVICES as well as its own HIP_VISIBLE_DEVICES and ROCR's: a list that begins with -1, or with "
        "what is no number of a device, hides every GPU.",
        fix="Name devices by their numbers, or leave the variable alone.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="ENV CUDA_VISIBLE_DEVICES=-1   # in Dockerfile.rocm",
    source="https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for device lists with no number of a device, and, where only AMD's users come, for those that are empty or -1."""
    if is_test(document):
        return
    for item in sets_of(document, *_NAMES):
        value = (item.value if item.value is not None else "?").strip("\"' ")
        if item.value is None or _for_one_command(document, item):
            continue
        if _NO_ID.fullmatch(value):
            yield Hit(item, f"{item.name} is {value}, which is the number of no device", item.name)
        elif _NONE.fullmatch(value) and _is_amds(document, item):
            yield Hit(item, f"{item.name} is {value or 'empty'} on AMD's side: no GPU is left", item.name)
