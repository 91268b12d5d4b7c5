"""PY-DET-004: a table of GPU models that knows NVIDIA only."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.torch import AMD_NAME, GAUDI_NAME, is_figure, is_model, model_chains, model_rows
from rewarp.rules.torch._gpu_tables import gpu_table
from rewarp.targets import Context

_ABOUT_GPUS = re.compile(rb"(?i)gpu|cuda|nvidia|flop|torch|accelerator")


@rule(
    id="PY-DET-004",
    title="Table of GPU models has NVIDIA entries only",
    kinds=PYTHON_KINDS,
    anchors=[
        "A100",
        "H100",
        "V100",
        "H200",
        "T4",
        "L4",
        "A10",
        "A10G",
        "L40S",
        "B200",
        "A6000",
        "RTX",
        "Tesla",
        "a100",
        "h100",
        "v100",
        "h200",
    ],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WRONG,
        why="The device name of an AMD GPU is not in the table: utilisation and roofline figures become infinite or zero, or "
        "the look-up raises KeyError.",
        fix="Add entries for the AMD GPUs, and look them up by gcnArchName on ROCm.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="Gaudi is not in the table: figures made from it become infinite or zero, or the look-up raises KeyError.",
        fix="Add entries for GAUDI2 and GAUDI3.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='PEAK_FLOPS = {"A100": 312e12, "H100": 989e12}',
    source="https://github.com/volcengine/verl/pull/360",
    fix=PythonFix(gpu_table, even_if_mild=True),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a dict, a list of records or an if-chain with figures for at least two NVIDIA GPU models in a file that names no GPU of
    the target."""
    missing = "Gaudi" if context.target.name == "gaudi" else "AMD GPU"
    own = GAUDI_NAME if context.target.name == "gaudi" else AMD_NAME
    if not _ABOUT_GPUS.search(document.source.data):
        return  # A10 and A40 are roads, too
    if any(own.search(text) for node in document.strings if len(text := str(node.value)) < 80):
        return
    severity = Severity.INFO if is_test(document) else None
    for table in document.nodes(ast.Dict):
        models = [
            str(key.value)
            for key, value in zip(table.keys, table.values, strict=True)
            if is_model(key) and isinstance(key, ast.Constant) and is_figure(value)
        ]
        if len(models) >= 2:
            milder = severity if _is_looked_up(document, table) else Severity.INFO
            yield Hit(table, f"The table has {models[0]}, {models[1]} and no {missing}", "", severity=milder)
    for rows, names in model_rows(document):
        yield Hit(rows, f"The table has {names[0]}, {names[1]} and no {missing}", "", severity=severity)
    for chain in model_chains(document):
        yield Hit(
            chain[0], f"The chain of tests names {len(chain)} NVIDIA models and no {missing}", "", severity=severity
        )


def _is_looked_up(document: PythonFile, table: ast.Dict) -> bool:
    """Whether something may miss an entry: the table is subscripted by what nobody has asked it for, or goes elsewhere."""
    statement = document.statement(table)
    target: ast.expr | None = None
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is table:
        target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
    if not isinstance(target, ast.Name):
        return True
    uses = [node for node in document.nodes(ast.Name) if node.id == target.id and node is not target]
    if any(_ends_without(document, use) for use in uses):
        return True
    keys = [(use, parent.slice) for use in uses if isinstance(parent := document.parent(use), ast.Subscript)]
    return not uses or any(not _is_known(document, use, key) for use, key in keys)


def _ends_without(document: PythonFile, use: ast.Name) -> bool:
    """Whether a place goes through the table for one entry, and raises StopIteration where there is none."""
    calls = (node for node in document.ancestors(use) if isinstance(node, ast.Call))
    return any(document.raw(call.func) == "next" and len(call.args) == 1 for call in calls)


def _is_known(document: PythonFile, use: ast.Name, key: ast.expr) -> bool:
    """Whether a subscript stands where a condition or a loop has dealt with its key."""
    words = {use.id, *(node.id for node in ast.walk(key) if isinstance(node, ast.Name))}
    for ancestor in document.ancestors(use):
        if isinstance(ancestor, (ast.If, ast.IfExp)):
            asked: ast.expr = ancestor.test
        elif isinstance(ancestor, (ast.For, ast.comprehension)):
            asked = ancestor.iter
        else:
            continue
        if any(isinstance(node, ast.Name) and node.id in words for node in ast.walk(asked)):
            return True
    return False
