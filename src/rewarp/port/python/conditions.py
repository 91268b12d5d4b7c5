"""Tests that decide for another GPU than they were written for: capabilities, versions, and what only NVIDIA has."""

from __future__ import annotations

import ast

from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import amd_too, and_on_rocm, nvidia_only, or_on_rocm
from rewarp.rules.torch._capability import Capability, SmTest, tests
from rewarp.rules.torch._shapes import branches, conditions, refusal
from rewarp.rules.torch._shapes import nvidia_only as nvidias_alone

_WITHOUT = (ast.Lt, ast.LtE, ast.NotEq, ast.NotIn)
"""Operators of a test for GPUs that are older than the architecture, or another one."""
_AMPERE = ((8, 0), (8, 9))
"""From Ampere up to Ada: bfloat16, large shared memory, flash attention. Every AMD GPU that PyTorch supports has that;
what came later (FP8 in NVIDIA's format, TMA, clusters) is NVIDIA's own."""
_ASKED = "the AMD side would stop here, and whether AMD's GPUs can do it is not in the code: {fix}"


def settled(place: Place, test: ast.expr, amd: bool, why: str) -> Outcome:
    """The test comes out as ``amd`` on ROCm, without being asked."""
    if _stops(place, test, amd):
        return Refused(_ASKED.format(fix=place.finding.fix))
    return Mend(amd_too(place, test) if amd else nvidia_only(place, test), why)


def _stops(place: Place, test: ast.expr, amd: bool) -> bool:
    """Whether the program gives up on ROCm if the test comes out like that."""
    for condition, positive in conditions(place.document, test):
        taken, left = branches(condition, positive)
        if isinstance(condition, ast.Assert):
            return amd is not positive
        return refusal(place.document, taken if amd else left) == "stop"
    return False


# --- compute capability ---------------------------------------------------------------------


def capability(place: Place) -> Outcome | None:
    compare = place.node(ast.Compare)
    test = next((test for test in tests(place.document) if test.node is compare), None)
    if compare is None or test is None:
        return None
    if not test.values:
        return Refused("the number that it is compared with comes from elsewhere, and may be one for AMD")
    whole = _whole(place, compare)
    newer = whole is compare and _on_ampere_line(test)
    amd = not newer if test.operator in _WITHOUT else newer
    if newer:
        why = "AMD's GPUs have what came with Ampere; the digits of a gfx name no longer decide it."
    else:
        why = "The test asks for an NVIDIA architecture; the digits of a gfx name no longer pass for one."
    return settled(place, whole, amd, why)


def _on_ampere_line(test: SmTest) -> bool:
    if test.operator not in (ast.GtE, ast.Lt) or len(test.values) != 1:
        return False
    version = _version(test.values[0])
    return version is not None and _AMPERE[0] <= version < _AMPERE[1]


def _version(value: object) -> tuple[int, int] | None:
    if isinstance(value, tuple) and value and all(isinstance(part, (int, float)) for part in value):
        return int(value[0]), int(value[1]) if len(value) > 1 else 0
    if isinstance(value, float) and value < 20:
        return int(value), round(value * 10) % 10
    if isinstance(value, (int, float)):
        number = int(value)
        return (number, 0) if number < 20 else divmod(number, 10) if number < 500 else divmod(number // 10, 10)
    return None


def _whole(place: Place, compare: ast.Compare) -> ast.expr:
    """The condition around a test, as long as all of it is about the capability."""
    flow = Capability(place.document)

    def asks(node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return all(map(asks, node.values))
        return isinstance(node, ast.Compare) and any(map(flow.label, [node.left, *node.comparators]))

    found: ast.expr = compare
    parent = place.document.parent(found)
    while isinstance(parent, ast.BoolOp) and asks(parent):
        found, parent = parent, place.document.parent(parent)
    return found


# --- versions and builds --------------------------------------------------------------------


def cuda_version(place: Place) -> Outcome | None:
    """A test of the version of CUDA is about NVIDIA's toolkit: on ROCm it asks for nothing."""
    test = _test_around(place)
    if test is None:
        return None
    why = "torch.version.cuda is None on ROCm, where the test is not made."
    outcome = settled(place, test, False, why)
    return settled(place, test, True, why) if isinstance(outcome, Refused) else outcome


def gpu_build(place: Place) -> Outcome | None:
    """A test for a CUDA build of PyTorch, where the program stops without one: a ROCm build is as good."""
    test = place.node(ast.expr)
    sides = [amd for amd in (True, False) if test is not None and not _stops(place, test, amd)]
    if test is None or len(sides) != 1:
        return None
    return settled(place, test, sides[0], "A ROCm build of PyTorch is a GPU build, too.")


def _test_around(place: Place) -> ast.expr | None:
    """The whole operand of a condition that an expression is part of."""
    node = next((node for node in place.nodes if isinstance(node, ast.expr)), None)
    while node is not None:
        parent = place.document.parent(node)
        if isinstance(parent, (ast.BoolOp, ast.If, ast.While, ast.IfExp, ast.Assert)):
            inside = isinstance(parent, ast.BoolOp) or parent.test is node
            return node if inside and not isinstance(node, ast.Name) else None
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
            return node
        if isinstance(node, ast.Compare):
            return node
        node = parent if isinstance(parent, ast.expr) and not isinstance(parent, ast.Lambda) else None
    return None


def for_nvidia(place: Place) -> Outcome | None:
    """A test that is also true on ROCm, and whose branch does nothing but what is NVIDIA's."""
    test = place.node(ast.expr)
    if test is None or isinstance(test, ast.Name):
        return None
    for condition, positive in conditions(place.document, test):
        if not _is_all_nvidias(place, branches(condition, positive)[0]):
            return Refused("the branch also does what AMD's GPUs need")
    return settled(place, test, False, "The branch is NVIDIA's; ROCm no longer takes it.")


def _is_all_nvidias(place: Place, branch: list[ast.AST]) -> bool:
    """Whether every statement is NVIDIA's by itself, or uses what such a one brought in."""
    brought: set[str] = set()
    for statement in branch:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            brought |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if not any(nvidias_alone(place.document, [statement])) and not used & brought:
            return False
    return True


def rocm_gate(place: Place) -> Outcome | None:
    test = place.node(ast.expr)
    if test is None:
        return None
    why = "ROCm is told by the build of PyTorch, without starting the GPU to ask for its name."
    return Mend(amd_too(place, test), why)


# --- texts of errors, names of back ends ----------------------------------------------------


def error_text(place: Place) -> Outcome | None:
    test = place.node(ast.expr)
    literal = _only_text(place, test, "CUDA")
    if test is None or literal is None:
        return None
    twin = _with_replaced(place, test, literal, place.view.text(literal).replace("CUDA", "HIP"))
    why = "On ROCm the same error says HIP where it says CUDA."
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotIn, ast.NotEq)):
        return Mend(and_on_rocm(place, test, twin), why)
    return Mend(or_on_rocm(place, test, twin), why)


def triton_backend(place: Place) -> Outcome | None:
    """A program that stops unless the back end is NVIDIA's goes on with AMD's."""
    test = place.node(ast.Compare)
    if test is None or not isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
        return None
    positive = isinstance(test.ops[0], (ast.Eq, ast.In))
    return settled(place, test, positive, 'Triton calls its AMD back end "hip".')


def _only_text(place: Place, test: ast.expr | None, word: str) -> ast.Constant | None:
    texts = [
        node
        for node in ast.walk(test or ast.Pass())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and word in node.value
    ]
    return texts[0] if len(texts) == 1 else None


def _with_replaced(place: Place, whole: ast.expr, part: ast.expr, text: str) -> str:
    """The source of an expression with a part of it written otherwise."""
    view = place.view
    outer, inner = view.span(whole), view.span(part)
    data = view.source.data
    before, behind = data[outer.start : inner.start], data[inner.end : outer.end]
    return before.decode(view.codec) + text + behind.decode(view.codec)


MENDERS: dict[str, Mender] = {
    "PY-CAP-001": capability,
    "PY-VER-001": cuda_version,
    "PY-VER-002": cuda_version,
    "PY-VER-003": cuda_version,
    "PY-DET-001": for_nvidia,
    "PY-DET-003": rocm_gate,
    "PY-DET-005": gpu_build,
    "PY-DET-006": for_nvidia,
    "PY-RT-001": error_text,
    "TRI-012": triton_backend,
}
