"""Proofs held against running code: what is proved must run alike, and no change on NVIDIA's side may be proved.

Programs are built at random from statements that leave a trace, ported by putting gates around and into them, and run
with a stand-in for torch whose version says NVIDIA.
"""

from __future__ import annotations

import ast
import copy
import random
import types
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_isolation_python import judge

from rewarp.verify.isolation.file_verdict import IsolationVerdict

GATES = [
    "torch.version.hip",
    "torch.version.hip is not None",
    "IS_ROCM",
    "is_rocm()",
    "bool(torch.version.hip)",
    "getattr(torch.version, 'hip', None) is not None",
    "torch.version.hip is not None and log('gate')",
    "hasattr(torch, 'hpu') and torch.hpu.is_available()",
    "not torch.version.cuda",
    "(IS_ROCM or torch.version.hip)",
]
TRAPS = [
    "log('gate') or torch.version.hip",
    "a and torch.version.hip",
    "torch.version.cuda",
    "IS_ROCM is None",
    "is_rocm",
    "not is_rocm",
    "FLAG",
    "log('gate') and IS_ROCM",
    "(a := 5) and IS_ROCM",
    "torch.version.hip is None",
]
ROCM_ONLY = [
    "log('rocm')",
    "a = 9",
    "c = 9",
    "b = 9",
    "return 9",
    "raise ValueError('rocm')",
    "yield 9",
    "global total; total = 9",
    "import math as b",
    "[b := i for i in range(2)]",
    "del a",
    "def b(): pass",
    "for b in (): pass",
    "pass",
    "total = 3",
    "b: int",
]
NVIDIA = [
    "log(a)",
    "a = a + 1",
    "b = log(b)",
    "log(a, total)",
    "if a > 2: log('big')\nelse: log('small')",
    "for i in range(2):\n    log(i)",
    "if a > 4: return b",
    "try:\n    log(c)\nexcept NameError as error:\n    log('unbound')",
    "log([x + a for x in range(2)])",
    "log((lambda: a)())",
    "def inner():\n    return a\nlog(inner())",
    "assert a is not None",
    "while a < 3:\n    a += 1",
    "log(a is None)",
    "with context(): log('in')",
]
HEAD = "import torch\n"
DEFINITIONS = "IS_ROCM = torch.version.hip is not None\ndef is_rocm():\n    return torch.version.hip is not None\n"


def program(body: list[str], gates: str = "") -> str:
    indented = "\n".join("    " + line for part in body or ["pass"] for line in part.split("\n"))
    return f"{HEAD}FLAG = True\ntotal = 1\nc = 2\n{gates}def run(a, b):\n{indented}\n    return a\n"


def trace(source: str) -> list[object]:
    """What a program does, seen from outside."""
    seen: list[object] = []

    def log(*values: object) -> object:
        seen.append([repr(v) if not callable(v) else "callable" for v in values])
        return values[0]

    class Context:
        def __enter__(self) -> None:
            seen.append("enter")

        def __exit__(self, *error: object) -> None:
            seen.append("exit")

    torch = types.SimpleNamespace(version=types.SimpleNamespace(hip=None, cuda="12.4"))
    names: dict[str, object] = {"log": log, "context": Context, "__builtins__": _builtins(torch), "__name__": "m"}
    exec(compile(source, "m", "exec"), names)
    for a in (0, 3, 7):
        try:
            result = names["run"](a, "b")  # type: ignore[operator]
            if isinstance(result, types.GeneratorType):
                seen.append("generator")
                seen.extend(result)
            else:
                seen.append(result if not callable(result) else "callable")
        except Exception as error:
            seen.append(type(error).__name__)
    seen.append(repr(names["total"]))
    return seen


def _builtins(torch: object) -> dict[str, object]:
    import builtins

    def load(name: str, *rest: object, **more: object) -> object:
        return torch if name == "torch" else __import__(name)

    return {**vars(builtins), "__import__": load}


def _gated(draw: Callable[[st.SearchStrategy[str]], str], gates: list[str], rocm: list[str], original: str) -> str:
    """One statement, ported some way."""
    gate, other = draw(st.sampled_from(gates)), draw(st.sampled_from(rocm))
    inner = original.replace("\n", "\n    ")
    shape = draw(st.sampled_from(["before", "else", "not", "after", "elif", "twice", "plain", "expression"]))
    return {
        "before": f"if {gate}:\n    {other}\n{original}",
        "after": f"{original}\nif {gate}:\n    {other}",
        "else": f"if {gate}:\n    {other}\nelse:\n    {inner}",
        "not": f"if not ({gate}):\n    {inner}",
        "elif": f"if {gate}:\n    {other}\nelif True:\n    {inner}",
        "twice": f"if {gate}:\n    if a:\n        {other}\n{original}",
        "plain": original,
        "expression": f"log('x') if {gate} else None\n{original}",
    }[shape]


@settings(max_examples=150)
@given(st.data())
def test_what_is_proved_runs_alike(data: st.DataObject) -> None:
    body = data.draw(st.lists(st.sampled_from(NVIDIA), min_size=1, max_size=4))
    gates = data.draw(st.sampled_from([GATES, GATES, [*GATES, *TRAPS]]))
    ported = [_gated(data.draw, gates, ROCM_ONLY, part) for part in body]
    before, after = program(body), program(ported, DEFINITIONS)
    try:
        compile(after, "m", "exec")
    except SyntaxError:
        return
    if judge(before, after).verdict is IsolationVerdict.IDENTICAL:
        assert trace(before) == trace(after), after


@settings(max_examples=60)
@given(st.data())
def test_plain_ports_are_proved(data: st.DataObject) -> None:
    body = data.draw(st.lists(st.sampled_from(NVIDIA), min_size=1, max_size=4))
    ported = [_gated(data.draw, GATES, ["log('rocm')", "pass", "return 9"], part) for part in body]
    found = judge(program(body), program(ported, DEFINITIONS))
    assert found.verdict is IsolationVerdict.IDENTICAL, found


# --- mutation -------------------------------------------------------------------------


class Mutation(ast.NodeTransformer):
    """Changes the n-th thing that can be changed."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.done = False

    def visit(self, node: ast.AST) -> ast.AST:
        changed = _mutated(node)
        if changed is not None and not self.done:
            if self.left == 0:
                self.done = True
                return ast.copy_location(changed, node)
            self.left -= 1
        return self.generic_visit(node)  # type: ignore[no-any-return]


def _mutated(node: ast.AST) -> ast.AST | None:
    new: ast.AST = copy.deepcopy(node)
    if isinstance(new, ast.Constant) and isinstance(new.value, (int, str)) and not isinstance(new.value, bool):
        new.value = new.value + 1 if isinstance(new.value, int) else new.value + "~"
    elif isinstance(new, ast.Name) and isinstance(new.ctx, ast.Load) and new.id in ("a", "b", "total"):
        new.id = {"a": "b", "b": "a", "total": "a"}[new.id]
    elif isinstance(new, ast.BinOp):
        new.op = ast.Sub() if isinstance(new.op, ast.Add) else ast.Add()
    elif isinstance(new, ast.Compare):
        swaps: dict[type, type] = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
        new.ops = [swaps.get(type(new.ops[0]), ast.Eq)()]
    elif isinstance(new, ast.If) and new.orelse:
        new.body, new.orelse = new.orelse, new.body
    elif isinstance(new, ast.Call) and len(new.args) > 1:
        new.args.reverse()
    elif isinstance(new, ast.Expr) and isinstance(new.value, ast.Call):
        return ast.Pass()
    else:
        return None
    return new


@settings(max_examples=150)
@given(st.data())
def test_no_mutant_that_runs_otherwise_is_proved(data: st.DataObject) -> None:
    body = data.draw(st.lists(st.sampled_from(NVIDIA), min_size=1, max_size=3))
    ported = [_gated(data.draw, GATES, ["log('rocm')", "return 9"], part) for part in body]
    tree = ast.parse(program(ported, DEFINITIONS))
    mutation = Mutation(data.draw(st.integers(0, 40)))
    mutant = ast.unparse(mutation.visit(tree))
    before = program(body)
    if mutation.done and judge(before, mutant).verdict is IsolationVerdict.IDENTICAL:
        assert trace(before) == trace(mutant), mutant


@pytest.mark.parametrize("seed", range(12))
def test_mutants_of_nvidias_own_statements_are_never_proved(seed: int) -> None:
    """Without running: each change to a statement that NVIDIA runs, in a correct port, takes the proof away."""
    chance = random.Random(seed)
    body = chance.sample([part for part in NVIDIA if "try" not in part], 4)
    tree = ast.parse(program(body))
    ported = program([f"if IS_ROCM:\n    log('rocm')\n    return 9\n{part}" for part in body], DEFINITIONS)
    assert judge(program(body), ported).verdict is IsolationVerdict.IDENTICAL
    number = 0
    while True:
        mutation = Mutation(number)
        mutant = ast.unparse(mutation.visit(copy.deepcopy(tree)))
        if not mutation.done:
            break
        # The old program is the mutant: the port is then right for another program than the one it came from.
        assert judge(mutant, ported).verdict is not IsolationVerdict.IDENTICAL, mutant
        number += 1
    assert number > 3
