"""TRI-010: the module needs Triton."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import in_kernel
from rewarp.targets import Context


@rule(
    id="TRI-010",
    title="Triton is imported without a fallback",
    kinds=PYTHON_KINDS,
    anchors=["triton ~import triton", "triton ~from triton", "triton import_module"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.WORKS,
        why="ROCm builds of torch bring a Triton with the AMD backend: the package is called pytorch-triton-rocm, "
        "triton-rocm or triton depending on the release, the module always triton.",
        fix="Nothing here; do not pin a Triton of your own beside the one torch asks for.",
        safety=Safety.NONE,
        effort=Effort.NONE,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="Triton has no back end for Gaudi: its kernels cannot be launched there. The package itself can be installed.",
        fix="Express the operation in PyTorch on Gaudi, or write a TPC kernel.",
        safety=Safety.NONE,
        effort=Effort.REWRITE,
    ),
    example="import triton",
    versions="the wheel that holds Triton differs by torch release",
    source="https://github.com/ROCm/pytorch/pull/2914",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for the first import of triton at the top of a module, outside try and outside functions; on Gaudi, for the
    first kernel of such a module."""
    for item in document.imports_of("triton"):
        if not item.optional and not item.deferred and not document.unreachable(item.node, context.target):
            if context.target.name == "gaudi":
                yield _on_gaudi(document, item)
            else:
                yield Hit(item.node, f"{item.full} is imported as soon as this module is", item.full)
            return


def _on_gaudi(document: PythonFile, item: Import) -> Hit:
    kernels = [function for function in document.nodes(ast.FunctionDef) if in_kernel(document, function)]
    if not kernels:
        message = f"{item.full} is imported; it can be installed, and runs no kernel on Gaudi"
        return Hit(item.node, message, item.full, severity=Severity.INFO, effort=Effort.NONE)
    first = min(kernels, key=lambda function: function.lineno)
    count = "1 Triton kernel" if len(kernels) == 1 else f"{len(kernels)} Triton kernels"
    return Hit(first, f"{count}: no launch succeeds on Gaudi", item.full)
