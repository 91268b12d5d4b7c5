"""LIB-005: bitsandbytes with blocks of 64."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_FUNCTIONS = "bitsandbytes.functional.*"
_CLASSES = ("bitsandbytes.nn.Params4bit", "bitsandbytes.nn.Linear4bit", "bitsandbytes.nn.LinearNF4")
_CONFIG = ("transformers.BitsAndBytesConfig", "diffusers.BitsAndBytesConfig")


@rule(
    id="LIB-005",
    title="bitsandbytes quantises to 4 bits",
    kinds=PYTHON_KINDS,
    anchors=["bitsandbytes", "BitsAndBytesConfig"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WRONG,
        why="bitsandbytes supports ROCm, but before 0.50 blocks of 64 are invalid on 64-wide waves: there 128 is the smallest "
        "block, and checkpoints quantised with 64 cannot be read right.",
        fix="Require bitsandbytes >= 0.50 on ROCm, or use blocksize=128 there and quantise anew.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="bitsandbytes has a backend for Gaudi.",
        fix="Check that the operators used here are in it.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="q, state = bnb.functional.quantize_4bit(w, blocksize=64)",
    versions="bitsandbytes < 0.50 on 64-wide waves",
    source="https://github.com/unslothai/unsloth/pull/3748",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for blocksize=64 in calls of bitsandbytes, and for 4-bit layers and configs that leave it at its default."""
    if context.target.name == "rocm" and 64 not in context.versions.wave_sizes:
        return
    told: set[str] = set()
    for path, call in document.calls(_FUNCTIONS, *_CLASSES):
        size = document.argument(call, None, "blocksize")
        if size is not None and document.number(size) == 64:
            yield Hit(size, f"{path} is given blocks of 64", path)
        elif path in _CLASSES and size is None and path not in told:
            told.add(path)
            how = "in blocks of its default size" if context.target.name == "rocm" else "through bitsandbytes"
            yield Hit(call, f"{path} quantises {how}", path, severity=Severity.INFO)
    for path, call in document.calls(*_CONFIG):
        wanted = document.argument(call, None, "load_in_4bit")
        if isinstance(wanted, ast.Constant) and wanted.value is True:
            message = f"{path} loads the model in 4 bits: on CDNA that asks for bitsandbytes >= 0.50"
            if context.target.name != "rocm":
                message = f"{path} loads the model in 4 bits through bitsandbytes"
            yield Hit(call, message, path, severity=Severity.INFO)
