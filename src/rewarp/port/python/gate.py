"""Phase 1: the project's one gate. One that is there is used; else one is planned, and made where a change asks for it."""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.python import PythonFile
from rewarp.port.changes import Change, Gate, PortPhase
from rewarp.port.python.packages import module_name, top_package
from rewarp.port.tree import Tree
from rewarp.project.gates import NVIDIA, ROCM, Evaluator
from rewarp.project.modules import PythonModules
from rewarp.project.role_names import is_aside
from rewarp.targets import Target
from rewarp.verify.isolation.file_verdict import IsolationVerdict, Side
from rewarp.verify.isolation.python import compare

_NAME = "IS_ROCM"
_FEWEST_USERS = 3
_FILE = "_rocm.py"
_TEXT = b'''"""Which platform this runs on."""

import torch

IS_ROCM = torch.version.hip is not None
'''
_NOT_SPECIFIC = {"torch.cuda.is_available()", 'hasattr(torch.version, "hip")', "hasattr(torch.version, 'hip')"}
_CACHES = {"cache", "lru_cache"}
_OF_AMD = re.compile(r"(?i)rocm|hip|amd")


def gate_for(tree: Tree, target: Target) -> Gate | None:
    """The gate that changes shall use: the project's own, or one to be made; None where no package can hold one."""
    if target.name != "rocm":
        return None
    return find_gate(tree) or _planned(tree, target)


def gate_change(tree: Tree, gate: Gate, changed: Iterable[Change]) -> Change | None:
    """The file that defines the gate, where a change imports it and it is not there yet."""
    return planned_file(tree, gate) if users(gate, changed) else None


def planned_file(tree: Tree, gate: Gate) -> Change | None:
    """The file that defines the gate, where it is not there yet."""
    why = "One gate tells the whole project whether PyTorch was built for ROCm."
    return Change(gate.path, _TEXT, PortPhase.DETECTION, why) if tree.read(gate.path) is None else None


def users(gate: Gate, changed: Iterable[Change]) -> set[str]:
    """The files that import the gate after the changes."""
    stem = posixpath.splitext(posixpath.basename(gate.path))[0]
    imports = re.compile(
        rb"^[ \t]*from[ \t]+[\w.]*\b%s[ \t]+import\b[^\n]*\b%s\b" % (stem.encode(), gate.root.encode()), re.M
    )
    return {change.path for change in changed if imports.search(change.after or b"") and change.path != gate.path}


def is_worth_a_file(tree: Tree, gate: Gate, changed: Iterable[Change]) -> bool:
    """Whether a gate is there, or serves so many files that a module of its own is less than the test in each."""
    return tree.read(gate.path) is not None or len(users(gate, changed)) >= _FEWEST_USERS


# --- an existing one ------------------------------------------------------------------------


def find_gate(tree: Tree) -> Gate | None:
    """The gate that most files of the project use."""
    return next(iter(find_gates(tree)), None)


def find_gates(tree: Tree) -> list[Gate]:
    """The project's own gates, the one that most files use first: at the top of a module of a package, true on ROCm and
    false on NVIDIA, whatever else they are made of."""
    gates: list[Gate] = []
    modules = PythonModules(tree.files)
    texts: dict[str, bytes] = {}
    for path in tree.paths():
        if kind_of_path(path) is not Kind.PYTHON or is_aside(path):
            continue
        data = tree.read(path) or b""
        texts[path] = data
        if b"hip" in data and b"torch" in data:
            gates += _gates_in(path, tree, modules)
    gates = [gate for gate in gates if not gate.name.startswith("_") or _is_imported(gate, texts)]
    uses = Counter({gate: sum(gate.root.encode() in data for data in texts.values()) for gate in gates})
    # A value is asked more cheaply than a function; the rest only makes the choice the same each time.
    return sorted(gates, key=lambda gate: (-uses[gate], gate.function, gate.path))


def _is_imported(gate: Gate, texts: Mapping[str, bytes]) -> bool:
    """Whether another module takes it already: else a name with an underscore is its own module's business."""
    imported = re.compile(rb"\bimport\b[^\n]*\b" + gate.root.encode() + rb"\b")
    return any(path != gate.path and imported.search(data) for path, data in texts.items())


def _gates_in(path: str, tree: Tree, modules: PythonModules) -> Iterator[Gate]:
    module, document = module_name(path, tree), modules.document(path)
    if module is None or document is None or not any(map(_imports_torch, document.tree.body)):
        return
    for node in document.tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if _is_gate(document, node.value):
                yield Gate(module, path, node.targets[0].id)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.value is not None and _is_gate(document, node.value):
                yield Gate(module, path, node.target.id)
        elif isinstance(node, ast.FunctionDef):
            value = _returned(node)
            if (value and _is_gate(document, value)) or _decides(document, modules, node.name):
                yield Gate(module, path, node.name, function=True)


def _decides(document: PythonFile, modules: PythonModules, name: str) -> bool:
    """Whether a function of a module whose name speaks of AMD is true on ROCm and false on NVIDIA, followed to what it is
    made of."""
    if not _OF_AMD.search(name):
        return False
    call = ast.Call(ast.Name(name), [], [])
    values = [Evaluator(document, platform, modules).module_value(name, call) for platform in (NVIDIA, ROCM)]
    return [value.truth for value in values] == [False, True] and not any(value.by_name for value in values)


def _imports_torch(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import) and any(alias.name == "torch" and not alias.asname for alias in node.names)


def _returned(function: ast.FunctionDef) -> ast.expr | None:
    """What a function without parameters returns, if that is all it does."""
    arguments = function.args
    if arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        return None
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called).rpartition(".")[2] not in _CACHES:
            return None
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None


def _is_gate(document: PythonFile, node: ast.expr) -> bool:
    """Whether an expression is true on ROCm and false on CUDA, by torch.version.hip and nothing else: to project/gates a
    machine without a GPU would matter as well.

    ``X = torch.version.hip`` alone is a version, not a gate: it is left to those who named it.
    """
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.IsNot, ast.NotEq)):
        right = node.comparators[0]
        return _is_hip(document, node.left) and isinstance(right, ast.Constant) and right.value is None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
        return len(node.args) == 1 and (_is_hip(document, node.args[0]) or _is_gate(document, node.args[0]))
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        rest = [value for value in node.values if ast.unparse(value) not in _NOT_SPECIFIC]
        return len(rest) == 1 and _is_gate(document, rest[0])
    return False


def _is_hip(document: PythonFile, node: ast.expr) -> bool:
    """Whether an expression, or what the one name for it stands for, is torch.version.hip."""
    value = document.value_of(node)
    return not isinstance(value, ast.Name) and document.path(value) == "torch.version.hip"


# --- a new one ------------------------------------------------------------------------------


def _planned(tree: Tree, target: Target) -> Gate | None:
    """A module of its own in the package that needs it most, and only where that package uses torch already."""
    wanted: Counter[str] = Counter()
    for finding in tree.findings(target):
        if kind_of_path(finding.path) is Kind.PYTHON and not is_aside(finding.path):
            package = top_package(finding.path, tree)
            if package is not None and b"import torch" in (tree.read(finding.path) or b""):
                wanted[package] += 1
    for package in sorted(wanted, key=lambda name: (-wanted[name], name)):
        path = posixpath.join(package, _FILE)
        module = module_name(path, tree)
        if (
            module
            and path not in tree
            and compare(path, None, _TEXT, _WithFile(tree, path)).verdict is IsolationVerdict.IDENTICAL
        ):
            return Gate(module, path, _NAME)
    return None


class _WithFile:
    """The tree before and after the gate's own file is added, for the one who proves that it harms nobody."""

    def __init__(self, tree: Tree, path: str) -> None:
        self._sides = {"before": tree, "after": tree.holding({path: _TEXT})}

    def read(self, path: str, side: Side) -> bytes | None:
        return self._sides[side].read(path)

    def paths(self, side: Side) -> list[str]:
        return self._sides[side].paths()
