"""PY-DET-007: ``"hip"`` or ``"rocm"`` as a torch device."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch_runtime import choices
from rewarp.source import Span
from rewarp.targets import Context

_DEVICE = re.compile(r"(hip|rocm)(:.*)?")
_METHODS = frozenset({"to", "cuda", "type", "to_empty"})
_FIRST = (
    "torch.device",
    "torch.autocast",
    "torch.set_default_device",
    "torch.amp.autocast",
    "torch.amp.GradScaler",
    "torch.cuda.set_device",
    "torch.cuda.device",
)


def _rename(document: PythonFile, hit: Hit, context: Context) -> Iterator[Edit]:
    """The name of the device inside a literal; a name defined elsewhere is left to a person."""
    if isinstance(hit.where, (ast.Constant, ast.JoinedStr)):
        start, end = document.span(hit.where)
        at = document.source.view.find(hit.symbol.encode(), start, end)
        if at != -1:
            span = document.source.original(Span(at, at + len(hit.symbol)))
            yield Edit(span, context.target.device.encode(), Safety.SAFE)
    elif isinstance(hit.where, ast.Attribute) and hit.symbol.startswith("torch.hip"):
        start, end = document.span(hit.where)
        at = document.source.view.find(b".hip", start, end) + 1
        span = document.source.original(Span(at, at + len("hip")))
        yield Edit(span, context.target.device.encode(), Safety.SAFE)


def _cuda(value: object) -> object | None:
    found = re.fullmatch(r"(?:hip|rocm)(:\d+)?", value) if isinstance(value, str) else None
    return f"cuda{found[1] or ''}" if found else None


@rule(
    id="PY-DET-007",
    title='"hip" or "rocm" is used as a device',
    kinds=PYTHON_KINDS,
    anchors=[
        *(f"{name} torch ~{quote}{name}" for name in ("hip", "rocm") for quote in "'\""),
        "hip torch ~torch.hip",
    ],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why='PyTorch for ROCm keeps the device name "cuda"; "hip" and "rocm" are refused.',
        fix='Write "cuda".',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why='The device of Gaudi is called "hpu".',
        fix='Write "hpu".',
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='device = torch.device("hip:0")',
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
    edit=_rename,
    fix=PythonFix(literal(_cuda, "PyTorch calls an AMD GPU cuda as well.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for "hip" and "rocm", with or without an index, as the device of a torch function or of .to(), and for the module
    torch.hip, which there is not."""
    if not any(True for _ in document.imports_of("torch")):
        return
    for path, node in document.refs("torch.hip.*"):
        asked = any(
            isinstance(a, (ast.If, ast.IfExp, ast.BoolOp)) and _asks_for_it(document, a)
            for a in document.ancestors(node)
        )
        if "(" not in path and not asked and not document.caught(node, "AttributeError"):
            instead = path.replace("torch.hip", "torch.cuda" if context.target.name == "rocm" else "torch.hpu")
            yield Hit(node, f"torch has no {path}: what is meant is {instead}", path, fix=f"Write {instead}.")
    for call in document.nodes(ast.Call):
        path = document.path(call.func) or ""
        inside = path.startswith("torch.")
        method = isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
        if not inside and not method:
            continue
        places = [
            keyword.value for keyword in call.keywords if keyword.arg in ("device", "device_type", "map_location")
        ]
        if call.args and (path in _FIRST or method):
            places.append(call.args[0])
        for place in (leaf for given in places for leaf in choices(document, given)):
            text = document.string(place)
            if text and _DEVICE.fullmatch(text):
                yield Hit(place, f"{text!r} is no device of PyTorch", text.partition(":")[0])


def _asks_for_it(document: PythonFile, node: ast.AST) -> bool:
    """``hasattr(torch, "hip")``"""
    return any(
        isinstance(call, ast.Call) and document.raw(call.func) == "hasattr" and document.string(call.args[-1]) == "hip"
        for call in ast.walk(getattr(node, "test", node))
        if isinstance(call, ast.Call) and call.args
    )
