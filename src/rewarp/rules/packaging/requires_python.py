"""PKG-011: the Python version a project asks for."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from rewarp.findings import Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.toml import TomlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.packaging import PACKAGE_KINDS
from rewarp.targets import Context

_GPU_PACKAGE = re.compile(r"torch|torchvision|torchaudio|triton|jax|nvidia-.+|cupy-.+|cuda-.+")
_WITH_WHEELS = [f"3.{minor}" for minor in range(10, 15)]


def _declared(document: Document) -> Iterator[tuple[str, Any]]:
    if isinstance(document, TomlFile):
        for item in document.strings:
            if item.path == ("project", "requires-python"):
                yield item.value, item.span
    elif isinstance(document, PythonFile):
        for keyword in document.nodes(ast.keyword):
            text = document.string(keyword.value) if keyword.arg == "python_requires" else None
            if text:
                yield text, keyword.value


@rule(
    id="PKG-011",
    title="requires-python needs no change",
    kinds=PACKAGE_KINDS,
    anchors=["requires python", "python_requires"],
    python_anchors=["python_requires", "requires ~ignore-requires-python"],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.WORKS,
        why="Current torch wheels for ROCm exist for Python 3.10 to 3.14, so a minimum raised for NVIDIA's wheels is "
        "no obstacle. pip's --ignore-requires-python hides real misfits and is not needed.",
    ),
    example='requires-python = ">=3.11"',
    source="https://rocm.docs.amd.com/en/7.12.0-preview/rocm-for-ai/jax.html",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for a requires-python of 3.10 or later in a project that asks for torch, and for pip's
    --ignore-requires-python."""
    for command in document.commands:
        for word in command.words:
            if word.text == "--ignore-requires-python":
                message = "pip is told to ignore the Python versions a package supports"
                yield Hit(word, message, word.text, Severity.INFO, "Drop --ignore-requires-python.")
    if document.kind not in (Kind.PYPROJECT, Kind.PYTHON):
        return
    if not any(_GPU_PACKAGE.fullmatch(item.name) for item in document.requirements):
        return
    for text, where in _declared(document):
        try:
            wanted = SpecifierSet(text)
        except InvalidSpecifier:
            continue
        if "3.9" not in wanted and any(version in wanted for version in _WITH_WHEELS):
            yield Hit(where, f"Python {text} has torch wheels for ROCm", "requires-python")
