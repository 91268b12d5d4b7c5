"""BLD-021: nvcc options in CMake and Make."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import CMakeFix, FileFix
from rewarp.fixes.cmake import CMakePlace, Wanted
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.build._cmake_options import options_instead
from rewarp.rules.shapes.build import MAKEFILE, mild_in_make, milder
from rewarp.source import Span
from rewarp.tables.nvcc import ANCHOR_WORDS, Flag, flags
from rewarp.targets import Context

_GPU_VARIABLE = re.compile(r"(?i).*(CUDA|NVCC|GENCODE|GPU|ARCH).*")
_NVCC_ONLY = re.compile(r"CMAKE_CUDA_FLAGS\w*|CUDA_NVCC_FLAGS\w*|CMAKE_CUDA_(?:STANDARD|ARCHITECTURES)\w*")
"""What CMake hands to nvcc and to no other compiler."""
_ANY_COMPILER = re.compile(r"CMAKE_(?:C|CXX|HIP)_FLAGS\w*")
_OPTIONS = ("target_compile_options", "add_compile_options", "set_source_files_properties", "set_target_properties")
_VARIABLES = ("set", "list", "string")
_IN_MAKE = "Give the HIP branch a variable of its own for options, with the twin where there is one."


class _Text(NamedTuple):
    text: str
    where: Span
    for_gpu: bool
    milder: Severity | None
    mended: bool = False
    """By a port: HIP has options of its own."""


@rule(
    id="BLD-021",
    title="nvcc options in CMake or Make",
    kinds=(Kind.CMAKE, Kind.MAKE),
    anchors=[*ANCHOR_WORDS, "CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS", "NVCCFLAGS", "NVCC_FLAGS", "nvcc", "NVCC", "CUDA"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="The HIP compiler is clang: it stops at nvcc's own options once the sources are built as HIP.",
        fix="Give the HIP branch options of its own (CMAKE_HIP_FLAGS, $<$<COMPILE_LANGUAGE:HIP>:...>), with the twin "
        "where there is one.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example='set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} --use_fast_math")',
    source="measured: clang 22 driver with -x hip (tables/nvcc_flags.csv)",
    fix=(CMakeFix(options_instead), FileFix(Kind.MAKE, MAKEFILE)),
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for options only nvcc knows in the variables and compile options of CMake and Make files."""
    texts: list[_Text] = []
    if isinstance(document, CMakeFile):
        place = CMakePlace(document, Wanted.of([document], context.target))
        texts = [text for call in document.calls for text in _in_cmake(document, call, place)]
    elif isinstance(document, Makefile):
        texts = list(_in_make(document, context))
    for item in texts:
        found = [flag for flag in flags(item.text) if flag.sure or item.for_gpu]
        if found:
            worst = next((flag for flag in found if flag.status == "error"), found[0])
            fix = None if isinstance(document, CMakeFile) else _IN_MAKE
            safety = Safety.SAFE if item.mended else None
            yield Hit(item.where, _says(found, worst), worst.option, item.milder or worst.severity, fix, safety=safety)


def _says(found: list[Flag], worst: Flag) -> str:
    others = list(dict.fromkeys(flag.option for flag in found if flag.option != worst.option))
    return worst.says + (f"; so it is with {', '.join(others)}" if others else "")


def _reaches_hip(document: CMakeFile, variable: str) -> bool:
    """Whether a variable's options come to another compiler than nvcc: by its name, or as options of a target. FindCUDA's own, and what
    is put together for them, nobody else reads."""
    if _ANY_COMPILER.fullmatch(variable) or not _uses_find_cuda(document):
        return True
    used = f"${{{variable}}}"
    return any(call.name in _OPTIONS and any(used in text for text in call.texts) for call in document.calls)


def _uses_find_cuda(document: CMakeFile) -> bool:
    """Whether what is told here goes to FindCUDA's variables."""
    return b"CUDA_NVCC_FLAGS" in document.source.view or b"CUDA_ARCH_BIN" in document.source.view


def _in_cmake(document: CMakeFile, call: CMakeCommand, place: CMakePlace) -> Iterator[_Text]:
    for_gpu = only_nvcc = False
    mended = place.mends(call, options_instead)
    if call.name in _VARIABLES:
        names = call.texts[1:2] if call.name != "set" and call.texts[:1] == ["APPEND"] else call.texts[:1]
        if call.name != "set" and call.texts[:1] != ["APPEND"]:
            return
        for_gpu = bool(names and _GPU_VARIABLE.fullmatch(names[0]))
        only_nvcc = bool(names and (_NVCC_ONLY.fullmatch(names[0]) or not _reaches_hip(document, names[0])))
    elif call.name not in _OPTIONS:
        return
    depth = 0  # of a generator expression for CUDA that runs over several arguments
    for argument in call.arguments:
        if argument.text == "CACHE":
            return  # a type and a description follow
        gpu = for_gpu or depth > 0 or "COMPILE_LANGUAGE:CUDA" in argument.text
        if gpu and not for_gpu:
            depth += argument.text.count("<") - argument.text.count(">")
        # The language HIP does not look at the flags of the language CUDA: whoever moves the sources there gives them others.
        mild = Severity.INFO if only_nvcc or (gpu and not for_gpu) else milder(document, call)
        yield _Text(argument.text, argument.where, gpu, mild, gpu or mended)


def _in_make(document: Makefile, context: Context) -> Iterator[_Text]:
    for variable in document.variables:
        mild = mild_in_make(document, context, variable.span, variable.name)
        yield _Text(variable.value, variable.span, bool(_GPU_VARIABLE.fullmatch(variable.name)), mild)
    for command in document.commands:
        if command.name in ("echo", "printf"):
            continue
        for_gpu = command.name == "nvcc" or command.words[0].text in ("$(NVCC)", "${NVCC}")
        mild = mild_in_make(document, context, document.span(command.words[0]), "nvcc" if for_gpu else "")
        for word in command.words[1:]:
            yield _Text(word.text, word.where, for_gpu, mild)
