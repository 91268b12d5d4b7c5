"""Shapes that several PyTorch rules share: conditions, branches, and the names of GPUs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.lang.python import PythonFile
from rewarp.rules.torch._flow import Flow

NVIDIA_MODEL = re.compile(
    r"(?i)((nvidia|geforce|tesla|quadro)[ _-]?)*"
    r"(v100s?|p100|p40|k80|t4g?|a2|a10g?|a16|a30|a40|a100x?|a800|a[2-6]000|h20|h100|h200|h800|gh200|b100|b200|b300|gb[23]00"
    r"|l4|l20|l40s?|(rtx|gtx|titan|quadro)[ _-]?\w[\w ]*)"
    r"([ _-]+(sxm\d?|pcie|nvl|nvlink|hbm\w*|ada|\d+ ?gb?|dgx|hgx|super|ti|laptop|gpu|\w*gb))*"
)
"""The full name of an NVIDIA GPU model."""
NVIDIA_NAME = re.compile(
    r"(?i)\b(nvidia|geforce|tesla|quadro|titan|rtx|gtx)|(?<![A-Za-z0-9])"
    r"(v100|p100|t4|a10g?|a30|a40|a100|a800|h20|h100|h200|h800|gh200|b100|b200|b300|gb[23]00|l4|l40s?)(?![0-9])"
)
"""A piece of text that only an NVIDIA device name holds."""
AMD_NAME = re.compile(r"(?i)\b(amd|radeon|instinct|mi\d{2,3}[ax]?|gfx\d\w*|rx ?[567]\d{3})(?![a-z])")
GAUDI_NAME = re.compile(r"(?i)gaudi|habana|\bhpu")
_NVIDIA_CODE = re.compile(r"(?i)(?!_*(is|has|check|supports?)_)\w*(nvidia|nvml)\w*")


class DeviceName(Flow):
    """Labels the device name, ``torch.cuda.get_device_name()`` or the name of its properties."""

    def source(self, node: ast.expr) -> str | None:
        path = self.document.path(node) if isinstance(node, (ast.Call, ast.Attribute)) else None
        if path is None:
            return None
        if path.endswith("cuda.get_device_name()") or path.endswith("cuda.get_device_properties().name"):
            return "name"
        return "name" if path.endswith("current_platform.get_device_name()") else None

    def text(self, labels: list[str | None]) -> str | None:
        return None

    def sequence(self, labels: list[str | None]) -> str | None:
        return None


def for_nvidia(document: PythonFile, node: ast.AST) -> bool:
    """Whether the function, class or folder around a place says by its name that it is NVIDIA's."""
    if "/nvidia/" in f"/{document.source.path}":
        return True
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(isinstance(a, definitions) and _NVIDIA_CODE.fullmatch(a.name) for a in document.ancestors(node))


def conditions(document: PythonFile, node: ast.expr) -> Iterator[tuple[ast.AST, bool]]:
    """The conditions an expression decides, each with whether it must be true there: the ``if``,
    ``while``, conditional expression or ``assert`` whose test it is, alone or below not/and/or."""
    child: ast.AST = node
    positive = True
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.UnaryOp) and isinstance(ancestor.op, ast.Not):
            positive = not positive
        elif isinstance(ancestor, (ast.If, ast.IfExp, ast.While, ast.Assert)) and ancestor.test is child:
            yield ancestor, positive
            return
        elif not isinstance(ancestor, (ast.BoolOp, ast.Compare)):
            return
        child = ancestor


def branches(condition: ast.AST, positive: bool) -> tuple[list[ast.AST], list[ast.AST]]:
    """What runs when the expression is true, and what runs when it is false."""
    body, other = getattr(condition, "body", []), getattr(condition, "orelse", [])
    taken = body if isinstance(body, list) else [body]
    left = other if isinstance(other, list) else [other]
    return (taken, left) if positive else (left, taken)


def refuses(document: PythonFile, block: list[ast.AST]) -> bool:
    """Whether a block gives up: raises, skips, exits or returns a plain False."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.Return):
        return isinstance(last.value, ast.Constant) and last.value.value is False
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        name = document.raw(last.value.func).rpartition(".")[2]
        return name in ("skip", "skipTest", "exit", "fail", "_exit")
    return False
