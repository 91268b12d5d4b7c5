"""TRI-001: ``num_warps`` that needs more threads than a 64-wide wave leaves room for."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.literals import at_most, literal
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import milder, options, uses_triton, values
from rewarp.targets import ROCM, Context

_MAX_THREADS = 1024
# The GPUs with 64-wide waves, by the names that code which tells them from the others gives them.
_CDNA = replace(
    ROCM,
    name="cdna",
    true_names=re.compile(ROCM.true_names.pattern + r"|_*((is|has|on|use)_*)*(cdna\d?|wave_?64|mi\d{3}\w*)_*"),
)


@rule(
    id="TRI-001",
    title="num_warps is too large for 64-wide waves",
    kinds=PYTHON_KINDS,
    anchors=["num_warps", "NUM_WARPS"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="A CDNA wave has 64 lanes, so 32 warps are 2048 threads where a block may have 1024: the launch fails. "
        "Triton 3.4 and newer reject the kernel instead, and the autotuner then leaves such a config out.",
        fix="Use at most 16 warps on ROCm (`16 if torch.version.hip else 32`), or drop configs with "
        "num_warps * warp_size > 1024.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="kernel[grid](x, y, BLOCK=65536, num_warps=32)",
    versions="CDNA (64-wide waves)",
    source="https://github.com/linkedin/Liger-Kernel/pull/326",
    fix=PythonFix(literal(at_most(16), "A wave of 64 lanes leaves room for 16 of them in a block.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for a literal num_warps above 16 in a launch, a triton.Config, or a variable, dict or function that feeds
    them, also as the limit of an expression."""
    if 64 not in context.versions.wave_sizes:
        return
    seen: set[ast.AST] = set()
    for option in options(document, context, "num_warps"):
        for limit in _limits(document, option.value):
            warps = _too_many(document, limit)
            if warps and limit not in seen:
                seen.add(limit)
                where = limit if option.where is option.value else option.where
                if not document.unreachable(where, _CDNA):
                    yield _hit(document, where, warps, context, launch=option.launch)
    if not uses_triton(document):
        return
    for value in _named_num_warps(document):
        for leaf in [limit for found in values(document, value) for limit in _limits(document, found)]:
            warps = _too_many(document, leaf)
            if warps and leaf not in seen:
                seen.add(leaf)
                if document.unreachable(leaf, _CDNA):
                    continue
                yield _hit(document, leaf, warps, context, launch=True)


def _hit(document: PythonFile, where: ast.AST, warps: int, context: Context, launch: bool) -> Hit:
    message = f"num_warps={warps} is {warps * 64} threads on 64-wide waves; a block has at most {_MAX_THREADS}"
    # The autotuner of Triton 3.4 (torch 2.8) and newer survives such a config.
    survives = not launch and context.versions.matches(torch="<2.8") is not True
    return Hit(where, message, "num_warps", severity=Severity.INFO if survives else milder(document))


def _too_many(document: PythonFile, node: ast.AST) -> int:
    number = document.number(node)
    return int(number) if number is not None and number * 64 > _MAX_THREADS else 0


def _limits(document: PythonFile, node: ast.expr) -> list[ast.expr]:
    """The literals that an expression can come to at most: 32 for ``max(min(next_power_of_2(n), 32), 4)``; else itself."""
    name = document.raw(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or name not in ("min", "max") or node.keywords:
        return [node]
    limits = [limit for argument in node.args for limit in _limits(document, argument)]
    known = [(number, limit) for limit in limits if (number := document.number(limit)) is not None]
    if not known or (name == "max" and len(known) < len(limits)):
        return [node]
    choose = min if name == "min" else max
    return [choose(known, key=lambda pair: pair[0])[1]]


def _named_num_warps(document: PythonFile) -> Iterator[ast.expr]:
    """Values given to something called num_warps outside a launch or config."""
    for assign in document.nodes(ast.Assign):
        for target in assign.targets:
            yield from _assigned(target, assign.value)
    for node in document.nodes(ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if document.string(key) == "num_warps":
                yield value


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id in ("num_warps", "NUM_WARPS"):
        yield value
    elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        if target.slice.value == "num_warps":
            yield value
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for part, inner in zip(target.elts, value.elts):
            yield from _assigned(part, inner)
