"""Libraries that are NVIDIA's: the import stays for NVIDIA, and ROCm gets a replacement, a probe, or nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple, Union

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.lang.python_tree import FunctionNode
from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import guarded
from rewarp.rules.libraries._shapes import asked_for
from rewarp.runtime import members, public_names
from rewarp.targets import Target

Import = Union[ast.Import, ast.ImportFrom]
Arm = Callable[[Place, Import], Union[list[str], Refused]]
"""From an import to the lines that stand for it on ROCm."""
_OWN_LINES = "the import shares its lines with other code"
_AT_IMPORT = (
    "{name} is used as soon as the module is imported (line {line}): what ROCm shall do there is not in the code"
)
_FLASH = ("flash_attn", "flash_attn.flash_attn_interface")
_NVTX_CALLS = frozenset({"push_range", "pop_range", "start_range", "end_range", "mark"})


def gated(arm: Arm, why: str) -> Mender:
    """A mender that keeps an import for NVIDIA and gives ROCm what ``arm`` says."""

    def mend(place: Place) -> Outcome | None:
        statement = next((node for node in place.nodes if isinstance(node, (ast.Import, ast.ImportFrom))), None)
        if statement is None:
            return None
        if len({alias.name.partition(".")[0] for alias in statement.names}) > 1 and isinstance(statement, ast.Import):
            return Refused("one statement imports several packages")
        if place.finding.severity is Severity.INFO and _may_fail(place, statement):
            return None
        lines = arm(place, statement)
        if isinstance(lines, Refused):
            return lines
        edits = guarded(place, statement, lines)
        if edits is None:
            return Refused(_OWN_LINES)
        return Mend(edits, why)

    return mend


def _may_fail(place: Place, statement: Import) -> bool:
    """Whether the code is ready for the package to be missing, or imports it only once it is needed."""
    found = [item for item in place.document.imports if item.node is statement]
    return any(item.optional or item.deferred or asked_for(place.document, item) for item in found)


def _bound(statement: Import) -> list[str]:
    return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]


def _uses(place: Place, statement: Import) -> Iterator[ast.Name]:
    names = set(_bound(statement))
    for node in place.document.nodes(ast.Name):
        if node.id in names and isinstance(node.ctx, ast.Load):
            yield node


def _too_early(place: Place, statement: Import) -> Refused | None:
    """Why it is no use to leave the names out: something that runs at the same time uses them."""
    if any(alias.name == "*" for alias in statement.names):
        return Refused("what a star import brings is not known")
    if isinstance(place.document.scope(statement), FunctionNode):
        return Refused("it is imported where it is used: what ROCm shall do there is not in the code")
    for use in _uses(place, statement):
        if not isinstance(place.document.scope(use), FunctionNode) and not _is_lazy_annotation(place, use):
            return Refused(_AT_IMPORT.format(name=use.id, line=use.lineno))
    return None


def _is_lazy_annotation(place: Place, use: ast.Name) -> bool:
    body = place.document.tree.body
    lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in body)
    child: ast.AST = use
    for ancestor in place.document.ancestors(use):
        if isinstance(ancestor, (ast.arg, ast.AnnAssign)) and ancestor.annotation is child:
            return lazy
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef)) and ancestor.returns is child:
            return lazy
        child = ancestor
    return False


# --- what stands for the import on ROCm -------------------------------------------------------


def nothing(place: Place, statement: Import) -> list[str] | Refused:
    """The names are None: what uses them is NVIDIA's."""
    return _too_early(place, statement) or [f"{name} = None" for name in dict.fromkeys(_bound(statement))]


def where_installed(place: Place, statement: Import) -> list[str] | Refused:
    """There is a build for ROCm, which not everybody has."""
    early = _too_early(place, statement)
    if early:
        return early
    unit, text = place.view.unit, ast.unparse(statement)
    absent = [f"{unit}{name} = None" for name in dict.fromkeys(_bound(statement))]
    return ["try:", f"{unit}{text}", "except ImportError:", *absent]


def attention(place: Place, statement: Import) -> list[str] | Refused:
    """The helper's functions have the same names and arguments, and take the best attention that is there."""
    module = statement.module if isinstance(statement, ast.ImportFrom) and not statement.level else None
    names = [alias.name for alias in statement.names]
    if module not in _FLASH or not set(public_names()).issuperset(names):
        return Refused("flash-attn has to be built for ROCm; the helper has no twin of all that is imported here")
    if place.helper is None:
        return Refused("no place in the project serves all files that need the helper")
    listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
    return [f"from {place.helper} import {listed}"]


def amd_sensors(place: Place, statement: Import) -> list[str] | Refused:
    """The helper has what monitoring code asks of pynvml, with amdsmi behind it; where more is asked, ROCm gets nothing."""
    whole = isinstance(statement, ast.Import) and [alias.name for alias in statement.names] == ["pynvml"]
    parts = isinstance(statement, ast.ImportFrom) and statement.module == "pynvml" and not statement.level
    if place.helper is None or not (whole or parts):
        return nothing(place, statement)
    bound = _bound(statement)[0]
    used = _attributes_of(place, bound) if whole else {alias.name for alias in statement.names}
    if used is None or not members("nvml").issuperset(used):
        return nothing(place, statement)
    if whole:
        return [f"from {place.helper} import nvml" + (f" as {bound}" if bound != "nvml" else "")]
    listed = [f"{alias.asname or alias.name} = nvml.{alias.name}" for alias in statement.names]
    return [f"from {place.helper} import nvml", "", *listed]


def _attributes_of(place: Place, name: str) -> set[str] | None:
    """What is asked of a module by this name; None where the module itself goes elsewhere."""
    uses = [node for node in place.document.nodes(ast.Name) if node.id == name]
    asked = [node for node in place.document.nodes(ast.Attribute) if node.value in uses]
    return {node.attr for node in asked} if len(asked) == len(uses) else None


def libdevice(place: Place, statement: Import) -> list[str] | Refused:
    """Triton's own libdevice is the right one on every platform."""
    module = statement.module or "" if isinstance(statement, ast.ImportFrom) else ""
    base = "triton.language.extra"
    listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
    if module == f"{base}.cuda" and all(alias.name == "libdevice" for alias in statement.names):
        return [f"from {base} import {listed}"]
    if module == f"{base}.cuda.libdevice":
        return [f"from {base}.libdevice import {listed}"]
    return Refused("it has no twin on AMD: compile it only on NVIDIA")


def no_annotations(place: Place, statement: Import) -> list[str] | Refused:
    """Ranges for NVIDIA's tools, which nobody records on ROCm."""
    unit = place.view.unit
    imported = isinstance(statement, ast.ImportFrom) and [alias.name for alias in statement.names] == ["annotate"]
    attributes = {
        node.attr
        for node in place.document.nodes(ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id in _bound(statement)
    }
    if imported:
        name = _bound(statement)[0]
        return [
            "import contextlib",
            "",
            f"class {name}(contextlib.ContextDecorator):",
            f'{unit}"""Stands for the range of NVIDIA\'s tools: it does nothing."""',
            "",
            f"{unit}def __init__(self, *args, **kwargs):",
            f"{unit}{unit}pass",
            "",
            f"{unit}def __enter__(self):",
            f"{unit}{unit}return self",
            "",
            f"{unit}def __exit__(self, *error):",
            f"{unit}{unit}return False",
        ]
    if isinstance(statement, ast.Import) and attributes and attributes <= _NVTX_CALLS:
        name = _bound(statement)[0]
        listed = ", ".join(f"{call}=lambda *args, **kwargs: None" for call in sorted(attributes))
        return ["import types", "", f"{name} = types.SimpleNamespace({listed})"]
    return Refused("what the package offers beyond plain ranges has no stand-in")


# --- what is left to a person --------------------------------------------------------------


class Absent(NamedTuple):
    """Names of a library that may be None on ROCm, and the lines of functions that use them all the same."""

    statement: ast.If
    names: list[str]
    lines: list[int]


def absent(document: PythonFile, target: Target) -> Iterator[Absent]:
    """The imports that ROCm does without, by the shape that the menders here give them."""
    for node in document.nodes(ast.If):
        imported = [one for one in node.body if isinstance(one, (ast.Import, ast.ImportFrom))]
        missing = _set_to_none(node.orelse)
        if len(imported) != len(node.body) or not missing or not document.unreachable(imported[0], target):
            continue
        if missing == [name for one in imported for name in dict.fromkeys(_bound(one))]:
            uses = [name for name in document.nodes(ast.Name) if name.id in missing and isinstance(name.ctx, ast.Load)]
            lines = sorted({use.lineno for use in uses if not document.unreachable(use, target)})
            if lines:
                yield Absent(node, missing, lines)


def _set_to_none(body: list[ast.stmt]) -> list[str]:
    if len(body) == 1 and isinstance(body[0], ast.Try) and len(body[0].handlers) == 1:
        body = body[0].handlers[0].body
    names: list[str] = []
    for statement in body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or ast.unparse(statement) != f"{target.id} = None":
            return []
        names.append(target.id)
    return names


NEEDS_HELPER = frozenset({"LIB-001", "PY-LIB-001"})
EVEN_IF_MILD = frozenset({"LIB-001"})
"""flash-attn can be built for ROCm, so its import only informs; who has not built it gets the helper's attention."""

_NVIDIAS = gated(nothing, "The library is NVIDIA's: ROCm no longer imports it.")
_FORKED = gated(where_installed, "On ROCm the library is used where a build of it is installed.")

MENDERS: dict[str, Mender] = {
    "LIB-001": gated(attention, "On ROCm attention goes to AMD's library, then to PyTorch's own."),
    "LIB-002": _NVIDIAS,
    "LIB-003": _FORKED,
    "LIB-004": _FORKED,
    "LIB-006": _FORKED,
    "LIB-007": _FORKED,
    "LIB-008": _NVIDIAS,
    "LIB-009": _NVIDIAS,
    "LIB-010": _FORKED,
    "LIB-011": _NVIDIAS,
    "LIB-013": _NVIDIAS,
    "LIB-015": _NVIDIAS,
    "PY-LIB-001": gated(amd_sensors, "NVML is NVIDIA's: ROCm asks amdsmi, or no longer imports it."),
    "PY-RT-006": gated(no_annotations, "NVTX ranges are for NVIDIA's tools; on ROCm they do nothing."),
    "TRI-008": gated(libdevice, "Triton's own libdevice is right on every platform."),
}
