"""Mixed precision, pinned memory, process groups, NVIDIA's libraries and the steps of lazy mode."""

from __future__ import annotations

import ast
import re

from rewarp.edits import Edit
from rewarp.port.gaudi.spelling import torch_name
from rewarp.port.python.imports import gated, no_annotations, nothing
from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import after, followed_by, picked, stands_on_own_lines
from rewarp.source import Span

_AUTOCAST = ("enabled", "dtype", "cache_enabled")
_SCALER = "it switches itself off on Gaudi, which bfloat16 wants; float16 needs torch.amp.GradScaler for hpu"
_OWN_LINES = "it shares its lines with other code"
_HCCL = "import habana_frameworks.torch.distributed.hccl"
_CORE = "import habana_frameworks.torch.core as htcore"


def autocast(place: Place) -> Outcome | None:
    """``torch.autocast("cuda")``, ``torch.cuda.amp.autocast()``, ``torch.cuda.amp.custom_fwd``."""
    why = "On Gaudi mixed precision is asked for by the device hpu."
    call = place.node(ast.Call)
    if call is not None:
        device = _string(call, "cuda")
        if (place.document.path(call.func) or "").endswith("GradScaler"):
            return Refused(_SCALER)
        return Mend(picked(place, device, '"hpu"'), why) if device is not None else None
    node = place.node(ast.expr)
    torch = torch_name(place.view)
    name = (place.finding.symbol or "").rpartition(".")[2]
    if node is None or torch is None:
        return None
    if name == "GradScaler":
        return Refused(_SCALER)
    used = place.document.parent(node)
    called = used if isinstance(used, ast.Call) and used.func is node else None
    if name == "autocast" and called is not None:
        if any(isinstance(argument, ast.Starred) for argument in called.args):
            return Refused("its arguments are not spelled out")
        given = [f"{key}={place.view.text(value)}" for key, value in zip(_AUTOCAST, called.args)]
        given += [place.view.text(keyword) for keyword in called.keywords]
        listed = ", ".join(['"hpu"', *given])
        return Mend(picked(place, called, f"{torch}.autocast({listed})"), why)
    if name in ("custom_fwd", "custom_bwd"):
        given = [place.view.text(keyword) for keyword in called.keywords] if called is not None else []
        listed = ", ".join([*given, 'device_type="hpu"'])
        new = f"{torch}.amp.{name}({listed})"
        return Mend(picked(place, called or node, new), why) if not (called and called.args) else None
    return Refused("it is handed on, and who calls it is not known here")


def pinned(place: Place) -> Outcome | None:
    """``x.pin_memory()``, and loaders with ``pin_memory=True``: memory is pinned for a named device."""
    why = "Host memory is pinned for Gaudi there."
    call = place.node(ast.Call)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "pin_memory":
        return Mend(picked(place, call, f'{place.view.text(call.func)}("hpu")'), why)
    keyword = place.node(ast.keyword)
    loader = place.document.parent(keyword) if keyword is not None else None
    if keyword is None or not isinstance(loader, ast.Call):
        return Refused("Gaudi has no such handle")
    if (place.document.path(loader.func) or "").startswith("torch.utils.data"):
        if any(other.arg is None and "pin_memory_device" in place.view.text(other) for other in loader.keywords):
            return None
        device = f', **({{"pin_memory_device": "hpu"}} if {place.gate.rocm} else {{}})'
        return Mend(after(place, keyword, device), why)
    return Mend(picked(place, keyword.value, "False"), "A tensor is pinned when it is made on NVIDIA alone.")


def process_group(place: Place) -> Outcome | None:
    """``init_process_group("nccl")``: hccl, which an import registers."""
    call = place.node(ast.Call)
    given = place.node(ast.Constant) if call is None else _string(call, "nccl")
    statement = next((s for n in place.nodes if (s := place.document.statement(n)) is not None), None)
    if given is None or statement is None or not isinstance(given.value, str):
        return None
    if not stands_on_own_lines(place, statement) or not isinstance(statement, (ast.Expr, ast.Assign)):
        return Refused(_OWN_LINES)
    view = place.view
    new = given.value.lower().replace("cuda:", "hpu:").replace("nccl", "hccl")
    indent, newline = view.indent(statement), view.newline
    start = view.line_start(statement)
    lines = f"{indent}if {place.gate.rocm}:{newline}{indent}{view.unit}{_HCCL}{newline}"
    first = "new_group" not in view.text(statement)  # the import that came before serves all further groups
    registered = (Edit(Span(start, start), view.encode(lines)),) if first else ()
    why = "On Gaudi process groups talk through HCCL."
    return Mend((*registered, *picked(place, given, f'"{new}"')), why)


def _string(call: ast.Call, word: str) -> ast.Constant | None:
    """The argument of a call that is a text with this word."""
    for value in [*call.args, *(keyword.value for keyword in call.keywords)]:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if word in value.value.lower():
                return value
    return None


def step(place: Place) -> Outcome | None:
    """``loss.backward()`` and ``optimizer.step()``: in lazy mode what was collected runs at ``mark_step()``."""
    call = place.node(ast.Call)
    if call is None:
        return None
    scope = place.document.scope(call)
    edits: list[Edit] = []
    for other in place.document.nodes(ast.Call):
        statement = place.document.statement(other)
        if place.document.scope(other) is not scope or not isinstance(statement, ast.Expr):
            continue
        if other is call or (_steps(other) and statement.value is other):
            lines = followed_by(place, statement, [_CORE, "htcore.mark_step()"])
            if lines is None:
                return Refused(_OWN_LINES)
            edits += lines
    return Mend(tuple(edits), "In Gaudi's lazy mode a training step ends with mark_step().") if edits else None


def _steps(call: ast.Call) -> bool:
    """``optimizer.step``, ``self.opt.step``, or the scaler's that calls it."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return False
    last = ast.unparse(call.func.value).rpartition(".")[2]
    return re.fullmatch(r"(?i)\w*optim\w*|opt\d?|\w*scaler", last) is not None


_NVIDIAS = gated(nothing, "The library is NVIDIA's: Gaudi no longer imports it.")

MENDERS: dict[str, Mender] = {
    **dict.fromkeys(("LIB-001", "LIB-003", "LIB-004", "LIB-006", "LIB-007", "LIB-010", "PY-LIB-001"), _NVIDIAS),
    "HPU-006": step,
    "HPU-007": pinned,
    "HPU-008": autocast,
    "PY-RT-006": gated(no_annotations, "NVTX ranges are for NVIDIA's tools; on Gaudi they do nothing."),
    "PY-RT-013": process_group,
}
