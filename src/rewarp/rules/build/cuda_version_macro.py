"""BLD-019: the CUDA version asked for by the preprocessor."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile, Conditional, Directive
from rewarp.lang.kinds import CPP_KINDS
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.branches import defined, uses_outside
from rewarp.source import Span
from rewarp.targets import Context

_VERSION = re.compile(r"\b(CUDA_VERSION|CUDART_VERSION)\b(?:\s*(>=|>|<=|<|==|!=))?")
_KNOWS_AMD = re.compile(r"ROCM|HIP|AMD|RDNA|CDNA|MUSA")
_INCLUDES = re.compile(rb"^[ \t]*#[ \t]*include\b", re.M)
_REFUSES = re.compile(rb"^[ \t]*#[ \t]*error\b", re.M)


@rule(
    id="BLD-019",
    title="A preprocessor test on the CUDA version without an AMD side",
    kinds=CPP_KINDS,
    anchors=["CUDA_VERSION", "CUDART_VERSION"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Translated code has no CUDA version to compare: the macro is missing or holds a HIP number, so the branch "
        "meant for an old CUDA is taken, whose names AMD often lacks.",
        fix="Say what AMD shall take: `#if defined(USE_ROCM) || CUDA_VERSION >= N`, or `!defined(USE_ROCM) && ...`.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#if CUDA_VERSION >= 11000\n#include <cuda_bf16.h>\n#endif",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for #if and #elif on CUDA_VERSION or CUDART_VERSION whose condition does not mention ROCm or HIP."""
    # A file that speaks of AMD in another condition has most likely been built there.
    aware = any(_KNOWS_AMD.search(directive.condition) for directive in document.directives)
    for conditional in document.every_conditional():
        if conditional.end is not None:
            yield from _tests(document, conditional, conditional.end, aware)


def _tests(document: CodeFile, conditional: Conditional, end: Directive, aware: bool) -> Iterator[Hit]:
    for arm, following in zip(conditional.arms, [*(arm.test for arm in conditional.arms[1:]), end]):
        directive = arm.test
        tests = list(_VERSION.finditer(directive.condition))
        version = next((test for test in tests if test[2]), tests[0] if tests else None)
        if not version or directive.word not in ("if", "elif") or _KNOWS_AMD.search(directive.condition):
            continue
        if following.word == "elif" and _KNOWS_AMD.search(following.condition):
            continue
        name = version[1]
        newer = (version[2] or ">").startswith((">", "="))
        last = following is end
        if newer and last:
            message = f"this part needs a {name} and is left out on AMD"
        else:
            message = (
                f"{name} says nothing on AMD: {'the branch for older versions' if newer else 'this branch'} is taken"
            )
        # Names in a part that is taken are told where they stand, if HIP lacks them.
        missing = newer and last
        where = Span(following.where.end, end.where.start) if newer and not missing else arm.body
        breaks = _is_missed(document, where) if missing else _REFUSES.search(document.code, where.start, where.end)
        yield Hit(directive.where, message, name, None if breaks and not aware else Severity.INFO)


def _is_missed(document: CodeFile, part: Span) -> bool:
    """Whether code elsewhere needs what a part includes or defines."""
    if _INCLUDES.search(document.code, part.start, part.end):
        return True
    return bool(uses_outside(document, part, defined(document, part)))
