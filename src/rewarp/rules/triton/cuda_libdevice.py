"""TRI-008: Triton's CUDA-only device functions."""

import ast
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import PythonFix
from rewarp.fixes.place import Place, Refused
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.import_fixes import Import, gated
from rewarp.rules.shapes.triton import in_kernel, launches, milder, triton_name
from rewarp.targets import Context

_PACKAGE = "triton.language.extra.cuda"


def _tritons_own(place: Place, statement: Import) -> list[str] | Refused:
    """Triton's own libdevice is the right one on every platform."""
    module = statement.module or "" if isinstance(statement, ast.ImportFrom) else ""
    base = "triton.language.extra"
    listed = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in statement.names)
    if module == f"{base}.cuda" and all(alias.name == "libdevice" for alias in statement.names):
        return [f"from {base} import {listed}"]
    if module == f"{base}.cuda.libdevice":
        return [f"from {base}.libdevice import {listed}"]
    return Refused("it has no twin on AMD: compile it only on NVIDIA")


@rule(
    id="TRI-008",
    title="Device functions of triton.language.extra.cuda are used",
    kinds=PYTHON_KINDS,
    anchors=["extra cuda", "libdevice"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.CRASH,
        why="These functions become NVPTX intrinsics or calls into NVIDIA's libdevice bitcode, which the AMD backend cannot "
        "link. It maps triton.language.extra.libdevice to its own library.",
        fix="Import libdevice from triton.language.extra: it is the right one on both. For gdc_wait and globaltimer there "
        "is no twin: compile them only on NVIDIA.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="from triton.language.extra.cuda import libdevice",
    versions="triton >= 3.0",
    source="https://github.com/triton-lang/triton/blob/main/third_party/amd/backend/compiler.py",
    fix=PythonFix(gated(_tritons_own, "Triton's own libdevice is right on every platform.")),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for triton.language.extra.cuda, the file libdevice.10.bc, and extern_libs that names libdevice."""
    for item in document.imports_of(_PACKAGE):
        if not _falls_back(document, item.node):
            severity = Severity.INFO if item.optional else milder(document)
            yield Hit(item.node, f"{item.full} is NVIDIA's", item.full, severity=severity)
    told: set[tuple[ast.FunctionDef | None, str]] = set()
    for node in document.nodes(ast.Attribute):
        if node.attr == "extra" or isinstance(document.parent(node), ast.Attribute):
            continue
        name = triton_name(document, node)
        if name.startswith("tl.extra.cuda.") and "extra" in document.raw(node):
            switch = _switch(document, node)
            if switch:
                function = document.enclosing(node, ast.FunctionDef)
                if (function, name) in told:
                    continue
                told.add((function, name))
                message = f"{name} is NVIDIA's; it is compiled in only when {switch} is true"
                yield Hit(node, message, name, severity=Severity.INFO)
            else:
                yield Hit(node, f"{name} is NVIDIA's", name, severity=milder(document))
    for string in document.strings:
        if str(string.value).endswith("libdevice.10.bc"):
            yield Hit(string, "libdevice.10.bc is NVIDIA's bitcode library", "libdevice.10.bc")
    for call in launches(document):
        given = document.argument(call, None, "extern_libs")
        if isinstance(given, ast.Dict) and any(document.string(key) == "libdevice" for key in given.keys):
            yield Hit(given, "extern_libs links NVIDIA's libdevice", "extern_libs")


def _falls_back(document: PythonFile, node: ast.AST) -> bool:
    """Whether the import only serves Triton versions that lack triton.language.extra.libdevice."""
    handler = document.enclosing(node, ast.ExceptHandler)
    return handler is not None and any(
        item.optional and item.full.startswith("triton.language.extra.libdevice") for item in document.imports
    )


def _switch(document: PythonFile, node: ast.AST) -> str:
    """The kernel parameter that decides whether the call is compiled at all."""
    if not in_kernel(document, node):
        return ""
    for ancestor in document.ancestors(node):
        if isinstance(ancestor, ast.If):
            for part in ast.walk(ancestor.test):
                if isinstance(part, ast.Name):
                    return part.id
    return ""
