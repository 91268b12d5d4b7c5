"""BLD-009: a torch extension compiled as C++17."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import EXTENSION, is_build_file
from rewarp.registry import Hit, Impact, When, rule
from rewarp.rules.shapes.build import options
from rewarp.targets import Context

_STANDARD = re.compile(r"--?std=(c|gnu)\+\+(11|14|17|1z)\b")
_WHEN = When(torch=">=2.13")


@rule(
    id="BLD-009",
    title="A torch extension is compiled as C++17 or older",
    kinds=Kind.PYTHON,
    anchors=["cpp_extension"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The headers of torch 2.13 use C++20, so a file compiled with an older standard stops at them.",
        fix="Ask for -std=c++20, or leave the option out: torch adds the standard it needs.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
        when=_WHEN,
    ),
    gaudi=Impact(
        Severity.BUILD,
        why="The headers of torch 2.13 use C++20, so a file compiled with an older standard stops at them.",
        fix="Ask for -std=c++20, or leave the option out: torch adds the standard it needs.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
        when=_WHEN,
    ),
    example='extra_compile_args={"cxx": ["-O3", "-std=c++17"]}',
    versions="torch 2.13 and newer",
    source="https://github.com/jeffdaily/moat",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for -std=c++17 and older among the options of a file that uses torch's extension module."""
    if not is_build_file(document) or not any(document.imports_of(EXTENSION)):
        return
    for option in options(document):
        found = _STANDARD.search(option.text)
        if found and not option.for_other and not _newer_elsewhere(document, option.node):
            yield Hit(option.node, f"{found[0]} is older than what the headers of torch 2.13 need", found[0])


def _newer_elsewhere(document: PythonFile, node: ast.AST) -> bool:
    """Whether the same statement has C++20 for newer versions."""
    statement = document.statement(node)
    return statement is not None and any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and re.search(r"\+\+2[0-9ab]", part.value)
        for part in ast.walk(statement)
    )
