"""PY-CAP-001: the compute capability is compared with NVIDIA's SM numbers."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Outcome, Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.gaudi import judged_for_gaudi
from rewarp.rules.shapes.torch import branches, conditions, decides_a_skip, for_nvidia, nvidia_only, words
from rewarp.rules.shapes.torch_runtime import survives
from rewarp.rules.shapes.torch_test_fixes import settled
from rewarp.rules.torch._capability import (
    ANCHORS,
    Capability,
    SmTest,
    about_bf16,
    asks_cuda,
    for_amd,
    sm_version,
    tests,
)
from rewarp.targets import Context

_WITHOUT = (ast.Lt, ast.LtE, ast.NotEq, ast.NotIn)
"""Operators of a test for GPUs that are older than the architecture, or another one."""
_LET_PASS = (
    "What came with Ampere (8.0 to 8.8) every AMD GPU that PyTorch supports has: let ROCm pass the test, "
    "`torch.version.hip is not None or ...`."
)
_KEEP_OFF = (
    "What another architecture has is NVIDIA's own: keep the test for NVIDIA, `torch.version.hip is None and ...`, and "
    'where AMD\'s GPUs differ tell them apart by `torch.cuda.get_device_properties(i).gcnArchName.split(":")[0]`.'
)
_AMPERE = ((8, 0), (8, 9))
"""From Ampere up to Ada: bfloat16, large shared memory, flash attention. Every AMD GPU that PyTorch supports has that;
what came later (FP8 in NVIDIA's format, TMA, clusters) is NVIDIA's own."""


def _for_amd_by_architecture(place: Place) -> Outcome | None:
    compare = place.node(ast.Compare)
    test = next((test for test in tests(place.document) if test.node is compare), None)
    if compare is None or test is None:
        return None
    if not test.values:
        return Refused("the number that it is compared with comes from elsewhere, and may be one for AMD")
    whole = _whole(place.document, compare)
    if _OF_FP8.search(_answers_for(place.document, whole)):
        return Refused("gfx942 and later have FP8, and older GPUs of AMD's do not: ask gcnArchName for it")
    if _asks_for_ampere(place.document, test):
        why = "AMD's GPUs have what came with Ampere; the digits of a gfx name no longer decide it."
    else:
        why = "The test asks for an NVIDIA architecture; the digits of a gfx name no longer pass for one."
    return settled(place, whole, _is_true_on_amd(place.document, test), why)


_OF_FP8 = re.compile(r"(?i)(?<![a-z0-9])_?(fp8|float8|e4m3|e5m2)")


def _answers_for(document: PythonFile, test: ast.expr) -> str:
    """The name of what a test is the answer for: of the function that returns it, or of the variable that it is given to."""
    parent = document.parent(test)
    if isinstance(parent, ast.Assign):
        return ast.unparse(parent.targets[0])
    if not isinstance(parent, ast.Return):
        return ""
    node: ast.AST | None = parent
    while node is not None and not isinstance(node, ast.FunctionDef):
        node = document.parent(node)
    return node.name if node is not None else ""


def _is_true_on_amd(document: PythonFile, test: SmTest) -> bool:
    """What a test has to come to on AMD's GPUs, whatever their digits are."""
    return _asks_for_ampere(document, test) is not (test.operator in _WITHOUT)


def _asks_for_ampere(document: PythonFile, test: SmTest) -> bool:
    compare = test.node
    return isinstance(compare, ast.Compare) and _whole(document, compare) is compare and _on_ampere_line(test)


def _on_ampere_line(test: SmTest) -> bool:
    if test.operator not in (ast.GtE, ast.Lt) or len(test.values) != 1:
        return False
    version = sm_version(test.values[0])
    return version is not None and _AMPERE[0] <= version < _AMPERE[1]


def _whole(document: PythonFile, compare: ast.Compare) -> ast.expr:
    """The condition around a test, as long as all of it is about the capability."""
    flow = Capability(document)

    def compares_capability(node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return all(map(compares_capability, node.values))
        return isinstance(node, ast.Compare) and any(map(flow.label, [node.left, *node.comparators]))

    found: ast.expr = compare
    parent = document.parent(found)
    while isinstance(parent, ast.BoolOp) and compares_capability(parent):
        found, parent = parent, document.parent(parent)
    return found


@rule(
    id="PY-CAP-001",
    title="Compute capability is compared with SM numbers",
    kinds=PYTHON_KINDS,
    anchors=ANCHORS,
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.WRONG,
        why="On ROCm the capability is made of the digits of the gfx name: gfx90a is (9, 0), gfx942 (9, 4), gfx950 (9, 5), "
        "RDNA3 (11, x), RDNA4 (12, 0). A test written for NVIDIA's numbers still runs, and decides about "
        "another GPU: MI200 passes for Hopper though it has no FP8.",
        fix=f"{_LET_PASS} {_KEEP_OFF}",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="Gaudi has no SM version: torch.hpu.get_device_capability() does not return a (major, minor) pair of numbers.",
        fix="Decide by the device, `torch.hpu.get_device_name()` is GAUDI2 or GAUDI3, and keep the SM test for NVIDIA.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example="if torch.cuda.get_device_capability() >= (9, 0):\n    use_fp8 = True",
    source="https://github.com/vllm-project/vllm/issues/40620",
    fix=PythonFix(_for_amd_by_architecture),
    traits=[Trait.TELLS_NVIDIAS_APART],
)
@judged_for_gaudi
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for comparisons, look-ups and matches of torch.cuda.get_device_capability() or the major and minor of
    get_device_properties(), also through variables, arithmetic and the file's own functions, with SM numbers."""
    for test in tests(document):
        if about_bf16(document, test) or for_amd(document, test.node):  # bfloat16 is PY-CAP-009
            continue
        symbol = "torch.cuda.get_device_capability"
        if context.target.name != "rocm":
            message = f"{_subject(test)} is tested ({test.reads}); Gaudi has no SM number"
            raises = Severity.CRASH if asks_cuda(document, test) else None
            yield Hit(test.node, message, symbol, severity=raises)
            continue
        # Whatever is newer than Turing passes a Volta or Turing test, and so does every AMD GPU: as it should.
        mild = (
            (bool(test.values) and test.highest < 8)
            or _asks_for_fp8(test)
            or for_nvidia(document, test.node)
            or _claims_no_amd(test, context)
            or decides_a_skip(document, test.node)
            or _is_right_already(document, test, context)
            or survives(document, test.node, "Exception", "BaseException")
        )
        yield Hit(
            test.node,
            f"{_subject(test)} is tested ({test.reads}): {_outcome(test, context)}",
            symbol,
            severity=Severity.INFO if mild or _only_tunes(document, test.node) else _proved(document, test),
            fix=_advice(document, test),
        )


def _proved(document: PythonFile, test: SmTest) -> Severity | None:
    """Wrong is what takes the GPU for one of NVIDIA's and does what only those can; else it is the way for another GPU."""
    if not isinstance(test.node, ast.expr):
        return Severity.PERF
    for condition, positive in conditions(document, test.node):
        taken, otherwise = branches(condition, positive)
        if any(True for _ in nvidia_only(document, taken, otherwise)):
            return None
        own = otherwise if test.operator in _WITHOUT else taken
        if any(_OF_HOPPER.search(word) for word in words(*own)):
            return None
    return Severity.PERF


_OF_HOPPER = re.compile(
    r"(?i)(?<![a-z])(flash_?att(n|ention)_?v?[34]|fa[34]|hopper|sm_?(90|100)a?|wgmma|tcgen05)(?![a-z0-9])"
)
"""What is chosen for these architectures by name, and runs on none of AMD's."""


def _advice(document: PythonFile, test: SmTest) -> str | None:
    """What the fix does, for who does it by hand."""
    if not test.values:
        return None
    return _LET_PASS if _is_true_on_amd(document, test) else _KEEP_OFF


def _is_right_already(document: PythonFile, test: SmTest, context: Context) -> bool:
    """Whether every AMD GPU gets the answer that it should have: what came with Ampere it has."""
    answers = set(test.answers(context).values())
    return _asks_for_ampere(document, test) and answers == {_is_true_on_amd(document, test)}


_PLAIN = (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.Name, ast.UnaryOp, ast.BinOp, ast.expr_context, ast.operator)


def _only_tunes(document: PythonFile, node: ast.AST) -> bool:
    """Whether a condition chooses between numbers, such as sizes of blocks, and nothing else hangs on it."""
    found = next(conditions(document, node), None) if isinstance(node, ast.expr) else None
    if found is None:
        return False
    values = [value for block in branches(*found) for part in block for value in _values(part)]
    return bool(values) and all(value is not None and _is_figures(value) for value in values)


def _values(part: ast.AST) -> Iterator[ast.expr | None]:
    """What a branch, and further branches in it, give or set; None for anything else that they do."""
    if isinstance(part, ast.If):
        for inner in (*part.body, *part.orelse):
            yield from _values(inner)
    elif isinstance(part, (ast.Return, ast.Assign, ast.AnnAssign)):
        yield part.value
    else:
        yield part if isinstance(part, ast.expr) else None


def _is_figures(value: ast.expr) -> bool:
    """Whether an expression is made of numbers; the keys of a table may be words."""
    keys = {key for part in ast.walk(value) if isinstance(part, ast.Dict) for key in part.keys}
    parts = [part for part in ast.walk(value) if part not in keys]
    numbers = [part.value for part in parts if isinstance(part, ast.Constant)]
    return bool(numbers) and all(type(n) in (int, float) for n in numbers) and all(isinstance(p, _PLAIN) for p in parts)


def _asks_for_fp8(test: SmTest) -> bool:
    """``>= (8, 9)``: FP8, which gfx942 and later have; older ones pass, too."""
    versions = [sm_version(value) for value in test.values]
    return test.operator in (ast.GtE, ast.Lt) and versions == [(8, 9)]


def _claims_no_amd(test: SmTest, context: Context) -> bool:
    """Whether no AMD GPU passes for the SM that is asked for: then its code is left alone, as it would be by hand."""
    answers = test.answers(context)
    asked_for = test.operator not in (ast.Lt, ast.LtE, ast.NotEq, ast.NotIn)
    return bool(answers) and not test.reads.startswith("a table") and asked_for not in answers.values()


def _subject(test: SmTest) -> str:
    return {"major": "The major compute capability", "minor": "The minor compute capability"}.get(
        test.form, "The compute capability"
    )


def _outcome(test: SmTest, context: Context) -> str:
    answers = test.answers(context)
    yes = [gpu for gpu, answer in answers.items() if answer]
    no = [gpu for gpu, answer in answers.items() if not answer]
    if not answers:
        return "AMD GPUs answer with the digits of their gfx name"
    if not no or not yes:
        who = f"on {next(iter(answers))}" if len(answers) == 1 else "on every AMD GPU"
        return f"{'true' if yes else 'false'} {who}, whatever it can do"
    if test.reads.startswith("a table"):
        return f"it has an entry that fits {', '.join(yes)} by accident and none for {', '.join(no)}"
    return f"true on {', '.join(yes)} and false on {', '.join(no)}"
