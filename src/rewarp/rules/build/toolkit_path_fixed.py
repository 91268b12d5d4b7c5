"""BLD-008: a toolkit's install path written out."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import Items, ScriptFix
from rewarp.lang.cmake import CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import milder
from rewarp.targets import Context

_PATH = re.compile(
    r"(?:^|(?<=[=:\s,;]))(?:-[IL]|--\w[\w-]*=)?(/usr/local/cuda(?:-[\d.]+)?|/opt/rocm(?:-[\d.]+)?)(/[^\s:;,]*)?"
)
_SEARCH_PATH = re.compile(r"(?:^|(?<=\s))-[IL]\s?(/usr/local/cuda(?:-[\d.]+)?|/opt/rocm(?:-[\d.]+)?)(/[^\s:;,]*)?")
_CMAKE_USES = {
    *("set", "list", "include_directories", "link_directories", "link_libraries", "target_include_directories"),
    *("target_link_directories", "target_link_libraries"),
}
_HARMLESS = {
    "echo",
    "ls",
    "test",
    "[",
    "[[",
    "printf",
    "rm",
    "mkdir",
    "export",
    "cat",
    "cd",
    "grep",
    "ln",
    "find",
    "du",
}


@rule(
    id="BLD-008",
    title="The install path of a GPU toolkit is written out",
    kinds=(Kind.PYTHON, Kind.SHELL, Kind.CMAKE, Kind.MAKE),
    anchors=["usr local cuda", "opt rocm"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="/usr/local/cuda does not exist on an AMD machine, and ROCm need not be in /opt/rocm: it also comes as a "
        "Python wheel or from the distribution.",
        fix="Take the folder from torch.utils.cpp_extension (CUDA_HOME or ROCM_HOME) or from ROCM_PATH.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='nvcc = "/usr/local/cuda/bin/nvcc"',
    source="https://github.com/vllm-project/vllm/pull/2627",
    fix=ScriptFix(Items.PATHS),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for /usr/local/cuda and /opt/rocm in build scripts, in the commands of shell scripts, and in the search
    paths of CMake and Make."""
    if isinstance(document, PythonFile):
        if is_build_file(document):
            yield from _in_python(document)
        return
    if isinstance(document, CMakeFile):
        yield from _in_cmake(document)
        return
    if isinstance(document, Makefile):
        for variable in document.variables:
            found = _SEARCH_PATH.search(variable.value)
            if found:
                yield _hit(variable.span, found, certain=True)
    for command in document.commands:
        if command.name in _HARMLESS:
            continue
        for index, word in enumerate(command.words):
            found = _PATH.search(word.text)
            # An argument matters when it is a search path or a program; a word that merely names a place does not.
            if found and (index == 0 or word.text.startswith(("-I", "-L", "--")) or "/bin/" in word.text):
                yield _hit(word, found, certain=True)


def _in_cmake(document: CMakeFile) -> Iterator[Hit]:
    for call in document.calls:
        if call.name not in _CMAKE_USES and not call.name.startswith("find_"):
            continue
        for argument in call.arguments:
            found = _PATH.search(argument.text)
            if found and found[1].startswith("/usr/local/cuda"):
                # A place where find_library looks first, or the default of a cache variable, may be absent.
                tried = call.name.startswith("find_") or "CACHE" in call.texts or milder(document, call) is not None
                yield _hit(argument.where, found, certain=not tried)
                break


def _in_python(document: PythonFile) -> Iterator[Hit]:
    texts: list[ast.expr] = [*document.strings, *document.nodes(ast.JoinedStr)]
    for node in texts:
        if isinstance(document.parent(node), ast.JoinedStr):
            continue
        found = _PATH.match(document.string(node) or "")
        if found and not isinstance(document.parent(node), ast.Compare) and not _only_asked(document, node):
            yield _hit(node, found, certain=not _is_default(document, node))


def _only_asked(document: PythonFile, node: ast.expr) -> bool:
    parent = document.parent(node)
    return isinstance(parent, ast.Call) and document.raw(parent.func).endswith(("exists", "isdir", "isfile"))


def _is_default(document: PythonFile, node: ast.expr) -> bool:
    """Whether the path is only the fallback of a lookup or one of several candidates."""
    parent = document.parent(node)
    if isinstance(parent, (ast.BoolOp, ast.IfExp, ast.List, ast.Tuple, ast.For)):
        return not (document.string(node) or "").startswith("-")
    if isinstance(parent, ast.Call):
        name = document.raw(parent.func).rpartition(".")[2]
        return name in ("get", "getenv", "setdefault", "pop", "append")
    return False


def _hit(where: Any, found: re.Match[str], certain: bool) -> Hit:
    root = found[1]
    if root.startswith("/opt/rocm"):
        return Hit(where, f"{root} is one of several places ROCm can be installed in", root, Severity.INFO)
    severity = None if certain else Severity.INFO
    how = "is used as it stands" if certain else "is a place that is tried"
    return Hit(where, f"{root} {how}; it does not exist on an AMD machine", root, severity)
