"""Fixes of tests that decide for another GPU than they were written for."""

from __future__ import annotations

import ast

from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import amd_too, nvidia_only
from rewarp.rules.shapes.torch import branches, conditions, refusal
from rewarp.rules.shapes.torch import nvidia_only as nvidias_alone

_ASKED = "the AMD side would stop here, and whether AMD's GPUs can do it is not in the code: {fix}"


def settled(place: Place, test: ast.expr, amd: bool, why: str) -> Outcome:
    """The test comes out as ``amd`` on ROCm, without being asked."""
    if stops(place, test, amd):
        return Refused(_ASKED.format(fix=place.finding.fix))
    return Mend(amd_too(place, test) if amd else nvidia_only(place, test), why)


def stops(place: Place, test: ast.expr, amd: bool) -> bool:
    """Whether the program gives up on ROCm if the test comes out like that."""
    for condition, positive in conditions(place.document, test):
        taken, left = branches(condition, positive)
        if isinstance(condition, ast.Assert):
            return amd is not positive
        return refusal(place.document, taken if amd else left) == "stop"
    return False


def cuda_version(place: Place) -> Outcome | None:
    """A test of the version of CUDA is about NVIDIA's toolkit: on ROCm it asks for nothing."""
    test = _test_around(place)
    if test is None:
        return None
    why = "torch.version.cuda is None on ROCm, where the test is not made."
    outcome = settled(place, test, False, why)
    return settled(place, test, True, why) if isinstance(outcome, Refused) else outcome


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


def left_to_nvidia(place: Place) -> Outcome | None:
    """A test that is also true on ROCm, and whose branch does nothing but what is NVIDIA's."""
    test = place.node(ast.expr)
    if test is None or isinstance(test, ast.Name):
        return None
    for condition, positive in conditions(place.document, test):
        if not _is_all_nvidias(place, *branches(condition, positive)):
            return Refused("the branch also does what AMD's GPUs need")
    return settled(place, test, False, "The branch is NVIDIA's; ROCm no longer takes it.")


def _is_all_nvidias(place: Place, branch: list[ast.AST], otherwise: list[ast.AST]) -> bool:
    """Whether every statement is NVIDIA's by itself, or uses what such a one brought in."""
    brought: set[str] = set()
    for statement in branch:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            brought |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if not any(nvidias_alone(place.document, [statement], otherwise)) and not used & brought:
            return False
    return True
