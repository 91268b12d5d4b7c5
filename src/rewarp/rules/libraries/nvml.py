"""PY-LIB-001: NVML bindings."""

import ast
import builtins
import ctypes
import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Place, Refused, torch_name
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import bound_names
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import NOT_ON_GAUDI, Import, gated, nothing
from rewarp.rules.shapes.libraries import imports_of
from rewarp.runtime import public_names
from rewarp.targets import Context

_OF_NVML = re.compile(r"(c_)?nvml|NVML")
_BROUGHT_ALONG = frozenset([*dir(ctypes), "find_library", "wraps", "sys", "os", "threading", "string"])


_TORCH_KNOWS = frozenset(
    "nvmlInit nvmlShutdown nvmlDeviceGetCount nvmlDeviceGetHandleByIndex nvmlDeviceGetName nvmlDeviceGetMemoryInfo".split()
)
"""What torch itself tells of the GPUs that it sees; it counts those alone, as CUDA_VISIBLE_DEVICES leaves them."""
_AMONG_VISIBLE = [
    "import os",
    "seen = os.environ.get",
    'for visible in (seen("ROCR_VISIBLE_DEVICES"), seen("HIP_VISIBLE_DEVICES") or seen("CUDA_VISIBLE_DEVICES")):',
    'cards = (visible or "").replace(" ", "").split(",")',
    "index = cards.index(str(index)) if str(index) in cards else index",
    "return index",
]
"""NVML counts the cards of the machine, torch those that are left to the program."""


def _amd_sensors(place: Place, statement: Import) -> list[str] | Refused:
    """torch knows what most programs ask of pynvml. The helper has what monitoring code asks, with amdsmi behind it; where
    more is asked, ROCm gets nothing."""
    whole = isinstance(statement, ast.Import) and [alias.name for alias in statement.names] == ["pynvml"]
    parts = isinstance(statement, ast.ImportFrom) and statement.module == "pynvml" and not statement.level
    if not (whole or parts):
        return nothing(place, statement)
    name = bound_names(statement)[0]
    names = (_named(place, statement) if parts else None) or {}
    used = _attributes_of(place, name) if whole else set(names.values())
    torch = torch_name(place.view)
    if torch and used and used <= _TORCH_KNOWS and (whole or all(new == old for new, old in names.items())):
        return _asked_of_torch(sorted(used), torch, place.view.unit, name if whole else None)
    if place.helper is None or not used or not set(public_names()).issuperset(used):
        return nothing(place, statement)
    if whole:
        return [_module(place.helper, name)]
    listed = ", ".join(name if name == bound else f"{name} as {bound}" for bound, name in names.items())
    return [f"from {place.helper} import {listed}"]


def _asked_of_torch(used: list[str], torch: str, unit: str, module: str | None) -> list[str]:
    """Functions under NVML's names, in a class that stands for the module where that was imported whole."""
    lines = ["from types import SimpleNamespace"] if "nvmlDeviceGetMemoryInfo" in used else []
    lines += [f"class {module}:  # what is asked of it here, answered by PyTorch"] if module else []
    inner = unit if module else ""
    # A program that asks NVML how many there are gets torch's number, and counts as torch does from then on.
    first, then, loop, *body, last = _AMONG_VISIBLE
    among = (
        ["return index"] if "nvmlDeviceGetCount" in used else [first, then, loop, *(unit + line for line in body), last]
    )
    answers = {
        "nvmlDeviceGetCount": ("", [f"return {torch}.cuda.device_count()"]),
        "nvmlDeviceGetHandleByIndex": ("index", among),
        "nvmlDeviceGetMemoryInfo": (
            "card",
            [
                f"free, total = {torch}.cuda.mem_get_info(card)",
                "return SimpleNamespace(total=total, free=free, used=total - free)",
            ],
        ),
        "nvmlDeviceGetName": ("card", [f"return {torch}.cuda.get_device_name(card)"]),
    }
    for name in used:
        parameter, body = answers.get(name, ("", ["pass"]))
        lines += [f"{inner}@staticmethod"] if module else []
        lines += [f"{inner}def {name}({parameter}):", *(f"{inner}{unit}{line}" for line in body)]
    return lines


def _module(helper: str, name: str) -> str:
    """The helper itself, under a name."""
    last = helper.rpartition(".")[2]
    package = helper.removesuffix(last)
    if not package:
        return f"import {last} as {name}"
    return f"from {package if set(package) == {'.'} else package[:-1]} import {last} as {name}"


def _named(place: Place, statement: Import) -> dict[str, str] | None:
    """What ``from pynvml import …`` binds, by the name that it gets; of a star, what the file uses. None where that is not
    known: pynvml itself has star imports, and so brings what ctypes has."""
    if not any(alias.name == "*" for alias in statement.names):
        return {alias.asname or alias.name: alias.name for alias in statement.names}
    nodes = place.document.nodes
    bound = {name for node in nodes(ast.Import, ast.ImportFrom) for name in bound_names(node)}
    bound |= {node.name for node in nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)}
    bound |= {node.arg for node in nodes(ast.arg)} | {node.name for node in nodes(ast.ExceptHandler) if node.name}
    bound |= {node.id for node in nodes(ast.Name) if not isinstance(node.ctx, ast.Load)}
    free = {node.id for node in nodes(ast.Name)} - bound - set(dir(builtins))
    own = {name for name in free if _OF_NVML.match(name)}
    others = [node for node in nodes(ast.ImportFrom) if node is not statement and "*" in bound_names(node)]
    known = others and free.isdisjoint(_BROUGHT_ALONG)
    return {name: name for name in sorted(own)} if known or own == free else None


def _attributes_of(place: Place, name: str) -> set[str] | None:
    """What is asked of a module by this name; None where the module itself goes elsewhere."""
    uses = [node for node in place.document.nodes(ast.Name) if node.id == name]
    asked = [node for node in place.document.nodes(ast.Attribute) if node.value in uses]
    return {node.attr for node in asked} if len(asked) == len(uses) else None


@rule(
    id="PY-LIB-001",
    title="NVML bindings are imported",
    kinds=PYTHON_KINDS,
    anchors=["pynvml", "nvidia_smi", "py3nvml", "nvitop", "GPUtil"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="NVML talks to NVIDIA's driver: on an AMD machine the import or nvmlInit fails. The twin is amdsmi.",
        fix="Import it only when torch.version.hip is None and read the same figures through amdsmi otherwise. "
        "A bare try/except would also hide real errors on NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="NVML talks to NVIDIA's driver; Gaudi has hl-smi and pyhlml.",
        fix="Import it only on NVIDIA and use pyhlml otherwise.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="import pynvml",
    source="https://github.com/huggingface/accelerate/pull/4025",
    fix=PythonFix(
        gated(_amd_sensors, "NVML is NVIDIA's: ROCm asks PyTorch or amdsmi, or no longer imports it."),
        needs_helper=True,
    ),
    gaudi_fix=NOT_ON_GAUDI,
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of pynvml, nvidia_smi, py3nvml, nvitop and GPUtil."""
    yield from imports_of(document, "pynvml", "nvidia_smi", "py3nvml", "nvitop")
    for hit in imports_of(document, "GPUtil"):
        message = "GPUtil is imported; it asks nvidia-smi, and without it finds no GPU"
        yield replace(hit, message=message, severity=Severity.INFO)
