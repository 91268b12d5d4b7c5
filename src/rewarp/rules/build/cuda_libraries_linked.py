"""BLD-017: an extension linked against CUDA libraries."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import Items, ScriptFix
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import is_build_file
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import BUILD_ANCHORS, options
from rewarp.tables.libraries import advice, linked, twin
from rewarp.targets import Context

_LINKER = re.compile(r"(?i)\w*(ld_?flags|link_?args|link_?flags|libraries_args)")
_LISTS = ("libraries", "extra_libraries", "libs")


@rule(
    id="BLD-017",
    title="An extension links a CUDA library",
    kinds=Kind.PYTHON,
    anchors=[*BUILD_ANCHORS, "extra_ldflags", "ldflags", "link_args", "libraries_args"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The linker does not find CUDA libraries on an AMD machine, and torch does not rename them.",
        fix="Choose the list by torch.version.hip: hipblas for cublas, amdhip64 for cudart and cuda, hiprtc for nvrtc. "
        "torch links amdhip64 itself.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example='CUDAExtension("pkg._C", sources, libraries=["cublas", "cuda"])',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
    fix=ScriptFix(Items.LIBRARIES),
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for CUDA libraries in the libraries and link options of an extension."""
    if not is_build_file(document):
        for option in options(document):
            if any(_LINKER.fullmatch(name) for name in option.names):
                yield from (
                    Hit(option.node, f"-l{name} is linked; {advice(it)}", name) for name, it in linked(option.text)
                )
        return
    for node, name in _names(document):
        library = twin(name)
        if library is not None:
            yield Hit(node, f"{name} is linked; {advice(library)}", name)
    for option in options(document):
        for name, library in linked(option.text):
            if option.for_compiling:
                message = f"-l{name} stands among compiler options, where it only makes clang warn"
                yield Hit(option.node, message, name, Severity.INFO)
            else:
                yield Hit(option.node, f"-l{name} is linked; {advice(library)}", name)


def _names(document: PythonFile) -> Iterator[tuple[ast.expr, str]]:
    """The strings given as libraries: to a call by keyword, or put into a list of that name."""
    values: list[ast.expr] = [k.value for k in document.nodes(ast.keyword) if k.arg in _LISTS]
    for statement in document.nodes(ast.Assign, ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        pairs = [(target, statement.value)]
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):  # libraries, macros = [...], []
            pairs = list(zip(target.elts, statement.value.elts))
        values += [value for name, value in pairs if isinstance(name, ast.Name) and name.id in _LISTS]
    for call in document.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "extend"):
            if document.raw(call.func.value) in _LISTS:
                values += call.args
    for value in values:
        for part in ast.walk(value):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part, part.value
