"""Triton kernels: their source is what is compiled, so nothing inside may ask for the platform.

The kernel stays word for word for NVIDIA, and ROCm gets one of its own by the same name.
"""

from __future__ import annotations

import ast

from rewarp.edits import Edit
from rewarp.port.python.model import Mend, Mender, Outcome, Place, Refused
from rewarp.port.python.splices import picked, spans_text
from rewarp.rules.triton._shapes import in_kernel
from rewarp.source import Span

_LINES = 60
"""A longer kernel is not worth a second copy for one argument."""


def dot_precision(place: Place) -> Outcome | None:
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


MENDERS: dict[str, Mender] = {"TRI-005": dot_precision}
