"""BLD-015: CUDA macros handed to the compiler."""

import ast
import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.python import PythonFile
from rewarp.project.build_files import builds_at_run_time, is_build_file
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.build import BUILD_ANCHORS, Option, options
from rewarp.targets import Context

_DEFINE = re.compile(r"-D(\w*CUDA\w*)(?:=.*)?")
_SWITCHES = re.compile(r"__CUDA_NO_\w+|CUDA_NO_\w+")
_BARE = re.compile(r"((USE|WITH|HAVE|ENABLE|HAS|BUILD)_)?CUDA(_(ENABLED|AVAILABLE|FOUND))?")


@rule(
    id="BLD-015",
    title="A build script defines a macro named after CUDA",
    kinds=Kind.PYTHON,
    anchors=BUILD_ANCHORS,
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="In a ROCm build torch rewrites the first CUDA to HIP in every option of the nvcc list that starts with a "
        "dash, so -DUSE_CUDA arrives as -DUSE_HIP there, while the cxx list and define_macros keep their names.",
        fix="Name the macro without CUDA, or test USE_ROCM beside it in the sources; torch defines USE_ROCM and "
        "__HIP_PLATFORM_AMD__ itself.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='extra_compile_args={"cxx": ["-DWITH_CUDA"], "nvcc": ["-DWITH_CUDA"]}',
    source="https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py",
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for -D options with CUDA in the name in an nvcc list, and for define_macros such as WITH_CUDA."""
    if not is_build_file(document):
        return
    if not builds_at_run_time(document):
        defines = [(option, found[1]) for option in options(document) if (found := _DEFINE.fullmatch(option.text))]
        shared = {name for option, name in defines if not _for_nvcc(option)}
        for option, name in defines:
            if not _for_nvcc(option) or _SWITCHES.fullmatch(name):
                continue
            message = f"-D{name} reaches the GPU compiler as -D{name.replace('CUDA', 'HIP', 1)}"
            # A macro that the host files get as well may be meant for them alone.
            yield Hit(option.node, message, name, Severity.INFO if name in shared else None)
    for node in document.nodes(ast.Tuple):
        name = document.string(node.elts[0]) if len(node.elts) == 2 else None
        if name and _BARE.fullmatch(name) and _in_define_macros(document, node):
            message = f"{name} is defined for AMD too; the sources must tell the two apart by USE_ROCM"
            yield Hit(node, message, name, Severity.INFO)


def _for_nvcc(option: Option) -> bool:
    return any("nvcc" in name.lower() for name in option.names)


def _in_define_macros(document: PythonFile, node: ast.AST) -> bool:
    statement = document.statement(node)
    texts = (
        [document.raw(n) for n in ast.walk(statement) if isinstance(n, (ast.Name, ast.Attribute))] if statement else []
    )
    keywords = [n.arg or "" for n in ast.walk(statement) if isinstance(n, ast.keyword)] if statement else []
    return any("macros" in text for text in (*texts, *keywords))
