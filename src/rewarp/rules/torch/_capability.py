"""Compute capability: where a file holds it, and what AMD GPUs answer to a test on it.

On ROCm ``torch.cuda.get_device_capability()`` gives the digits of the gfx name: gfx90a is
(9, 0), gfx942 is (9, 4), gfx1100 is (11, 0). Every AMD GPU therefore looks like Hopper or newer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from rewarp.lang.python import PythonFile
from rewarp.lang.python_operators import COMPARISONS, MIRRORED
from rewarp.lang.python_parameters import positional
from rewarp.project import gates
from rewarp.rules.shapes.value_flow import Flow
from rewarp.targets import ROCM, Context
from rewarp.targets.rocm import capability_of

ANCHORS = ("get_device_capability", "get_device_properties", "compute_capability", "device_capability")
_OTHER_DEVICES = frozenset({"xpu", "npu", "hpu", "mps", "musa", "mlu", "tpu", "cpu"})
_ARGUMENT = re.compile(r"(cuda_|gpu_|torch_)?(compute|device|cuda)_capability|compute_cap")
_THRESHOLD = re.compile(r"(?i)(\w+_)?(cap|caps|capability|capabilities|arch|archs|sm|cc|compute|sms)(_\w+)?")
_GPUS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")
_NEWEST = 99
"""Newer than any architecture that there is."""
_OPERATORS = {kind: found for kind, found in COMPARISONS.items() if kind not in (ast.Is, ast.IsNot)}
_KEYS = ("pair", "major", "number", "text")


class Capability(Flow):
    """Labels: ``properties``, ``pair`` (major, minor), ``major``, ``minor``, ``number`` (90 or 9.0), ``text``."""

    def source(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Call):
            path = self.document.path(node.func) or self.document.raw(node.func)
            owner, _, name = path.rpartition(".")
            if name == "get_device_capability" and owner.rpartition(".")[2] not in _OTHER_DEVICES:
                return "pair"
            if path == "torch.cuda.get_device_properties":
                return "properties"
        elif isinstance(node, ast.Name) and _ARGUMENT.fullmatch(node.id) and self._is_parameter(node):
            return "either"
        return None

    def _is_parameter(self, node: ast.Name) -> bool:
        bindings = self.document.bindings(node)
        if len(bindings) != 1 or bindings[0].path is not None or bindings[0].value is not None:
            return False
        function = self.document.scope(node)
        arguments = getattr(function, "args", None)
        if not isinstance(arguments, ast.arguments):
            return False
        return node.id in {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}

    def attribute(self, label: str, name: str) -> str | None:
        return name if name in ("major", "minor") else None

    def method(self, label: str, name: str) -> str | None:
        if name in ("to_int", "as_int"):
            return "number"
        return "text" if name in ("as_version_str", "to_str") else None

    def item(self, label: str, index: int | None) -> str | None:
        if label not in ("pair", "either"):
            return label if label in ("major", "number") else None
        return {0: "major", 1: "minor"}.get(0 if index is None else index, "minor")

    def sequence(self, labels: list[str | None]) -> str | None:
        return "pair" if labels == ["major", "minor"] else None

    def text(self, labels: list[str | None]) -> str | None:
        return "text" if any(label in ("pair", "major", "number", "text", "either") for label in labels) else None

    def arithmetic(self, node: ast.BinOp, labels: list[str | None]) -> str | None:
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)) and labels[0] == "number":
            return "major" if isinstance(node.op, ast.FloorDiv) else "minor"
        if "text" in labels:
            return "text"
        return "number" if any(label in ("major", "number") for label in labels) else "minor"

    def passed(self, function: str, label: str) -> str | None:
        if function == "str":
            return "text"
        return "number" if function in ("int", "float") and label == "text" else label


class SmTest(NamedTuple):
    """A test of the capability: the node that shows it, how it reads, and what AMD GPUs answer."""

    node: ast.AST
    reads: str
    form: str
    values: list[Any]
    operator: type[ast.cmpop] | None
    also: tuple[Any, ...] = ()
    """Tests that must hold as well: the rest of an ``and``."""

    def answers(self, context: Context) -> dict[str, bool]:
        """For each AMD GPU the target may be, the outcome; empty when it cannot be worked out."""
        answers = self._own_answers(context)
        for other in self.also:
            for gpu, answer in other.answers(context).items():
                answers[gpu] = answers.get(gpu, True) and answer
        return answers

    def _own_answers(self, context: Context) -> dict[str, bool]:
        if self.operator is None or not self.values:
            return {}
        answers: dict[str, bool] = {}
        for gpu, pair in _gpus(context).items():
            value = _seen(self.form, pair, self.values[0])
            if value is None:
                return {}
            other = self.values if self.operator in (ast.In, ast.NotIn) else self.values[0]
            try:
                answers[gpu] = _OPERATORS[self.operator][1](value, other)
            except TypeError:
                return {}
        return answers

    @property
    def highest(self) -> int:
        """The major version of the newest NVIDIA architecture the test names; 99 when unknown."""
        return max(map(sm_major, self.values), default=_NEWEST)


def _gpus(context: Context) -> dict[str, tuple[int, int]]:
    arch = context.versions.arch
    return {one: capability_of(one) for one in (_GPUS if arch is None else (arch,))}


def sm_major(value: Any) -> int:
    """The major version of an SM number, or of one in a text; of anything else, one newer than all."""
    found = re.search(r"\d+", value) if isinstance(value, str) else None
    version = sm_version(int(found[0]) if found else value)
    return version[0] if version is not None else _NEWEST


def sm_version(value: object) -> tuple[int, int] | None:
    """The major and minor version of an SM number, however it is written: (9, 0), 9, 9.0, 90 or 900."""
    if isinstance(value, tuple) and value and all(isinstance(part, (int, float)) for part in value):
        return int(value[0]), int(value[1]) if len(value) > 1 else 0
    if isinstance(value, float) and value < 20:
        return int(value), round(value * 10) % 10
    if isinstance(value, (int, float)):
        number = int(value)
        return (number, 0) if number < 20 else divmod(number, 10) if number < 500 else divmod(number // 10, 10)
    return None


def _seen(form: str, pair: tuple[int, int], like: Any) -> Any:
    """The value AMD's pair takes in this form, when it can be compared with ``like``."""
    if form in ("pair", "either") and isinstance(like, tuple):
        return pair
    if form == "minor" and isinstance(like, (int, float)):
        return pair[1]
    if form == "major" and isinstance(like, (int, float)):
        return pair[0]
    if form in ("number", "either") and isinstance(like, (int, float)):
        if like < 20:
            return pair[0] + pair[1] / 10 if isinstance(like, float) else pair[0]
        return pair[0] * 100 + pair[1] * 10 if like >= 500 else pair[0] * 10 + pair[1]
    return None


def tests(document: PythonFile) -> Iterator[SmTest]:
    """Every comparison, table look-up and match on the compute capability; of several tests in one
    condition the first."""
    flow = Capability(document)
    seen: set[ast.AST] = set()
    for compare in document.nodes(ast.Compare):
        parent = document.parent(compare)
        if isinstance(parent, ast.BoolOp) and parent in seen:
            continue
        test = _compared(flow, compare)
        if test:
            if isinstance(parent, ast.BoolOp):
                seen.add(parent)
                if isinstance(parent.op, ast.And):
                    rest = [_compared(flow, value) for value in parent.values if isinstance(value, ast.Compare)]
                    test = test._replace(also=tuple(other for other in rest if other and other.node is not test.node))
            yield test
    for node in document.nodes(ast.Subscript):
        label = flow.label(node.slice)
        if label in _KEYS and isinstance(node.ctx, ast.Load):
            yield from _looked_up(flow, node, node.value, label)
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get" and call.args:
            label = flow.label(call.args[0])
            if label in _KEYS:
                yield from _looked_up(flow, call, call.func.value, label)
    for match in document.nodes(ast.Match):
        if flow.label(match.subject) in ("pair", "major", "number"):
            yield SmTest(match.subject, "a match statement", flow.label(match.subject) or "", [], None)


def _looked_up(flow: Flow, node: ast.expr, container: ast.expr, label: str | None) -> Iterator[SmTest]:
    table = _table(flow, container)
    if table:
        yield SmTest(node, f"a table of {_listed(table)}", label or "", table, ast.In)
    elif _imported_table(flow, container):
        yield SmTest(node, f"the table {flow.document.raw(container)}", label or "", [], None)


def _compared(flow: Flow, compare: ast.Compare) -> SmTest | None:
    operands = [compare.left, *compare.comparators]
    for left, op, right in zip(operands, compare.ops, operands[1:]):
        kind = type(op)
        if kind not in _OPERATORS:
            continue
        form, other = flow.label(left), right
        if form is None and kind not in (ast.In, ast.NotIn):
            form, other, kind = flow.label(right), left, MIRRORED.get(kind, kind)
        if form in (None, "properties") or flow.label(other) not in (None, "either"):
            continue
        values = _table(flow, other) if kind in (ast.In, ast.NotIn) else _literal(flow, other)
        if form == "text":
            values = [value for value in values if isinstance(value, str) and re.search(r"\d", value)]
        elif form != "either":
            values = [value for value in values if not isinstance(value, str)]
        if form == "minor" and len(compare.comparators) == 1 and not _beside_major(flow, compare):
            continue
        if values:
            shown = _listed(values)
        elif named := _threshold(flow, other, kind):
            shown = named
        elif _asked_by_callers(flow, other):
            shown = "what its callers ask for"
        else:
            continue
        return SmTest(
            compare, f"{_OPERATORS[kind][0]} {shown}", form or "", values, kind if len(operands) == 2 else None
        )
    return None


def _asked_by_callers(flow: Flow, node: ast.expr) -> bool:
    """Whether a threshold is made of the parameters of the function around it: ``>= (major, minor)``."""
    function = flow.document.scope(node)
    if not isinstance(node, (ast.Tuple, ast.List)) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    parameters = {argument.arg for argument in positional(function.args)}
    return bool(node.elts) and all(isinstance(part, ast.Name) and part.id in parameters for part in node.elts)


def _beside_major(flow: Flow, compare: ast.Compare) -> bool:
    """Whether the statement tests the major number as well: then that test is the one to show."""
    condition = flow.document.parent(compare)
    if not isinstance(condition, ast.BoolOp):
        return False
    return any(flow.label(node) == "major" for node in ast.walk(condition) if isinstance(node, ast.expr))


def _literal(flow: Flow, node: ast.expr) -> list[Any]:
    """The SM constant an expression is, as a list of one; empty when it is none."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, (int, float, str)) and not isinstance(node.value, bool) else []
    if isinstance(node, (ast.Tuple, ast.List)):
        numbers = [flow.document.number(item) for item in node.elts]
        return [tuple(numbers)] if numbers and None not in numbers else []
    if isinstance(node, ast.Call) and "apability" in flow.document.raw(node.func):
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        numbers = [flow.document.number(item) for item in arguments]
        return [tuple(numbers)] if len(numbers) == 2 and None not in numbers else []
    if isinstance(node, ast.Name):
        value = flow.document.value_of(node)
        return _literal(flow, value) if isinstance(value, (ast.Constant, ast.Tuple)) else []
    return []


def _table(flow: Flow, node: ast.expr) -> list[Any]:
    """The SM constants that are the members of a collection or the keys of a table."""
    node = flow.document.value_of(node)
    if isinstance(node, ast.Call) and flow.document.raw(node.func) in ("set", "frozenset", "dict", "range"):
        node = flow.document.value_of(node.args[0]) if len(node.args) == 1 else node
    members: list[ast.expr | None] = []
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        members = list(node.elts)
    elif isinstance(node, ast.Dict):
        members = list(node.keys)
    return [value for member in members if member is not None for value in _literal(flow, member)]


def _threshold(flow: Flow, node: ast.expr, kind: type[ast.cmpop]) -> str:
    """The name of a threshold or table that comes from elsewhere: ``min_capability``, ``SUPPORTED_ARCHS``."""
    if isinstance(node, ast.Call):
        node = node.func
    name = flow.document.raw(node).rpartition(".")[2]
    if kind in (ast.In, ast.NotIn):
        return name if _imported_table(flow, node) else ""
    if not _THRESHOLD.fullmatch(name) or (kind in (ast.Eq, ast.NotEq) and "_" not in name):
        if name != "sm" or not isinstance(node, ast.Attribute):  # `limit.sm == capability`, in a table of records
            return ""
    return name


def _imported_table(flow: Flow, node: ast.expr) -> bool:
    if not isinstance(node, ast.Name) or not re.fullmatch(r"_?[A-Z][A-Z0-9_]{3,}", node.id):
        return False
    return any(binding.path for binding in flow.document.bindings(node))


def _listed(values: list[Any]) -> str:
    shown = [f"({', '.join(f'{n:g}' for n in v)})" if isinstance(v, tuple) else repr(v) for v in values]
    return ", ".join(shown[:4]) + (", ..." if len(shown) > 4 else "")


_NVIDIA = replace(ROCM, name="nvidia", true_names=gates.NVIDIA.true_names, false_names=gates.NVIDIA.false_names)


def asks_cuda(document: PythonFile, test: SmTest) -> bool:
    """Whether the test itself calls torch.cuda, which raises without CUDA; it may also have the answer from elsewhere."""
    calls = (node for node in ast.walk(test.node) if isinstance(node, ast.Call))
    return any((document.path(call.func) or "").startswith("torch.cuda.get_device_") for call in calls)


def for_amd(document: PythonFile, node: ast.AST) -> bool:
    """Whether code runs on AMD only: then its author had AMD's numbers in mind."""
    return document.unreachable(node, _NVIDIA)


_BF16 = re.compile(r"(?i)bf16|bfloat16")


def about_bf16(document: PythonFile, test: SmTest) -> bool:
    """Whether an Ampere test decides about bfloat16 and nothing else is in sight."""
    if not test.values or test.highest != 8:
        return False
    function = document.enclosing(test.node, ast.FunctionDef)
    if function is not None and _BF16.search(function.name) and not function.name.startswith("test"):
        return True
    statement = document.statement(test.node)
    nodes: list[ast.AST] = []
    if isinstance(statement, (ast.If, ast.While)):
        nodes = [statement.test]
        if len(statement.body) <= 2 and len(statement.orelse) <= 2:
            nodes += [*statement.body, *statement.orelse]
    elif isinstance(statement, (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr, ast.Assert)):
        nodes = [statement]
    return any(_names_bf16(inner) for node in nodes for inner in ast.walk(node))


def _names_bf16(node: ast.AST) -> bool:
    text = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
    return isinstance(text, str) and len(text) < 60 and bool(_BF16.search(text))
