"""Classes that are AMD's by their name: do they give torch the names that its build for ROCm goes by?

torch for ROCm keeps the device "cuda", the dispatch key "CUDA" and the back end "nccl" (which is RCCL there).
https://docs.pytorch.org/docs/stable/notes/hip.html"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.verify.choices.view import View

_AMDS = re.compile(r"(?:Rocm|ROCm|ROCM|Hip|HIP|Amd|AMD)(?![a-z])")
_WRONG = (
    (re.compile(r"_?device(_?type)?"), re.compile(r"(?:cpu|hip|rocm)(?::\d+)?"), "cuda"),
    (re.compile(r"_?dispatch_key(_name)?"), re.compile(r"CPU|HIP|ROCM"), "CUDA"),
    (re.compile(r"_?(?:dist|communication|comm)_backend(_name)?"), re.compile(r"gloo|rccl|mpi"), "nccl"),
)


def classes(view: View) -> Iterator[tuple[ast.expr, str]]:
    for class_ in view.document.nodes(ast.ClassDef):
        if not _AMDS.search(class_.name):
            continue
        for statement in class_.body:
            target: ast.expr | None = None
            value: ast.expr | None = None
            if isinstance(statement, ast.AnnAssign):
                target, value = statement.target, statement.value
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target, value = statement.targets[0], statement.value
            if (
                not isinstance(target, ast.Name)
                or not isinstance(value, ast.Constant)
                or not isinstance(value.value, str)
            ):
                continue
            for names, wrong, right in _WRONG:
                if names.fullmatch(target.id) and wrong.fullmatch(value.value):
                    yield (
                        value,
                        f"{class_.name} is AMD's, and its {target.id} is {value.value}: for torch on ROCm it is {right}",
                    )
