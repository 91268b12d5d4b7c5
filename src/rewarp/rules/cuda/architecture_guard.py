"""CU-011: ``__CUDA_ARCH__``."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.branches import are_flags, are_texts, lost_attributes, macros, missed, same
from rewarp.rules.shapes.cuda import (
    KINDS,
    amd_has_its_branch,
    arch_guard,
    else_of_asm,
    is_empty,
    needs_nvidias_switch,
    own_names,
    reachable,
    supplied,
)
from rewarp.source import Span
from rewarp.targets import Context
from rewarp.waves.reading.functions import definitions

_NAME = "__CUDA_ARCH__"
_TEXT = re.compile(rb'"(?:\\.|[^"\\])*"')
_TRAP = re.compile(
    rb"(?:asm|__asm__)[^;]*\b(?:brkpt|trap|exit)\b[^;]*|(?:__trap|__brkpt|abort)\(\)|assert\((?:0|false)\)"
)
_COMPARED = re.compile(rf"\b{_NAME}\b\)?\s*(?:[<>]=?|[=!]=)|(?:[<>]=?|[=!]=)\s*\(?{_NAME}\b")
_ATTRIBUTES = re.compile(
    rb"(?m)^[ \t]*#[ \t]*pragma\b[^\n]*|\b__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)"
    rb"|\b(?:__global__|__device__|__host__|__(?:force|no)inline__|static|inline|void)\b"
)
_TOGETHER = re.compile(
    rb"\b(?:atomic\w+|__sync\w+|__shfl\w*|__ballot\w*|__any\w*|__all\w*|__shared__|(?:thread|block)Idx|\w+Dim)\b"
)
"""What threads do together, or each on its own part: nothing of the host's does the same."""
_HOST_ONLY = re.compile(rb"\bthrow\b|\bstd::(?:cerr|cout|runtime_error|string|vector)\b|\b(?:fprintf|exit|getenv)\s*\(")
_SPECIALISED = re.compile(
    rb"[\s;]*template\s*<[^<>{};()]{0,500}>\s*(?:struct|class)\s+(\w+)\s*<[^{};]{0,500}>\s*(?::[^{};]{0,500})?\{"
)
_GENERAL = rb"\btemplate\s*<[^{};]{0,500}>\s*(?:struct|class)\s+%s\s*(?::[^{};<]{0,500})?\{"
_NO_VALUE = re.compile(rb"return\s*(?:\{\}|-?\d[\w.]*|nullptr|false|true)?\s*;|;*")
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
        if _continues_macro(document, at) or arch_guard(document, context, at) is not None:
            continue
        message = f"{_NAME} is read as a value, and HIP does not define it"
        yield Hit(Span(at, at + len(_NAME)), message, _NAME, severity=Severity.BUILD)


def _judge(document: CodeFile, directive: Directive, context: Context) -> Iterator[Hit]:
    without, ampere, *later = (_value(directive, context, arch) for arch in (False, 800, 900, 1000))
    if without is not None and all(value is without for value in (ampere, *later)):
        return
    where = Span(directive.where.start, directive.where.end)
    if arch_guard(document, context, where.start) is not None:
        return  # HIP does not come here: the test around this one is told
    if amd_has_its_branch(document, directive) or needs_nvidias_switch(document, directive):
        return
    if without is False and _is_for_older(document, directive, context):
        message = f"{_NAME} shows code for GPUs older than Ampere only, which AMD leaves out"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is not None and ampere is without:
        message = f"{_NAME} is not defined on AMD, so this goes the way of an Ampere GPU, not of a newer one"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is False and else_of_asm(document, context, directive):
        message = f"{_NAME} keeps inline PTX off AMD, which takes the #else"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif without is False and _only_traps(document, directive):
        message = f"{_NAME} keeps a trap off AMD: where NVIDIA's code stops, AMD's goes on"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif _is_hint(document, directive):
        message = f"{_NAME} decides about pragmas and launch bounds alone"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif (ways := _two_branches(document, directive, taken=without)) and same(document, *ways):
        return
    elif ways and (hit := _of_macros(document, *ways, where)):
        yield hit
    elif without is not None and _has_older_way(document, directive, taken=without):
        message = f"{_NAME} is not defined on AMD, which takes the branch for older GPUs"
        yield Hit(where, message, _NAME, severity=Severity.PERF)
    elif without is not None and (host := _hosts_way(document, directive, taken=without)) is not None:
        yield from _taken_from_host(document, directive, host, where)
    elif ways and without and not _COMPARED.search(directive.condition) and _adds_for_hosts(document, *ways):
        message = f"{_NAME} is not defined on AMD, where the host's own functions are declared for both"
        yield Hit(where, message, _NAME, severity=Severity.INFO)
    elif _lacks(directive, without) and (arm := _arm_outside_functions(document, directive)) is not None:
        if is_empty(document, arm):
            message = f"{_NAME} decides about macros and includes alone; what asks for them decides"
            yield Hit(where, message, _NAME, severity=Severity.INFO)
        elif _only_specialises(document, arm):
            message = f"{_NAME} keeps specialisations off AMD, which takes the general template"
            yield Hit(where, message, _NAME, severity=Severity.PERF)
        elif not missed(document, context, arm):
            message = f"{_NAME} leaves out what is used only where it leaves out the rest; the tests there are told"
            yield Hit(where, message, _NAME, severity=Severity.INFO)
        else:
            message = (
                f"the condition tests {_NAME}, which HIP does not define: what is defined behind it is missing on AMD"
            )
            yield Hit(where, message, _NAME, severity=Severity.BUILD)
    else:
        outcome = {True: "; here it comes out true", False: "; here it comes out false", None: ""}[without]
        yield Hit(where, f"the condition tests {_NAME}, which HIP does not define{outcome}", _NAME)


def _lacks(directive: Directive, without: bool | None) -> bool:
    """Whether a branch is not AMD's, or only where something else is defined as well."""
    return without is False or (without is None and "!" not in directive.condition and "&&" not in directive.condition)


_FOR_DEVICES = re.compile(rb"(?i)\w*device\w*|__global__")


def _adds_for_hosts(document: CodeFile, theirs: Span, ours: Span) -> bool:
    """Whether AMD's device code only gets functions besides, which the host alone can call."""
    outside = not any(function.body.start <= ours.start < function.body.end for function in definitions(document.code))
    text = document.code[ours.start : ours.end]
    return outside and is_empty(document, theirs) and b"(" in text and not _FOR_DEVICES.search(text)


def _two_branches(document: CodeFile, directive: Directive, *, taken: bool | None) -> tuple[Span, Span] | None:
    """NVIDIA's branch of a test and AMD's, where there are no more than these; what is not there is empty."""
    for conditional in document.every_conditional() if taken is not None else ():
        arms = conditional.arms
        if arms[0].test == directive and (len(arms) == 1 or (len(arms) == 2 and arms[1].test.word == "else")):
            own = Span(*arms[0].body)
            other = Span(*arms[1].body) if len(arms) == 2 else Span(own.end, own.end)
            return (other, own) if taken else (own, other)
    return None


def _of_macros(document: CodeFile, theirs: Span, ours: Span, where: Span) -> Hit | None:
    """Of branches that define macros alone: those whose meaning is known."""
    nvidia, amd = macros(document, theirs), macros(document, ours)
    if nvidia is None or amd is None:
        return None
    lost = lost_attributes(document, nvidia, amd) if nvidia or amd else None
    if lost:
        name = lost[0].decode("utf-8", "replace")
        message = (
            f"{_NAME} is not defined on AMD, where {name} stands for nothing: what is declared with it is the host's"
        )
        return Hit(where, message, _NAME, severity=Severity.BUILD)
    if lost == []:
        message = f"{_NAME} decides about attributes that AMD's compiler does without"
    elif are_texts(nvidia | amd):
        message = f"{_NAME} decides about pieces of text alone; what takes them is told"
    elif are_flags(nvidia | amd):
        message = f"{_NAME} decides about switches alone; what asks for them decides"
    else:
        return None
    return Hit(where, message, _NAME, severity=Severity.INFO)


def _arm_outside_functions(document: CodeFile, directive: Directive) -> Span | None:
    """The code behind a condition that stands in no function, and has no other way."""
    arms = [arm for one in document.every_conditional() if len(one.arms) == 1 for arm in one.arms]
    arm = next((arm for arm in arms if arm.test == directive), None)
    if arm is None or any(
        function.body.start <= directive.where.start < function.body.end for function in definitions(document.code)
    ):
        return None
    return Span(*arm.body)


def _only_specialises(document: CodeFile, arm: Span) -> bool:
    """Whether a branch holds nothing but specialisations of templates that the file defines in general outside of it."""
    names: set[bytes] = set()
    at = arm.start
    code = document.code
    while code[at : arm.end].strip(b" \t\r\n;"):
        head = _SPECIALISED.match(code, at, arm.end)
        if head is None:
            return False
        names.add(head[1])
        at = document.closing(head.end() - 1)
    outside = code[: arm.start] + code[arm.end :]
    return bool(names) and all(re.search(_GENERAL % re.escape(name), outside) for name in names)


def _is_for_older(document: CodeFile, directive: Directive, context: Context) -> bool:
    """Whether all that a branch holds stands behind further tests, which no GPU from Ampere on passes."""
    arms = (arm for conditional in document.every_conditional() for arm in conditional.arms)
    branch = next((arm for arm in arms if arm.test == directive), None)
    if branch is None or not branch.nested:
        return False
    at = branch.body.start
    for inner in branch.nested:
        if document.code[at : inner.arms[0].test.where.start].strip() or inner.end is None:
            return False
        if any(_value(arm.test, context, arch) is not False for arm in inner.arms for arch in (800, 900, 1000)):
            return False
        at = inner.end.where.end
    return not document.code[at : branch.body.end].strip()


def _arms(document: CodeFile, directive: Directive) -> tuple[Span | None, list[Span]]:
    """The branch behind a test, and those after it."""
    for conditional in document.every_conditional():
        tests = [arm.test for arm in conditional.arms]
        if directive in tests:
            at = tests.index(directive)
            return Span(*conditional.arms[at].body), [Span(*arm.body) for arm in conditional.arms[at + 1 :]]
    return None, []


def _is_hint(document: CodeFile, directive: Directive) -> bool:
    """Whether no branch holds more than pragmas and what is said of a kernel's size."""
    own, later = _arms(document, directive)
    if own is None:
        return False
    texts = [_ATTRIBUTES.sub(b"", document.code[arm.start : arm.end]).strip() for arm in (own, *later)]
    return not any(texts) and any(document.code[arm.start : arm.end].strip() for arm in (own, *later))


def _has_older_way(document: CodeFile, directive: Directive, *, taken: bool) -> bool:
    """Whether the test is for a number of an architecture, and the branch that AMD takes has code in place of another's."""
    if not _COMPARED.search(directive.condition):
        return False  # device code told from the host's
    own, later = _arms(document, directive)
    if own is None or not any(not _is_blank(document, arm) for arm in later):
        return False
    return not _is_blank(document, own) if taken else any(not is_empty(document, arm) for arm in later)


def _is_blank(document: CodeFile, arm: Span) -> bool:
    return not document.code[arm.start : arm.end].strip()


def _hosts_way(document: CodeFile, directive: Directive, *, taken: bool) -> tuple[Span, Span] | None:
    """Of a test for device code with one branch for each: the device's and the host's."""
    own, later = _arms(document, directive)
    if own is None or len(later) != 1 or any(is_empty(document, arm) for arm in (own, *later)):
        return None
    return (later[0], own) if taken else (own, later[0])


def _taken_from_host(document: CodeFile, directive: Directive, ways: tuple[Span, Span], where: Span) -> Iterator[Hit]:
    device, host = (document.code[arm.start : arm.end] for arm in ways)
    if _TOGETHER.search(device) or _NO_VALUE.fullmatch(host.strip()):
        message = f"{_NAME} is not defined on AMD: device code takes the host's branch, which does not do the same"
        yield Hit(where, message, _NAME)
    elif _HOST_ONLY.search(host):
        message = f"{_NAME} is not defined on AMD: device code takes the host's branch, which does not compile there"
        yield Hit(where, message, _NAME, severity=Severity.BUILD)
    else:
        message = f"{_NAME} is not defined on AMD: device code takes the host's branch"
        yield Hit(where, message, _NAME, severity=Severity.INFO)


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
