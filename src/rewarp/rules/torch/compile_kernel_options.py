"""PY-RT-008: a kernel compiled from a string with NVIDIA's options."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_PATH = "torch.cuda._compile_kernel"
_OPTIONS = {"compute_capability": 2, "nvcc_options": 4, "auto_pch": None}


@rule(
    id="PY-RT-008",
    title="torch.cuda._compile_kernel gets options for nvcc",
    kinds=PYTHON_KINDS,
    anchors=["_compile_kernel"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="On ROCm hiprtc compiles the kernel: a compute capability must be a gfx name there, nvcc's options are "
        "refused, and auto_pch compares the version of CUDA, which is None.",
        fix="Pass these options only where torch.version.hip is None; the default takes the device's gcnArchName.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='torch.cuda._compile_kernel(source, "add", compute_capability="90")',
    versions="torch 2.9 and later",
    source="https://github.com/pytorch/pytorch/blob/main/torch/cuda/_utils.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for torch.cuda._compile_kernel; without options of its own it is only worth a note."""
    for _, call in document.calls(_PATH):
        given = [
            name
            for name, position in _OPTIONS.items()
            if (value := document.argument(call, position, name)) is not None
            and not (isinstance(value, ast.Constant) and not value.value)
        ]
        if given:
            yield Hit(call, f"_compile_kernel gets {' and '.join(given)}, which hiprtc takes differently", _PATH)
        else:
            message = "_compile_kernel compiles with hiprtc, and the kernel's text is not translated"
            yield Hit(call, message, _PATH, severity=Severity.INFO)
