"""PY-CAP-001: the compute capability is compared with NVIDIA's SM numbers."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Outcome, Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.gaudi._shapes import judged_for_gaudi
from rewarp.rules.torch._capability import ANCHORS, Capability, SmTest, about_bf16, asks_cuda, for_amd, tests
from rewarp.rules.torch._fixes import settled
from rewarp.rules.torch._shapes import decides_a_skip, for_nvidia
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
    if _asks_for_ampere(place.document, test):
        why = "AMD's GPUs have what came with Ampere; the digits of a gfx name no longer decide it."
    else:
        why = "The test asks for an NVIDIA architecture; the digits of a gfx name no longer pass for one."
    return settled(place, whole, _is_true_on_amd(place.document, test), why)


def _is_true_on_amd(document: PythonFile, test: SmTest) -> bool:
    """What a test has to come to on AMD's GPUs, whatever their digits are."""
    return _asks_for_ampere(document, test) is not (test.operator in _WITHOUT)


def _asks_for_ampere(document: PythonFile, test: SmTest) -> bool:
    compare = test.node
    return isinstance(compare, ast.Compare) and _whole(document, compare) is compare and _on_ampere_line(test)


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


def _whole(document: PythonFile, compare: ast.Compare) -> ast.expr:
    """The condition around a test, as long as all of it is about the capability."""
    flow = Capability(document)

    def asks(node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return all(map(asks, node.values))
        return isinstance(node, ast.Compare) and any(map(flow.label, [node.left, *node.comparators]))

    found: ast.expr = compare
    parent = document.parent(found)
    while isinstance(parent, ast.BoolOp) and asks(parent):
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
            or for_nvidia(document, test.node)
            or _claims_no_amd(test, context)
            or decides_a_skip(document, test.node)
        )
        yield Hit(
            test.node,
            f"{_subject(test)} is tested ({test.reads}): {_outcome(test, context)}",
            symbol,
            severity=Severity.INFO if mild else None,
            fix=_advice(document, test),
        )


def _advice(document: PythonFile, test: SmTest) -> str | None:
    """What the fix does, for who does it by hand."""
    if not test.values:
        return None
    return _LET_PASS if _is_true_on_amd(document, test) else _KEEP_OFF


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
