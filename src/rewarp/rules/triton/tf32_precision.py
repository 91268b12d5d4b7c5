"""TRI-005: ``input_precision`` values the AMD backend refuses."""

import ast
from collections.abc import Iterator

from rewarp.edits import Edit, Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Mend, Outcome, Place, Refused
from rewarp.fixes.splices import picked, spans_text
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.lang.python_parameters import defaults
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.triton import in_kernel, launches, triton_name, values
from rewarp.source import Span
from rewarp.targets import Context

# The source of a kernel is what is compiled, so nothing inside may ask for the platform: the kernel stays word for word
# for NVIDIA, and ROCm gets one of its own by the same name.
_LINES = 60
"""A longer kernel is not worth a second copy for one argument."""


def _ieee(place: Place) -> Outcome | None:
    """``tl.dot(…, input_precision="tf32")``: AMD's GPUs but for gfx942 take ``"ieee"`` only."""
    texts = [
        node
        for top in place.nodes[:1]
        for node in ast.walk(top)
        if isinstance(node, ast.Constant) and node.value in ("tf32", "tf32x3")
    ]
    why = "AMD's matrix cores multiply float32 as such, not as TF32."
    if len(texts) == 1 and not in_kernel(place.document, texts[0]):  # what a launch hands over
        return Mend(picked(place, texts[0], '"ieee"'), why)
    kernel = place.document.enclosing(texts[0], ast.FunctionDef) if len(texts) == 1 else None
    if kernel is None or place.document.parent(kernel) is not place.document.tree:
        return None
    if (kernel.end_lineno or kernel.lineno) - kernel.lineno > _LINES or spans_text(kernel):
        return Refused(f"the kernel is long, or holds text over several lines: {place.finding.fix}")
    return Mend(_second(place, kernel, texts[0], '"ieee"'), why)


def _second(place: Place, kernel: ast.FunctionDef, part: ast.expr, text: str) -> tuple[Edit, ...]:
    """The kernel for everybody else, and a second one for ROCm in which a part is written otherwise."""
    view = place.view
    first = min([kernel.lineno, *(item.lineno for item in kernel.decorator_list)])
    last = kernel.end_lineno or kernel.lineno
    start, end = view.line(first).start, view.line(last).end
    data = view.source.data
    at = view.span(part)
    copied = data[start : at.start] + view.encode(text) + data[at.end : end]
    unit, newline = view.encode(view.unit), view.encode(view.newline)
    lines = [unit + line if line.strip() else line for line in copied.split(newline)]
    edits = [Edit(Span(start, start), view.encode(f"if {place.gate.nvidia}:{view.newline}") + newline + unit)]
    for line in range(first + 1, last + 1):
        span = view.line(line)
        if data[span.start : span.end].strip():
            edits.append(Edit(Span(span.start, span.start), unit))
    return (*edits, Edit(Span(end, end), newline.join([b"", b"else:", b"", *lines])))


@rule(
    id="TRI-005",
    title="tl.dot asks for TF32",
    kinds=PYTHON_KINDS,
    anchors=["tf32", "tf32x3", "TF32", "TF32x3", "TF32X3"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.CRASH,
        why="Triton's AMD backend accepts ieee, bf16x3 and bf16x6, and tf32 on gfx942 alone; any other value is an "
        "assertion while the kernel compiles. (allow_tf32=True is harmless: it falls back to ieee.)",
        fix='Pass the precision as a constexpr argument and choose it at the launch: "ieee" if torch.version.hip else '
        '"tf32".',
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='acc = tl.dot(a, b, acc, input_precision="tf32")',
    versions="triton >= 3.0",
    source="https://github.com/triton-lang/triton/blob/main/python/triton/language/semantic.py",
    fix=PythonFix(_ieee, even_if_mild=True),  # a kernel is for every AMD GPU
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for tf32 or tf32x3 as input_precision of tl.dot, given there, as a default or at the launch."""
    for where, text in _precisions(document):
        refused = text.lower()
        # gfx942 is the one architecture with tf32.
        if refused == "tf32x3" or (refused == "tf32" and context.versions.arch != "gfx942"):
            known = "no AMD GPU has it" if refused == "tf32x3" else "of AMD's GPUs only gfx942 has it"
            severity = Severity.INFO if refused == "tf32" and context.versions.arch is None else None
            yield Hit(where, f"input_precision is {text!r}; {known}", "tl.dot", severity)


def _precisions(document: PythonFile) -> Iterator[tuple[ast.AST, str]]:
    parameters: set[str] = set()
    for call in document.nodes(ast.Call):
        if triton_name(document, call.func) not in ("tl.dot", "tl.dot_scaled"):
            continue
        given = document.argument(call, 3, "input_precision")
        if given is None:
            continue
        if isinstance(given, ast.Name):
            parameters.add(given.id)
        for value in (*values(document, given), *_defaults(document, given)):
            if text := document.string(value):
                yield value, text
    for call in launches(document):
        for keyword in call.keywords:
            if keyword.arg and ("precision" in keyword.arg.lower() or keyword.arg in parameters):
                for value in values(document, keyword.value):
                    if text := document.string(value):
                        yield value, text


def _defaults(document: PythonFile, name: ast.expr) -> Iterator[ast.expr]:
    """The default of the kernel parameter that a name is."""
    function = document.enclosing(name, ast.FunctionDef)
    if not isinstance(name, ast.Name) or function is None:
        return
    for argument, default in defaults(function.args):
        if argument.arg == name.id:
            yield from values(document, default)
