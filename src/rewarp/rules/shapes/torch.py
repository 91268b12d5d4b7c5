"""Shapes that several PyTorch rules share: conditions, branches, and the names of GPUs."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from functools import lru_cache

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.rules.shapes.value_flow import Flow, strings

NVIDIA_MODEL = re.compile(
    r"(?i)((nvidia|geforce|tesla|quadro)[ _-]?)*"
    r"(v100s?|p100|p40|k80|t4g?|a2|a10g?|a16|a30|a40|a100x?|a800|a[2-6]000|h20|h100|h200|h800|gh200|b100|b200|b300|gb[23]00"
    r"|l4|l20|l40s?|(rtx|gtx|titan|quadro)[ _-]?\w[\w ]*)"
    r"([ _-]+(sxm\d?|pcie|nvl|nvlink|hbm\w*|ada|\d+ ?gb?|dgx|hgx|super|ti|laptop|gpu|\w*gb))*"
)
"""The full name of an NVIDIA GPU model."""
_LONGEST_MODEL = 100
NVIDIA_NAME = re.compile(
    r"(?i)\b(nvidia|geforce|tesla|quadro|titan|rtx|gtx)|(?<![A-Za-z0-9])"
    r"(v100|p100|t4|a10g?|a30|a40|a100|a800|h20|h100|h200|h800|gh200|b100|b200|b300|gb[23]00|l4|l40s?)(?![0-9])"
)
"""A piece of text that only an NVIDIA device name holds."""
AMD_NAME = re.compile(r"(?i)\b(amd|radeon|instinct|mi\d{2,3}[ax]?|gfx\d\w*|rx ?[567]\d{3})(?![a-z])")
ROCM_WORD = re.compile(r"(?i)rocm|(?<![a-z])hip(?![a-z])|(?<![a-z])amd(?![a-z])|gfx\d|gcnArch")
GAUDI_NAME = re.compile(r"(?i)gaudi|habana|\bhpu")
_NVIDIA_CODE = re.compile(r"(?i)(?!_*(is|has|check|supports?)_)\w*(nvidia|nvml)\w*")


_PLATFORM_NAME = ".current_platform.get_device_name()"


class DeviceName(Flow):
    """Labels the device name, ``torch.cuda.get_device_name()`` or the name of its properties."""

    def source(self, node: ast.expr) -> str | None:
        if not isinstance(node, (ast.Call, ast.Attribute)):
            return None
        path = self.document.path(node) or ""
        if path in ("torch.cuda.get_device_name()", "torch.cuda.get_device_properties().name"):
            return "name"
        # a project's own way to torch.cuda: `current_platform.get_device_name()`, `get_torch_device().get_device_name()`
        return "name" if path.endswith((").get_device_name()", _PLATFORM_NAME)) else None

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


def refusal(document: PythonFile, block: list[ast.AST]) -> str | None:
    """How a block gives up: ``stop`` (raises or exits), ``skip`` (a test), ``no`` (returns False); or None."""
    last = block[-1] if block else None
    if isinstance(last, ast.Raise):
        return "skip" if "Skip" in document.raw(getattr(last.exc, "func", last.exc)) else "stop"
    if isinstance(last, ast.Assert):
        return "stop" if isinstance(last.test, ast.Constant) and not last.test.value else None
    if isinstance(last, ast.Return):
        return "no" if isinstance(last.value, ast.Constant) and last.value.value is False else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        name = document.raw(last.value.func).rpartition(".")[2]
        if name in ("skip", "skipTest"):
            return "skip"
        return "stop" if name in ("exit", "fail", "_exit", "quit") else None
    return None


def decides_a_skip(document: PythonFile, node: ast.AST) -> bool:
    """Whether a condition decides only if a test is run: in a skip mark, or before a skip."""
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.Call):
            if document.raw(ancestor.func).rpartition(".")[2].lower() in ("skipif", "skip_if", "skipunless"):
                return True
        elif isinstance(ancestor, ast.stmt):
            return isinstance(ancestor, ast.If) and refusal(document, list(ancestor.body)) == "skip"
    return False


# --- conditions on what is NVIDIA's ---------------------------------------------------

_NVIDIA_PACKAGES = frozenset(
    "pynvml nvidia_smi py3nvml nvitop pycuda cuda cupy tensorrt torch_tensorrt nvidia cudf cuml rmm nvtx transformer_engine"
    " flashinfer cutlass deep_gemm".split()
)
_NVIDIA_TOOLS = frozenset({"nvidia-smi", "nvcc", "nsys", "ncu", "cuobjdump", "nvidia-settings"})
_NVIDIA_LIBRARY = re.compile(
    r"(?i)(.*[/\\])?(lib)?(cuda|cudart|nvrtc|nvidia-ml|cublas|cublaslt|cudnn|nvml)[\w.-]*\.?(so|dll)[.\d]*"
)
_VENDOR = re.compile(r"(?i)nvidia([ _-]?(gpu|cuda))?|cuda[ _-]build")
_Found = tuple[ast.AST, str, Severity | None]


def nvidia_only(document: PythonFile, block: list[ast.AST], otherwise: list[ast.AST]) -> Iterator[_Found]:
    """What in a block only an NVIDIA machine can do: the place, what it does, and how bad it is elsewhere.
    ``otherwise`` is the block that runs in place of it."""
    inside = {node for statement in block for node in ast.walk(statement)}
    instead = {node for statement in otherwise for node in ast.walk(statement)}
    plain = {item.module for item in document.imports if item.node in instead}
    for item in document.imports:
        if item.node in inside and not item.optional and re.sub(r"_cuda\b", "", item.module) in plain - {item.module}:
            yield item.node, f"imports {item.full}, the build for CUDA of what is imported otherwise", None
    for item in document.imports:
        if item.node in inside and not item.optional and item.module.partition(".")[0] in _NVIDIA_PACKAGES:
            yield item.node, f"imports {item.full}", None
    for command in document.commands:
        if command.where in inside and command.name in _NVIDIA_TOOLS:
            yield command.where, f"runs {command.name}", None
    for _, call in document.calls("ctypes.CDLL", "ctypes.cdll.LoadLibrary", "ctypes.PyDLL"):
        text = document.string(call.args[0]) if call in inside and call.args else None
        if text and _NVIDIA_LIBRARY.fullmatch(text):
            yield call, f"loads {text}", None
    for node in inside:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _VENDOR.fullmatch(node.value):
            parent = document.parent(node)
            kept = isinstance(parent, (ast.Assign, ast.AnnAssign, ast.Return)) or node in block
            if kept:
                yield node, f"records {node.value!r}", Severity.WRONG


def words(*nodes: ast.AST | None) -> Iterator[str]:
    """The identifiers and short strings below some nodes."""
    for root in nodes:
        for node in ast.walk(root) if root is not None else ():
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
                yield node.value


def mentions(document: PythonFile, node: ast.AST, pattern: re.Pattern[str]) -> bool:
    """Whether the function around a node, or the file if there is none, has a name or string like this."""
    return any(pattern.search(word) for word in _words_of(document.scope(node)))


@lru_cache(maxsize=64)
def _words_of(scope: ast.AST) -> frozenset[str]:
    # Every finding of a file asks about the same few scopes.
    return frozenset(words(scope))


# --- text and GPU names ---------------------------------------------------------------


def text_tests(flow: Flow, methods: Container[str]) -> Iterator[tuple[ast.expr, str, ast.expr]]:
    """Tests of a text for another: the node, the text looked for, and where it is looked for."""
    document = flow.document
    for compare in document.nodes(ast.Compare):
        left, op, right = compare.left, compare.ops[0], compare.comparators[0]
        if isinstance(op, (ast.In, ast.NotIn)):
            yield from ((compare, text, right) for text in strings(flow, left))
        if isinstance(op, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            yield from ((compare, text, left) for text in strings(flow, right))
        if isinstance(op, (ast.Eq, ast.NotEq)):
            yield from ((compare, text, right) for text in strings(flow, left))
    for call in document.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        if call.func.attr in methods:
            yield from ((call, text, call.func.value) for text in strings(flow, call.args[0]))
        elif len(call.args) >= 2 and document.path(call.func) in _REGEX:
            yield from ((call, text, call.args[1]) for text in strings(flow, call.args[0]))


_REGEX = {f"re.{name}" for name in ("search", "match", "fullmatch", "findall", "split")}


def name_tests(document: PythonFile) -> Iterator[tuple[ast.expr, list[str]]]:
    """Tests of the device name for some texts."""
    flow = DeviceName(document)
    found: dict[ast.expr, list[str]] = {}
    for node, text, subject in text_tests(flow, ("startswith", "endswith", "find", "count", "__contains__")):
        if flow.label(subject):
            found.setdefault(node, []).append(text)
    yield from found.items()


def is_model(node: ast.AST | None) -> bool:
    """Whether a literal is the name of an NVIDIA GPU model."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or len(node.value) > _LONGEST_MODEL:
        return False
    return bool(NVIDIA_MODEL.fullmatch(node.value))


def is_figure(node: ast.AST) -> bool:
    """A number, an arithmetic of numbers, or a collection that holds one."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return is_figure(node.left) or is_figure(node.right)
    if isinstance(node, ast.IfExp):
        return is_figure(node.body) or is_figure(node.orelse)
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(is_figure(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return any(is_figure(value) for value in node.values)
    return isinstance(node, ast.Call) and any(is_figure(keyword.value) for keyword in node.keywords)


def model_rows(document: PythonFile) -> Iterator[tuple[ast.expr, list[str]]]:
    """Lists of records, calls or dicts, with figures for at least two NVIDIA models: the list and the models."""
    for rows in document.nodes(ast.List, ast.Tuple):
        if len(rows.elts) < 2 or not isinstance(rows.elts[0], (ast.Call, ast.Dict)):
            continue
        names: list[str] = []
        for row in rows.elts:
            values: list[ast.expr] = []
            if isinstance(row, ast.Call):
                values = [*row.args, *(keyword.value for keyword in row.keywords)]
            elif isinstance(row, ast.Dict):
                values = row.values
            models = [value for value in values if is_model(value)]
            if models and any(is_figure(value) for value in values):
                names.append(document.string(models[0]) or "")
        if len(names) >= 2:
            yield rows, names


def model_chains(document: PythonFile) -> Iterator[list[ast.AST]]:
    """If-chains and match statements that give figures for at least two NVIDIA models: their comparisons."""
    for match in document.nodes(ast.Match):
        patterns = [case.pattern for case in match.cases if _gives_figure(case.body)]
        named = [p for p in patterns if isinstance(p, ast.MatchValue) and is_model(p.value)]
        if len(named) >= 2:
            yield [match.subject, *named[1:]]
    for first in document.nodes(ast.If):
        parent = document.parent(first)
        if isinstance(parent, ast.If) and parent.orelse == [first]:
            continue
        links: list[ast.AST] = []
        link: ast.stmt | None = first
        while isinstance(link, ast.If):
            test = link.test
            if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.Eq)):
                if is_model(test.left) or is_model(test.comparators[0]):
                    if _gives_figure(link.body):
                        links.append(test)
            link = link.orelse[0] if len(link.orelse) == 1 else None
        if len(links) >= 2:
            yield links


def _gives_figure(block: list[ast.stmt]) -> bool:
    inside = [node for statement in block for node in ast.walk(statement)]
    given = [n.value for n in inside if isinstance(n, (ast.Assign, ast.AnnAssign, ast.Return)) and n.value]
    return any(is_figure(value) for value in given)
