"""PY-MEM-008: green contexts."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context


@rule(
    id="PY-MEM-008",
    title="A green context is created",
    kinds=PYTHON_KINDS,
    anchors=["GreenContext"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="A ROCm build of torch has no green contexts: creating one raises RuntimeError.",
        fix="Create one only when torch.version.hip is None (or torch.cuda.green_contexts.SUPPORTED is true).",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="ctx = torch.cuda.green_contexts.GreenContext.create(num_sms=32)",
    versions="the class exists from torch 2.9",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/green_contexts.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for calls on torch.cuda.green_contexts.GreenContext, also under its name torch.cuda.GreenContext."""
    names = ("torch.cuda.GreenContext", "torch.cuda.green_contexts.GreenContext")
    for path, call in document.calls(*names, *(f"{name}.*" for name in names)):
        if "()" not in path:
            yield Hit(call, f"{path} raises on ROCm", path)
