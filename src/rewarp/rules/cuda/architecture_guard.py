"""CU-011: ``__CUDA_ARCH__``."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.cuda._shapes import KINDS, else_of_asm, own_names, reachable, supplied
from rewarp.source import Span
from rewarp.targets import Context

_NAME = "__CUDA_ARCH__"
_TEXT = re.compile(rb'"(?:\\.|[^"\\])*"')
_TRAP = re.compile(
    rb"(?:asm|__asm__)[^;]*\b(?:brkpt|trap|exit)\b[^;]*|(?:__trap|__brkpt|abort)\(\)|assert\((?:0|false)\)"
)
_COMPARED = re.compile(rf"\b{_NAME}\b\)?\s*(?:[<>]=?|[=!]=)|(?:[<>]=?|[=!]=)\s*\(?{_NAME}\b")
_ARCH_CONSTANT = re.compile(r"\w*(CC_|ARCH_|SM_?|_CC)\w*")


@rule(
    id="CU-011",
    title="__CUDA_ARCH__ decides what is compiled",
    kinds=KINDS,
    anchors=[_NAME],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="HIP does not define __CUDA_ARCH__, and a comparison reads it as 0: device code silently takes the branch meant for "
        "the host or for the oldest GPUs, and whole kernels can vanish.",
        fix="Say what the branch needs: __HIP_DEVICE_COMPILE__ for 'this is device code', and `|| defined(USE_ROCM)` (or the "
        "project's own macro) where the newer path is right on AMD.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#if __CUDA_ARCH__ >= 800",
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_porting_guide.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for conditions that come out differently with and without __CUDA_ARCH__, and for its use in plain code."""
    if _NAME.encode() in own_names(document):
        return
    if header := supplied(document, context).get(_NAME):
        if places := reachable(document, context, document.words.get(_NAME.encode(), [])):
            message = f"{_NAME} is tested, and {header} defines it for HIP: its value there decides what is compiled"
            yield Hit(Span(places[0], places[0] + len(_NAME)), message, _NAME, severity=Severity.INFO)
        return
    inside: list[Span] = []
    for directive in document.directives:
        if re.search(rf"\b{_NAME}\b", directive.condition):
            inside.append(directive.where)
            yield from _judge(document, directive, context)
    for at in document.words.get(_NAME.encode(), []):
        line = document.source.line_span(document.source.line_at(at))
        index = bisect_right(inside, (at, len(document.code))) - 1
        if (index >= 0 and at < inside[index].end) or b"#" in document.code[line.start : at]:
            continue
        if _continues_macro(document, at):
            continue
        message = f"{_NAME} is read as a value, and HIP does not define it"
        yield Hit(Span(at, at + len(_NAME)), message, _NAME, severity=Severity.BUILD)


def _judge(document: CodeFile, directive: Directive, context: Context) -> Iterator[Hit]:
    without, ampere, *later = (_value(directive, context, arch) for arch in (False, 800, 900, 1000))
    if without is not None and all(value is without for value in (ampere, *later)):
        return
    where = Span(directive.where.start, directive.where.end)
    if without is not None and ampere is without:
        message = f"{_NAME} is not defined on AMD, so this goes the way of an Ampere GPU, not of a newer one"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is False and else_of_asm(document, context, directive):
        message = f"{_NAME} keeps inline PTX off AMD, which takes the #else"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is False and _only_traps(document, directive):
        message = f"{_NAME} keeps a trap off AMD: where NVIDIA's code stops, AMD's goes on"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is False and _has_older_way(document, directive):
        message = f"{_NAME} is not defined on AMD, which takes the branch for older GPUs"
        yield Hit(where, message, _NAME, severity=Severity.PERF)
    else:
        outcome = {True: "; here it comes out true", False: "; here it comes out false", None: ""}[without]
        yield Hit(where, f"the condition tests {_NAME}, which HIP does not define{outcome}", _NAME)


def _has_older_way(document: CodeFile, directive: Directive) -> bool:
    """Whether the test is for a number of an architecture, and another branch has code for those below it."""
    if not _COMPARED.search(directive.condition):
        return False  # device code told from the host's
    for conditional in document.every_conditional():
        tests = [arm.test for arm in conditional.arms]
        if directive in tests:
            later = conditional.arms[tests.index(directive) + 1 :]
            return any(document.code[arm.body.start : arm.body.end].strip() for arm in later)
    return False


def _only_traps(document: CodeFile, directive: Directive) -> bool:
    """Whether the branch holds nothing but what stops the program."""
    start = directive.where.end
    after = bisect_left(document.directives, start, key=lambda other: other.where.start)
    end = document.directives[after].where.start if after < len(document.directives) else len(document.code)
    statements = [part.strip() for part in _TEXT.sub(_inside, document.source.view[start:end]).split(b";")]
    return any(statements) and all(_TRAP.fullmatch(part) for part in statements if part)


def _inside(match: re.Match[bytes]) -> bytes:
    return match[0].replace(b";", b" ")


def _value(directive: Directive, context: Context, arch: int | bool) -> bool | None:
    target = context.target

    def macros(name: str) -> Macro:
        if name == _NAME:
            return arch
        defined = target.macro(name)
        return 800 if defined is None and _ARCH_CONSTANT.fullmatch(name) else defined

    return fold_directive(directive.word, directive.condition, macros)


def _continues_macro(document: CodeFile, at: int) -> bool:
    """Whether a place lies on a continuation line of a directive such as #define."""
    line = document.source.line_at(at)
    while line > 1:
        above = document.source.line_span(line - 1)
        text = document.code[above.start : above.end].rstrip()
        if not text.endswith(b"\\"):
            return False
        if text.lstrip().startswith(b"#"):
            return True
        line -= 1
    return False
