"""PY-CAP-002: a helper that asks for an SM version guards a feature."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.torch import GAUDI_NAME, ROCM_WORD, branches, conditions, for_nvidia, refusal, words
from rewarp.rules.torch._capability import sm_major
from rewarp.targets import Context

_VERSIONS = "70 75 80 86 89 90 100 103 110 120 8x 9x 10x 90a 100a 100f".split()
_GENERATIONS = "volta turing ampere ada hopper blackwell".split()
_LATER = ("", "_gpu", "_or_newer", "_or_later", "_or_above", "_or_higher", "_or_newer_gpu")
_HELPERS = frozenset(
    [
        f"{head}{version}"
        for version in _VERSIONS
        for head in ("is_sm", "is_sm_", "_is_sm", "has_sm", "IS_SM", "supports_sm")
    ]
    + [f"{head}{version}" for version in _VERSIONS for head in ("is_sm_at_least_", "is_at_least_sm", "at_least_sm")]
    + [f"SM{version}OrLater" for version in ("53", "60", *_VERSIONS)]
    + [f"{head}is_{name}{later}" for name in _GENERATIONS for later in _LATER for head in ("", "_")]
    + [
        "has_cuda_capability",
        "has_device_capability",
        "has_compute_capability",
        "sm_is_or_higher_than",
        "is_sm_version",
    ]
    + ["is_device_capability", "is_device_capability_family"]
)


@rule(
    id="PY-CAP-002",
    title="A helper for SM versions guards a feature",
    kinds=PYTHON_KINDS,
    anchors=_HELPERS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.PERF,
        why="A helper that asks for an SM version knows NVIDIA's numbers only: features that AMD has, such as FP8 from "
        "gfx942 on, are refused or judged by the wrong number.",
        fix="Let AMD in where the GPU can do it: `helper() or (torch.version.hip is not None and arch in (...))`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.INFO,
        why="A helper that asks for an SM version knows NVIDIA's numbers only: features that Gaudi has, such as FP8, are refused.",
        fix="Let Gaudi in where it can do it.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='if not is_sm_at_least_89():\n    raise RuntimeError("FP8 needs SM89")',
    source="https://github.com/pytorch/torchtitan/pull/3760",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imported helpers such as is_sm90(), has_cuda_capability() or SM90OrLater used as a condition."""
    other = GAUDI_NAME if context.target.name == "gaudi" else ROCM_WORD
    seen: set[ast.AST] = set()
    for node in document.nodes(ast.Attribute, ast.Name):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        if name not in _HELPERS or not isinstance(node.ctx, ast.Load) or not _imported(document, node):
            continue
        parent = document.parent(node)
        used: ast.expr = parent if isinstance(parent, ast.Call) and parent.func is node else node
        guard, end = _guard(document, used)
        if guard is None or guard in seen or any(other.search(w) for w in words(getattr(guard, "test", guard))):
            continue
        seen.add(guard)
        if context.target.name == "rocm" and name in context.project.capability_helpers:
            yield _passed(document, used, name, for_nvidia(document, node))
            continue
        mild = end not in ("stop", "no") or for_nvidia(document, node)
        what = {"skip": "This test is skipped", None: "What happens here depends on"}.get(end, "This is refused")
        rest = (
            f" {name}, which asks for an NVIDIA GPU"
            if end is None
            else f" unless {name} says yes: it asks for an NVIDIA GPU"
        )
        yield Hit(used, what + rest, name, severity=Severity.INFO if mild else None)


def _passed(document: PythonFile, used: ast.expr, name: str, nvidias: bool) -> Hit:
    """A helper that compares torch's capability answers for AMD's GPUs as well: by the digits of their gfx names."""
    arguments = [document.number(argument) for argument in used.args] if isinstance(used, ast.Call) else []
    asked = [int(number) for number in arguments if number is not None]
    major = sm_major(asked[0]) if asked else _major_named(name)
    message = (
        f"{name} compares torch's capability, which on AMD is made of the digits of the gfx name: (9, 4) on gfx942"
    )
    # Every AMD GPU passes for Ampere, as it should; that it passes for Hopper, or not for Blackwell, is chance.
    return Hit(used, message, name, severity=Severity.INFO if nvidias or major < 9 else Severity.PERF)


_MAJORS = {"volta": 7, "turing": 7, "ampere": 8, "ada": 8}


def _major_named(name: str) -> int:
    """The generation that a helper has in its name."""
    words = name.lower().split("_")
    if older := [major for word, major in _MAJORS.items() if word in words]:
        return older[0]
    number = re.search(r"(?i)sm_?(\d{2,3})", name)
    return int(number[1]) // 10 if number else 9


def _imported(document: PythonFile, node: ast.expr) -> bool:
    """A helper of this file is judged where it compares (PY-CAP-001)."""
    if isinstance(node, ast.Attribute):
        root = document.raw(node).partition(".")[0]
        return root not in ("", "self", "cls") and "nv" not in root.lower() and document.path(node) is not None
    return any(binding.path for binding in document.bindings(node)) if isinstance(node, ast.Name) else False


def _guard(document: PythonFile, used: ast.expr) -> tuple[ast.AST | None, str | None]:
    """The condition a helper decides, and how the feature is refused when it says no."""
    for condition, positive in conditions(document, used):
        if isinstance(condition, ast.Assert):
            return condition, "stop" if positive else None
        return condition, refusal(document, branches(condition, positive)[1])
    positive = True
    for ancestor in document.ancestors(used):
        if isinstance(ancestor, ast.UnaryOp) and isinstance(ancestor.op, ast.Not):
            positive = not positive
        elif isinstance(ancestor, ast.Call):
            name = document.raw(ancestor.func).rpartition(".")[2].lower()
            if (name in ("skipif", "skip_if") and not positive) or (name == "skipunless" and positive):
                return ancestor, "skip"
            return None, None
        elif not isinstance(ancestor, ast.BoolOp):
            return None, None
    return None, None
