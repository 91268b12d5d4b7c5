"""PKG-003: wheels built for one CUDA version."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.toml import TomlFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side
from rewarp.rules.packaging._shapes import PACKAGE_KINDS, offered_for, once_each
from rewarp.targets import Context

_CUDA_WHEEL = re.compile(
    r"(?:\+|%2B)cu(?:\d{2,3}(?!\d)|[${(])|whl/(?:nightly/|test/)?cu(?:\d{2,3}(?!\d)|[${(])|[-+.]cu\d{2,3}[\w.+-]*\.whl",
)
_TALK = {"echo", "printf", "cat", "grep", "sed", "awk"}
_WHOLE_URL = re.compile(r"https?://\S+")


def _texts(document: Document) -> Iterator[tuple[str, Any]]:
    """Everything in a file that can name a wheel or an index."""
    yield from ((item.text, item) for item in document.requirements)
    for command in document.commands:
        if command.name not in _TALK:
            yield from ((word.text, word) for word in command.words)
    yield from ((item.value, item) for item in document.env_sets if item.value)
    if isinstance(document, TomlFile):
        # What uv's tables say about indexes is PKG-009's subject.
        yield from ((item.value, item.span) for item in document.strings if item.path[:2] != ("tool", "uv"))
    elif isinstance(document, YamlFile):
        yield from ((item.value, item.span) for item in document.entries if _WHOLE_URL.fullmatch(item.value))
    elif isinstance(document, PythonFile):
        for node in document.strings:
            text = document.string(node) or ""
            inside = isinstance(document.parent(node), (ast.JoinedStr, ast.BinOp))
            if not inside and (_WHOLE_URL.fullmatch(text) or text.startswith(("pip install ", "pip3 install "))):
                yield text, node


@rule(
    id="PKG-003",
    title="A wheel or index for one CUDA version",
    kinds=(*PACKAGE_KINDS, Kind.DOTENV),
    anchors=["whl", "~+cu", "~2Bcu"],
    python_anchors=["whl", *(f"cu{major}{minor}" for major in (11, 12, 13) for minor in range(10))],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="A +cuNNN version, a whl/cuNNN index or a wheel with cuNNN in its name exists for NVIDIA GPUs only.",
        fix="Keep it for NVIDIA and write a parallel file or branch that uses "
        "--index-url https://download.pytorch.org/whl/rocmX.Y.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.CRASH,
        why="A +cuNNN version, a whl/cuNNN index or a wheel with cuNNN in its name exists for NVIDIA GPUs only.",
        fix="Keep it for NVIDIA; on Gaudi use the torch build that comes with the Gaudi software.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124",
    source="https://github.com/oobabooga/text-generation-webui/pull/4052",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for +cuNNN versions, whl/cuNNN indexes and wheels with cuNNN in their name, in requirements, commands and
    variables. A file that also names a source for the target already has both arms, so there it only informs."""
    severity = Severity.INFO if offered_for(document, context.target.name) else None

    def found() -> Iterator[Hit]:
        for text, where in _texts(document):
            wheel = _CUDA_WHEEL.search(text)
            if wheel:
                thing = wheel[0] if len(text) > 100 or "\n" in text else text
                yield Hit(where, f"{thing.strip()} is for NVIDIA GPUs", "cuda wheel", severity)

    yield from by_side(document, once_each(document, found()))
