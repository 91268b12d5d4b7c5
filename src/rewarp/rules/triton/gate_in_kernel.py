"""TRI-013: a platform gate inside a kernel."""

import ast
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import in_kernel
from rewarp.targets import Context


@rule(
    id="TRI-013",
    title="A Triton kernel asks which platform it runs on",
    kinds=PYTHON_KINDS,
    anchors=[
        f"triton jit ~{name}"
        for name in ("hip", "HIP", "rocm", "ROCM", "amd", "AMD", "is_cuda", "IS_CUDA", "cuda_alike")
    ],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WORKS,
        why="Triton decides such a condition while it compiles, if the name is a constexpr. Adding one to an existing kernel "
        "does change its source hash, so NVIDIA machines compile it anew.",
        fix="Nothing must change; to leave the NVIDIA kernel untouched choose the function or its arguments at the launch.",
    ),
    example="@triton.jit\ndef kernel(x, IS_HIP: tl.constexpr):\n    if IS_HIP:\n        ...",
    source="https://github.com/triton-lang/triton/blob/main/python/triton/runtime/jit.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for conditions inside @triton.jit functions that name ROCm, HIP or CUDA as the platform."""
    names = context.target.true_names
    for node in document.nodes(ast.If, ast.IfExp):
        for part in ast.walk(node.test):
            word = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            if (names.fullmatch(word) or word.lower().strip("_") == "is_cuda") and in_kernel(document, node):
                yield Hit(node.test, f"{word} decides inside the kernel which code is compiled", word)
                break
