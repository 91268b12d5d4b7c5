"""PY-UNK-001: names below torch.cuda that rewarp does not know."""

import ast
from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import cuda_uses, is_private
from rewarp.tables import find_torch_cuda
from rewarp.targets import Context


@rule(
    id="PY-UNK-001",
    title="A torch.cuda name rewarp does not know",
    kinds=PYTHON_KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.INFO,
        why="The name is not in rewarp's table of torch.cuda (torch 2.13 and older), so rewarp cannot say what it does "
        "on ROCm.",
        fix="Look the name up in the documentation of your torch version and try it on ROCm.",
        effort=Effort.MINUTES,
    ),
    example="torch.cuda.some_new_function()",
    source="https://docs.pytorch.org/docs/main/cuda.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for public names below torch.cuda that the table of torch.cuda does not list."""
    for use in cuda_uses(document):
        if is_private(use.name) or isinstance(use.node, ast.Name):
            continue  # a name is reported where it was imported or assigned
        if find_torch_cuda(use.name) is None:
            yield Hit(use.node, f"rewarp does not know torch.cuda.{use.name}", f"torch.cuda.{use.name}")
