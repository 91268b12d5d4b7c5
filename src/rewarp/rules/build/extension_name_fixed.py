"""BLD-014: a compiled extension imported by a fixed name."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.build import CUDA_EXTENSIONS
from rewarp.targets import Context

_LIBRARIES = re.compile(r"(torch|functorch|torchvision|torchaudio|triton|numpy|cupy|\w*(xpu|npu|hpu|cpu)\w*)(\..*)?")

_SETTINGS = {"defaults", "default", "config", "cfg"}


@rule(
    id="BLD-014",
    title="A compiled extension is imported by a fixed name",
    kinds=Kind.PYTHON,
    anchors=["_C", *CUDA_EXTENSIONS],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.INFO,
        why="The import works if the ROCm build keeps the module's name; some projects name theirs _C_hip, and then "
        "the import fails.",
        fix="Keep one name for both builds, or choose it by torch.version.hip in one place.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.NONE,
    ),
    example="from mypackage import _C",
    versions="rare",
    source="https://github.com/facebookresearch/xformers/commit/9f6abada",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the first import in a file of a compiled module named _C or of a known extension named after CUDA,
    and for import_module and find_spec with such a name."""
    if is_test(document):
        return
    seen: set[str] = set()
    for item in document.imports:
        last = item.full.rpartition(".")[2]
        if item.optional or item.full in seen or _LIBRARIES.fullmatch(item.full):
            continue
        if item.module.rpartition(".")[2] in _SETTINGS:  # yacs calls a configuration _C
            continue
        if (last == "_C" and item.full != "_C") or item.full in CUDA_EXTENSIONS:
            seen.add(item.full)
            yield Hit(item.node, _message(item.full), item.full)
    for call in document.nodes(ast.Call):
        if call.args and document.raw(call.func).rpartition(".")[2] in ("find_spec", "import_module"):
            name = document.string(call.args[0]) or ""
            if (name.rpartition(".")[2] == "_C" or name in CUDA_EXTENSIONS) and not _LIBRARIES.fullmatch(name):
                if name not in seen and not document.caught(call, "ImportError", "ModuleNotFoundError"):
                    seen.add(name)
                    yield Hit(call, _message(name), name)


def _message(name: str) -> str:
    return f"{name} is a compiled module: the AMD build has to give it this name"
