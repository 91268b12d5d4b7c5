"""PY-OK-002: the device string "cuda"."""

import ast
import re
from collections.abc import Iterator

from rewarp.findings import Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults
from rewarp.registry import Hit, Impact, rule
from rewarp.targets import Context

_NAME = re.compile(r"(?i)(\w+_)?(device|dev)(_(type|name|str))?")
_DEVICE = re.compile(r"cuda(:(\d+|\{\}))?")


@rule(
    id="PY-OK-002",
    title='The device is called "cuda"',
    kinds=PYTHON_KINDS,
    anchors=["cuda"],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.WORKS,
        why='"cuda" is the name of an AMD GPU too in PyTorch for ROCm; "hip" and "rocm" are not device names.',
    ),
    example='model.to("cuda")',
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for "cuda" or "cuda:N" in .to(...), torch.device(...) the device= of torch's own functions and what is
    called device, and for .cuda()."""
    for call in document.nodes(ast.Call):
        value = _device(document, call)
        text = document.string(value) if value is not None else None
        if text and _DEVICE.fullmatch(text):
            yield Hit(value, f'"{text}" names an AMD GPU on ROCm', text.partition(":")[0])
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "cuda" and not document.path(call.func):
            yield Hit(call, ".cuda() moves to an AMD GPU on ROCm", ".cuda()")
    if any(document.imports_of("torch")):
        for name, value in _named(document):
            text = document.string(value)
            if text and _NAME.fullmatch(name) and _DEVICE.fullmatch(text):
                yield Hit(value, f'"{text}" names an AMD GPU on ROCm', text.partition(":")[0])


def _named(document: PythonFile) -> Iterator[tuple[str, ast.expr]]:
    """The names that a file gives to values, and the defaults of parameters."""
    for assignment in document.nodes(ast.Assign):
        for target in assignment.targets:
            yield getattr(target, "id", getattr(target, "attr", "")), assignment.value
    for annotated in document.nodes(ast.AnnAssign):
        if annotated.value is not None:
            yield getattr(annotated.target, "id", getattr(annotated.target, "attr", "")), annotated.value
    for arguments in document.nodes(ast.arguments):
        yield from ((argument.arg, value) for argument, value in defaults(arguments))


def _device(document: PythonFile, call: ast.Call) -> ast.expr | None:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        return document.argument(call, 0, "device")
    path = document.path(call.func) or ""
    if path == "torch.device":
        return document.argument(call, 0, "type") or document.argument(call, 0, "device")
    if path == "torch.set_default_device":
        return document.argument(call, 0, "device")
    if path.startswith("torch."):
        return document.argument(call, None, "device")
    return None
