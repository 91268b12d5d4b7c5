"""PY-DET-002: the device name is compared with NVIDIA model names."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import (
    AMD_NAME,
    GAUDI_NAME,
    NVIDIA_NAME,
    branches,
    conditions,
    model_chains,
    name_tests,
    refusal,
)
from rewarp.targets import Context


@rule(
    id="PY-DET-002",
    title="Device name is compared with NVIDIA models",
    kinds=PYTHON_KINDS,
    anchors=["get_device_name", "get_device_properties"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why='AMD devices are called "AMD Instinct MI300X" or just "AMD Radeon Graphics": no NVIDIA name fits and the '
        "default, or the error, is taken.",
        fix="Add an arm for AMD that goes by the architecture, "
        '`torch.cuda.get_device_properties(i).gcnArchName.split(":")[0]`, not by the name.',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="torch.hpu.get_device_name() gives GAUDI2 or GAUDI3.",
        fix="Add an arm for Gaudi that goes by torch.hpu.get_device_name().",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='if "A100" in torch.cuda.get_device_name():\n    batch = 64',
    source="https://github.com/pytorch/pytorch/blob/main/torch/_C/__init__.pyi.in",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for comparisons, `in` tests and startswith() of torch.cuda.get_device_name() or the name of
    get_device_properties() with names such as A100, H100, RTX, Tesla or GeForce, where no AMD name is tested too."""
    chains = {id(link) for chain in model_chains(document) for link in chain}
    other = GAUDI_NAME if context.target.name == "gaudi" else AMD_NAME
    for node, texts in name_tests(document):
        named = [text for text in texts if NVIDIA_NAME.search(text)]
        if not named or id(node) in chains:  # a table of figures in an if-chain is PY-DET-004
            continue
        if any(other.search(text) for text in texts) or _handled(document, node, other):
            continue
        refused = _refuses_others(document, node)
        way = "AMD's names fit none, and are refused" if refused else "AMD's GPUs go the way of any other"
        message = f"The device name is compared with {named[0]!r}: {way}"
        yield Hit(node, message, "torch.cuda.get_device_name", severity=Severity.CRASH if refused else Severity.INFO)


def _refuses_others(document: PythonFile, node: ast.expr) -> bool:
    """Whether the way of a GPU of another name ends in an error; else it is the common way, which AMD can go."""
    excludes = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.NotIn, ast.NotEq))
    for test, positive in conditions(document, node):
        fits, other = branches(test, positive)
        if excludes:
            fits, other = other, fits
        while len(other) == 1 and isinstance(other[0], ast.If):  # the arms for further names fit no better
            other = list(other[0].orelse)
        if isinstance(test, ast.Assert) or refusal(document, other or _after(document, test, fits)):
            return True
    return False


def _after(document: PythonFile, test: ast.AST, fits: list[ast.AST]) -> list[ast.AST]:
    """What follows an ``if`` without an ``else`` whose branch leaves."""
    if not fits or not isinstance(fits[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return []
    parent = document.parent(test)
    for block in (getattr(parent, "body", []), getattr(parent, "orelse", [])):
        if isinstance(block, list) and test in block:
            return list(block[block.index(test) + 1 :])
    return []


def _handled(document: PythonFile, node: ast.AST, other: re.Pattern[str]) -> bool:
    """Whether an arm of the same if-chain is about the target."""
    chain = document.enclosing(node, ast.If)
    while chain is not None:
        if any(isinstance(n, ast.Constant) and other.search(str(n.value)) for n in ast.walk(chain.test)):
            return True
        follow = chain.orelse
        chain = follow[0] if len(follow) == 1 and isinstance(follow[0], ast.If) else None
    return False
