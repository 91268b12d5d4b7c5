"""Shapes that many library rules share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewarp.findings import Severity
from rewarp.lang.python import PythonFile
from rewarp.lang.python_names import Import
from rewarp.registry import Hit
from rewarp.targets import Context

_NVIDIA_NAMES = (
    *("nvidia", "cutlass", "cute", "cutedsl", "cutile", "hopper", "blackwell", "flashinfer", "deepgemm", "trtllm"),
    *("nvshmem", "tensorrt", "trt", "cufile", "marlin", "machete", "modelopt"),
)


def imports_of(
    document: PythonFile,
    *packages: str,
    optional: Severity = Severity.INFO,
    deferred: Severity | None = None,
    folders: bool = False,
) -> Iterator[Hit]:
    """A hit for every import of these packages; one that already has a fallback is milder.

    ``deferred`` is the severity inside a function, if it differs. With ``folders`` an import in
    a file that is named for NVIDIA's hardware only informs: what counts is who imports it.
    """
    seen: set[ast.AST] = set()
    for item in document.imports_of(*packages):
        if item.node not in seen:
            seen.add(item.node)
            yield import_hit(document, item, optional=optional, deferred=deferred, folders=folders)


def noted(hits: Iterable[Hit], context: Context, build: str) -> Iterator[Hit]:
    """Imports of a package that has a build for ROCm under the same name: which one is installed is no matter of the code."""
    for hit in hits:
        if context.target.name == "rocm":
            yield replace(hit, message=f"{hit.message}; {build}", severity=Severity.INFO)
        else:
            yield hit


def import_hit(
    document: PythonFile,
    item: Import,
    *,
    what: str = "",
    optional: Severity = Severity.INFO,
    deferred: Severity | None = None,
    folders: bool = False,
) -> Hit:
    """The hit for one import; ``what`` is added to its message."""
    added = f"; {what}" if what else ""
    if item.optional:
        message = f"{item.full} is imported inside a try that catches ImportError: the fallback runs{added}"
        return Hit(item.node, message, item.full, severity=optional)
    if asked_for(document, item):
        message = f"{item.full} is imported only after the code has asked for it{added}"
        return Hit(item.node, message, item.full, severity=optional)
    if folders and for_nvidia(document):
        message = f"{item.full} is imported in a file for NVIDIA's hardware{added}"
        return Hit(item.node, message, item.full, severity=Severity.INFO)
    when = "when this function runs" if item.deferred else "as soon as this module is imported"
    message = f"{item.full} is imported {when}{added}"
    return Hit(item.node, message, item.full, severity=deferred if item.deferred else None)


def for_nvidia(document: PythonFile) -> bool:
    """Whether the file's folder or name says that it is for NVIDIA's hardware or one of its libraries."""
    *folders, name = document.source.path.split("/")
    if any(folder.lower() in ("cuda", "nvidia") for folder in folders):
        return True
    stem = name.rpartition(".")[0]
    return any(_names(name, words) for part in (*folders, stem) if (words := _words(part)) for name in _NVIDIA_NAMES)


def asked_for(document: PythonFile, item: Import) -> bool:
    """Whether the code first asks if the package is there: `if HAS_CUPY:`, `importorskip("cupy")`."""
    root = _words(item.module.partition(".")[0])
    if root == ["cuda"]:
        return False  # `if torch.cuda.is_available():` asks for something else
    for test in _tests_around(document, item.node):
        for part in ast.walk(test):
            name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                name = part.value
            if name and _names("".join(root), _words(name)):
                return True
    return False


def _tests_around(document: PythonFile, node: ast.AST) -> Iterator[ast.expr]:
    """Conditions that decide whether a node runs: around it, in decorators, and early exits before it."""
    child = node
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, (ast.If, ast.While)) and child is not ancestor.test:
            yield ancestor.test
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from ancestor.decorator_list
        for field in ("body", "orelse"):
            block = getattr(ancestor, field, None)
            if isinstance(block, list) and child in block:
                for statement in block[: block.index(child)]:
                    yield from _exit_test(statement)
        child = ancestor


def _exit_test(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, ast.If):
        last = statement.body[-1]
        if isinstance(last, (ast.Return, ast.Raise, ast.Continue)) or _skips(last):
            yield statement.test
    elif isinstance(statement, ast.Assert):
        yield statement.test
    elif _skips(statement) and isinstance(statement, (ast.Expr, ast.Assign)):
        yield statement.value


def _skips(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("skip", "exit", "importorskip", "skipTest")


def _names(package: str, words: list[str]) -> bool:
    """Whether some words in a row spell a package, however it is parted: ``HAS_XFORMERS``, ``XFormersMask``."""
    return any(
        "".join(words[at:end]) == package
        for at in range(len(words))
        for end in range(at + 1, min(at + 5, len(words)) + 1)
    )


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]
