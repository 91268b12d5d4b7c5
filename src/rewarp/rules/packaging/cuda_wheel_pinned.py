"""PKG-003: wheels built for one CUDA version."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document, Requirement
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.shell import install_words
from rewarp.lang.toml import TomlFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules._files import by_side, is_test
from rewarp.rules.shapes.packaging import (
    PACKAGE_KINDS,
    REQUIREMENTS_FOR_AMD,
    asked_for,
    is_asked_of_amd,
    is_for_nvidia,
    offered_for,
    once_each,
)
from rewarp.targets import Context

_CUDA_WHEEL = re.compile(
    r"(?:\+|%2B)cu(?:\d{2,3}(?!\d)|[${(])|whl/(?:nightly/|test/)?cu(?:\d{2,3}(?!\d)|[${(])|[-+.]cu\d{2,3}[\w.+-]{0,200}\.whl"
    r"|--torch-backend=cu(?:\d{2,3}(?!\d)|[${(])",
)
_TAKES_WHEELS = re.compile(
    r"pip[\d.]*|pipenv|pipx|python[\d.]*(\.exe)?|py|uv|uvx|poetry|pdm|conda|mamba|micromamba|wget|curl|aria2c|docker|podman"
    r"|nerdctl|buildah|srun|ssh|sh|bash|zsh|eval|timeout|retry|xargs|make|cmake|tox|nox|hatch|pixi|[${].*"
)
"""Programs that install, fetch or pass on what they are given; anything else may only talk about it."""
_COMPARED = (ast.Compare, ast.Assert)
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)(?::?-[^}]*)?\}?")
_WHOLE_URL = re.compile(r"https?://\S+")


def _texts(document: Document) -> Iterator[tuple[str, Any]]:
    """Everything in a file that can name a wheel or an index."""
    yield from ((item.text, item) for item in asked_for(document))
    values = {item.name: item.value for item in document.env_sets if item.value}
    for command in document.commands:
        if _TAKES_WHEELS.fullmatch(command.name) or install_words(command):
            yield from ((_filled(word.text, values), word) for word in command.words)
    if not is_test(document):  # the values a test sets up are examples
        yield from ((item.value, item) for item in document.env_sets if item.value)
    if isinstance(document, TomlFile):
        # What uv's tables say about indexes is PKG-009's subject.
        yield from ((item.value, item.span) for item in document.strings if item.path[:2] != ("tool", "uv"))
    elif isinstance(document, YamlFile):
        yield from ((item.value, item.span) for item in document.entries if _WHOLE_URL.fullmatch(item.value))
        if document.is_conda:
            options = (item for item in document.entries if item.key == "pip" and item.value.startswith("-"))
            yield from ((item.value, item.span) for item in options)
    elif isinstance(document, PythonFile) and not is_test(document):
        for node in document.strings:
            text = document.string(node) or ""
            parent = document.parent(node)
            apart = isinstance(parent, (ast.JoinedStr, ast.BinOp, *_COMPARED)) or _only_compares(parent)
            if not apart and (_WHOLE_URL.fullmatch(text) or text.startswith(("pip install ", "pip3 install "))):
                yield text, node


def _filled(text: str, values: dict[str, str]) -> str:
    """A word with the variables put in that stand for a part of an address."""
    if "$" not in text or "whl" not in text:
        return text
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), text)


def _only_compares(parent: ast.AST | None) -> bool:
    """Whether a call only compares a text with another one."""
    if not isinstance(parent, ast.Call) or not isinstance(parent.func, ast.Attribute):
        return False
    return parent.func.attr in ("startswith", "endswith", "count", "find", "index") or parent.func.attr.startswith(
        "assert"
    )


def _one_per_list(document: Document, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Of the wheels in one list of a TOML file only the first: an extra may spell out every Python version."""
    lists = {item.span: item.path for item in document.strings} if isinstance(document, TomlFile) else {}
    seen: set[tuple[str, ...]] = set()
    for hit in hits:
        path = lists.get(document.span(hit.where))
        if path is None or path not in seen:
            yield hit
        if path is not None:
            seen.add(path)


@rule(
    id="PKG-003",
    title="A wheel or index for one CUDA version",
    kinds=(*PACKAGE_KINDS, Kind.DOTENV),
    anchors=["whl", "~+cu", "~2Bcu", "~torch-backend=cu"],
    python_anchors=["whl", *(f"cu{major}{minor}" for major in (11, 12, 13) for minor in range(10))],
    phase=Phase.ENVIRONMENT,
    rocm=Impact(
        Severity.CRASH,
        why="A +cuNNN version, a whl/cuNNN index, a wheel with cuNNN in its name or uv's --torch-backend=cuNNN exists for NVIDIA GPUs only.",
        fix="Keep it for NVIDIA and write a parallel file or branch that uses "
        "--index-url https://download.pytorch.org/whl/rocmX.Y.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    gaudi=Impact(
        Severity.ON_CPU,
        why="A +cuNNN version, a whl/cuNNN index, a wheel with cuNNN in its name or uv's --torch-backend=cuNNN exists for NVIDIA GPUs only.",
        fix="Keep it for NVIDIA; on Gaudi use the torch build that comes with the Gaudi software.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124",
    source="https://github.com/oobabooga/text-generation-webui/pull/4052",
    fix=REQUIREMENTS_FOR_AMD,
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for +cuNNN versions, whl/cuNNN indexes and wheels with cuNNN in their name, in requirements, in commands
    that install or fetch, and in variables; the texts of a test do not count. A file that also names a source for the
    target already has both arms, so there it only informs, as in an extra that is NVIDIA's by its name; in a list that is
    AMD's by its name it stands."""
    offered = offered_for(document, context.target.name)
    released = (
        {item.span for item in document.strings if item.path[:2] == ("tool", "cibuildwheel")}
        if isinstance(document, TomlFile)
        else set()
    )  # how wheels are made is a matter of the project's own machines
    groups = {item.span: "".join(item.path[-1:]) for item in document.strings} if isinstance(document, TomlFile) else {}

    def found() -> Iterator[Hit]:
        for text, where in _texts(document):
            wheel = _CUDA_WHEEL.search(text)
            if wheel:
                group = where.group if isinstance(where, Requirement) else groups.get(where, "")
                both = offered and not is_asked_of_amd(document, group)
                severity = Severity.INFO if both or is_for_nvidia(group) or where in released else None
                thing = wheel[0] if len(text) > 100 or "\n" in text else text
                yield Hit(where, f"{thing.strip()} is for NVIDIA GPUs", "cuda wheel", severity)

    yield from by_side(document, _one_per_list(document, once_each(document, found())))
