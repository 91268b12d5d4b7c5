"""Names below ``torch.cuda``: Gaudi gets their twins below ``torch.hpu``."""

from __future__ import annotations

import ast

from rewarp.fixes.place import Mend, Outcome, Place, Refused, torch_name
from rewarp.fixes.splices import around, picked
from rewarp.lang.python import PythonFile
from rewarp.tables import find_torch_cuda

_PREFIX = "torch.cuda."
_WHY = "On Gaudi torch.hpu takes the place of torch.cuda."
_NO_TWIN = "torch.hpu has no twin of {path}"
_TEXTS = frozenset({"get_device_capability", "get_device_properties"})
"""torch.hpu answers these with a text, torch.cuda with numbers."""
_WITHOUT_ARGUMENTS = frozenset({"synchronize", "is_bf16_supported"})
"""What torch.cuda takes an argument for and torch.hpu does not: each process has one card."""
_OTHER_KEYS = frozenset({"memory_stats", "memory.memory_stats"})


def is_default_type(document: PythonFile, node: ast.AST) -> bool:
    """Whether a type becomes that of all new tensors."""
    call = document.parent(node)
    return (
        isinstance(call, ast.Call) and node in call.args and document.path(call.func) == "torch.set_default_tensor_type"
    )


def twin(place: Place) -> Outcome | None:
    """``torch.cuda.x`` or a name that was imported from there."""
    node = _reference(place)
    path = place.document.path(node) if node is not None else None
    if node is None or path is None or not path.startswith(_PREFIX):
        return None
    name = path.removeprefix(_PREFIX)
    row = find_torch_cuda(name)
    if row is None or row.gaudi_twin is None:
        return Refused(_NO_TWIN.format(path=path))
    if name in _TEXTS:
        return Refused(f"torch.hpu.{name} answers with a text, and torch.cuda.{name} with numbers")
    if name in _OTHER_KEYS:
        return Refused("torch.hpu gives these figures under other names")
    if not isinstance(node.ctx, ast.Load):
        return Refused("it is assigned to, which is no matter of the device alone")
    torch = _torch(place, node)
    if torch is None:
        return Refused("the file has no name for torch itself")
    new = row.gaudi_twin.replace("torch", torch, 1)
    call = place.document.parent(node)
    if is_default_type(place.document, node):
        return Refused("no type of Gaudi's can be the default; set_default_device and set_default_dtype take its place")
    if isinstance(call, ast.Call) and call.func is node:
        given = _call(name, call, new)
        if isinstance(given, Refused):
            return given
        if given is not None:
            return Mend(picked(place, call, given), _WHY)
    module = _module(place, node)
    if module is not None and row.gaudi_twin == f"torch.hpu.{name}":
        return Mend(around(place, module, f"({torch}.hpu if {place.gate.rocm} else ", ")"), _WHY)
    return Mend(picked(place, node, new), _WHY)


def _reference(place: Place) -> ast.Attribute | ast.Name | None:
    """The name itself, also where the finding is about the call of it."""
    for node in place.nodes:
        if isinstance(node, ast.Call):
            node = node.func
        if isinstance(node, (ast.Attribute, ast.Name)):
            return node
    return None


def _call(name: str, call: ast.Call, new: str) -> str | Refused | None:
    """The call on Gaudi, where it takes other arguments; None: the same ones."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in _WITHOUT_ARGUMENTS and (call.args or keywords):
        return f"{new}()"
    if name.rpartition(".")[2] == "Event" and (len(call.args) > 1 or keywords.keys() - {"enable_timing"}):
        if len(call.args) > 1 or None in keywords or "interprocess" in keywords:
            return Refused("torch.hpu.Event knows enable_timing alone, and cannot be shared with another process")
        timing = call.args[0] if call.args else keywords.get("enable_timing")
        return f"{new}(enable_timing={ast.unparse(timing)})" if timing else f"{new}()"
    return None


def _module(place: Place, node: ast.expr) -> ast.Attribute | None:
    """``torch.cuda`` in ``torch.cuda.x.y``."""
    while isinstance(node, ast.Attribute):
        if node.attr == "cuda" and isinstance(node.value, ast.Name) and place.document.path(node.value) == "torch":
            return node
        node = node.value
    return None


def _torch(place: Place, node: ast.expr) -> str | None:
    module = _module(place, node)
    return ast.unparse(module.value) if module is not None else torch_name(place.view)


def text_argument(call: ast.Call, word: str) -> ast.Constant | None:
    """The argument of a call that is a text with this word."""
    for value in [*call.args, *(keyword.value for keyword in call.keywords)]:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if word in value.value.lower():
                return value
    return None
