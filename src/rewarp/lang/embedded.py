"""Device code that a Python file holds as text: for ``load_inline``, CuPy's ``RawKernel``, NVRTC, PyCUDA."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.lang.python import PythonFile
from rewarp.source import SourceFile, Span
from rewarp.targets.base import Target

WORDS = (b"__global__", b"__device__")
_TEXT = re.compile(rb"(?is)[rbu]{0,2}(\"\"\"|''')(?P<code>.*)\1")
_BLANK = re.compile(rb"[^\r\n]")
_DEVICE_CODE = re.compile(r"\b__(?:global|device)__\b[^;=]*?\([^;]*?\)\s*\{", re.DOTALL)


def device_texts(document: PythonFile, target: Target) -> Iterator[tuple[ast.Constant, Span]]:
    """Texts of device code that may run on the target, with the span of the code in each."""
    for node in document.strings:
        if not isinstance(node.value, str) or not _DEVICE_CODE.search(node.value) or document.unreachable(node, target):
            continue
        if isinstance(
            document.parent(node), (ast.JoinedStr, ast.FormattedValue, ast.Expr)
        ):  # half a text, or a docstring
            continue
        span = document.span(node)
        found = _TEXT.fullmatch(document.source.view[span.start : span.end])
        if found and found[1] not in found["code"]:
            yield node, Span(span.start + found.start("code"), span.start + found.end("code"))


def device_code(document: PythonFile, target: Target) -> SourceFile | None:
    """The file with everything blanked that is no device code, so that places stay where they are; None where it has none that
    runs on the target."""
    view = document.source.view
    parts: list[bytes] = []
    at = 0
    for start, end in sorted(span for _, span in device_texts(document, target)):
        parts += [_BLANK.sub(b" ", view[at:start]), view[start:end]]
        at = end
    if not parts:
        return None
    return SourceFile(document.source.path, document.source.restored(b"".join([*parts, _BLANK.sub(b" ", view[at:])])))
