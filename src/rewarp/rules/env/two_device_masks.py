"""ENV-002: two device lists at once."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, EnvSet
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.env import ENV_KINDS, exclusive, set_text, sets_of
from rewarp.targets import Context

_ROCR = "ROCR_VISIBLE_DEVICES"
_INNER = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def _is_removed(document: Document) -> bool:
    """Whether the file takes ROCR_VISIBLE_DEVICES away somewhere."""
    if any(command.name == "unset" and _ROCR in command.texts for command in document.commands):
        return True
    if not isinstance(document, PythonFile):
        return False
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("pop", "delenv", "unsetenv"):
            if call.args and document.string(call.args[0]) == _ROCR:
                return True
    return any(
        isinstance(target, ast.Subscript) and document.string(target.slice) == _ROCR
        for statement in document.nodes(ast.Delete)
        for target in statement.targets
    )


@rule(
    id="ENV-002",
    title="A device list is set beside another",
    kinds=ENV_KINDS,
    anchors=[_ROCR, " ".join(_INNER)],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="HIP counts its devices inside what ROCR lets through. Two lists mask twice: the second may name devices "
        "that are no longer there, and torch raises when the HIP list is the longer one.",
        fix="Set one of them: HIP_VISIBLE_DEVICES.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="export ROCR_VISIBLE_DEVICES=2,3\nexport HIP_VISIBLE_DEVICES=2,3",
    source="https://github.com/vllm-project/vllm/pull/6352",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES set in code that can run together, for
    one made from ROCR's list, which stays; and, as a note, for HIP_VISIBLE_DEVICES copied from CUDA_VISIBLE_DEVICES."""
    yield from _copies(document)
    if _is_removed(document):
        return
    for item in sets_of(document, *_INNER):
        if _ROCR in set_text(document, item):
            yield Hit(item, f"{item.name} is made from {_ROCR}, which stays: the devices are masked twice", _ROCR)
    for item in sets_of(document, _ROCR):
        source = _copied_from(document, item)
        if source:
            yield Hit(item, f"{_ROCR} is made from {source}, which stays: the devices are masked twice", _ROCR)
            continue
        beside = next((other for other in sets_of(document, *_INNER) if not exclusive(document, item, other)), None)
        if beside:
            yield Hit(item, f"{_ROCR} and {beside.name} are both set: the devices are masked twice", _ROCR)


def _copied_from(document: Document, item: EnvSet) -> str | None:
    """The list of HIP's that ROCR's gets its value from."""
    statement = document.statement(item.where) if isinstance(document, PythonFile) else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(document, PythonFile) or value is None:
        text = set_text(document, item)
        return next((name for name in _INNER if re.search(rf"\$\{{?{name}\b", text)), None)
    values = [value]
    if isinstance(value, ast.Name):
        values = document.given(value)
    texts = [document.string(node) for value in values for node in ast.walk(value)]
    return next((name for name in _INNER if name in texts), None)


def _copies(document: Document) -> Iterator[Hit]:
    """``variables["HIP_VISIBLE_DEVICES"] = variables["CUDA_VISIBLE_DEVICES"]``"""
    hip, cuda = _INNER
    if not isinstance(document, PythonFile):
        return
    for assign in document.nodes(ast.Assign):
        target, value = assign.targets[0], assign.value
        if isinstance(target, ast.Subscript) and document.string(target.slice) == hip:
            if isinstance(value, ast.Subscript) and document.string(value.slice) == cuda:
                message = f"{hip} is a copy of {cuda}: HIP reads either, and takes its own where they come apart"
                yield Hit(assign, message, hip, severity=Severity.INFO)
