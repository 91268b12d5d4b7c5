"""PY-RT-001: errors are recognised by the word CUDA in their text."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place
from rewarp.fixes.splices import and_on_rocm, or_on_rocm
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules._files import is_test
from rewarp.rules.shapes.torch import branches, conditions, refusal
from rewarp.rules.shapes.torch_runtime import TextTest, condition_around, text_tests
from rewarp.targets import Context

_TEXT = re.compile(r"(?i)cuda( runtime)? (out of memory|error)|cuda_error_|cublas_status_")
_OTHER = re.compile(r"(?i)\bhip\b|\bhpu\b|^[^a-z]*out of memory|outofmemoryerror|acceleratorerror")


_CODES = (
    "OUT_OF_MEMORY ALLOC_FAILED NOT_INITIALIZED EXECUTION_FAILED ILLEGAL_ADDRESS LAUNCH_FAILED NO_DEVICE ASSERT "
    "INTERNAL_ERROR INVALID_VALUE UNKNOWN"
).split()


def _also_hip(place: Place) -> Outcome | None:
    test = place.node(ast.expr)
    literal = _only_text(place, test, "CUDA")
    if test is None or literal is None:
        return None
    twin = _with_replaced(place, test, literal, place.view.text(literal).replace("CUDA", "HIP"))
    why = "On ROCm the same error says HIP where it says CUDA."
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotIn, ast.NotEq)):
        return Mend(and_on_rocm(place, test, twin), why)
    return Mend(or_on_rocm(place, test, twin), why)


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


@rule(
    id="PY-RT-001",
    title="An error is recognised by the word CUDA in its text",
    kinds=PYTHON_KINDS,
    anchors=[
        *(
            f"{cuda} {word} ~{cuda} {text}"
            for cuda in ("CUDA", "cuda", "Cuda")
            for word, text in (
                ("memory", "out of memory"),
                ("error", "error"),
                ("Error", "Error"),
                ("error", "runtime error"),
            )
        ),
        *(f"CUDA_ERROR_{name}" for name in _CODES),
        *(f"CUBLAS_STATUS_{name}" for name in _CODES),
    ],
    phase=Phase.DETECTION,
    rocm=Impact(
        Severity.CRASH,
        why='On ROCm the texts say "HIP out of memory" and "HIP error", so the test never holds and what hangs on it, '
        "such as a retry with a smaller batch, never runs.",
        fix='Catch torch.OutOfMemoryError for memory, or also look for the text that starts with "HIP".',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.WRONG,
        why="Gaudi words its errors differently, so the test never holds.",
        fix="Catch torch.OutOfMemoryError for memory, or also look for the texts of the Gaudi bridge.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='if "CUDA out of memory" in str(error):',
    source="https://github.com/pytorch/pytorch/issues/138002",
    fix=PythonFix(_also_hip),
    traits=[Trait.AFTER_FAILURE],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tests for "CUDA out of memory", "CUDA error" and the like that do not also test for the HIP text."""
    tests = list(text_tests(document))
    for test in tests:
        if not _TEXT.search(test.text):
            continue
        together = condition_around(document, test.where)
        others = [t.text for t in tests if condition_around(document, t.where) is together and t.text != test.text]
        names = [document.raw(n) for n in ast.walk(together) if isinstance(n, (ast.Attribute, ast.Name))]
        either = isinstance(together, ast.BoolOp) and isinstance(together.op, ast.Or)
        told = any(_OTHER.search(text) for text in (*others, *names)) or (either and _is_implied(test.text, others))
        if told or _own_text(document, test, tests):
            continue
        shown = test.text if len(test.text) <= 40 else test.text[:37] + "..."
        message = (
            f'the text "{shown}" is expected in an error: on ROCm it says HIP, and what should mend it is not done'
        )
        yield Hit(test.where, message, test.text, severity=Severity.INFO if _only_words(document, test) else None)


def _only_words(document: PythonFile, test: TextTest) -> bool:
    """Whether who finds the text raises all the same, or only logs: then nothing is mended on NVIDIA's GPUs either."""
    if not isinstance(test.where, ast.expr):
        return False
    for condition, positive in conditions(document, test.where):
        excludes = isinstance(test.where, ast.Compare) and isinstance(test.where.ops[0], (ast.NotIn, ast.NotEq))
        fits, _ = branches(condition, positive is not excludes)
        return bool(fits) and (refusal(document, fits) == "stop" or all(map(_is_logged, fits)))
    return False


_LOGS = frozenset("print debug info warning warn error exception critical log".split())


def _is_logged(part: ast.AST) -> bool:
    call = part.value if isinstance(part, ast.Expr) else None
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
    return name in _LOGS


def _is_implied(text: str, others: list[str]) -> bool:
    """Whether another text that is looked for stands in ROCm's wording, too: ``"memory"`` in "HIP out of memory"."""
    there = re.sub("cuda", "hip", text, flags=re.I).lower()
    return any(other.lower() in there for other in others if other)


def _own_text(document: PythonFile, test: TextTest, tests: list[TextTest]) -> bool:
    """Whether the file writes the text itself: it raises it, or it is a test that makes up the error."""
    made_up = is_test(document)
    found = _TEXT.search(test.text)
    text = found[0] if made_up and found else test.text
    looked_for = {other.where for other in tests}
    for node in document.strings:
        if text not in str(node.value):
            continue
        around = list(document.ancestors(node))
        if looked_for.isdisjoint(around) and (made_up or any(_makes_error(document, part) for part in around)):
            return True
    return False


def _makes_error(document: PythonFile, node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return document.raw(node.func).endswith(("Error", "Exception"))
    return isinstance(node, ast.Raise)
