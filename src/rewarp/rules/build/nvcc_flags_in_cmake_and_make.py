"""BLD-021: nvcc options in CMake and Make."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import CMakeFix, FileFix
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.document import Document
from rewarp.lang.kinds import Kind
from rewarp.lang.makefile import Makefile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.build._cmake_options import options_instead
from rewarp.rules.build._shapes import MAKEFILE, milder
from rewarp.source import Span
from rewarp.tables.nvcc import ANCHOR_WORDS, Flag, flags
from rewarp.targets import Context

_GPU_VARIABLE = re.compile(r"(?i).*(CUDA|NVCC|GENCODE|GPU|ARCH).*")
_OPTIONS = ("target_compile_options", "add_compile_options", "set_source_files_properties", "set_target_properties")
_VARIABLES = ("set", "list", "string")
_HIP = re.compile(rb"^[^#\n]*\bhipcc\b", re.M)


_IN_MAKE = "Give the HIP branch a variable of its own for options, with the twin where there is one."


class _Text(NamedTuple):
    text: str
    where: Span
    for_gpu: bool
    milder: Severity | None


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
        texts = [text for call in document.calls for text in _in_cmake(document, call)]
    elif isinstance(document, Makefile):
        texts = list(_in_make(document))
    for item in texts:
        found = [flag for flag in flags(item.text) if flag.sure or item.for_gpu]
        if found:
            worst = next((flag for flag in found if flag.status == "error"), found[0])
            fix = None if isinstance(document, CMakeFile) else _IN_MAKE
            yield Hit(item.where, _says(found, worst), worst.option, item.milder or worst.severity, fix)


def _says(found: list[Flag], worst: Flag) -> str:
    others = list(dict.fromkeys(flag.option for flag in found if flag.option != worst.option))
    return worst.says + (f"; so it is with {', '.join(others)}" if others else "")


def _in_cmake(document: CMakeFile, call: CMakeCommand) -> Iterator[_Text]:
    for_gpu = False
    if call.name in _VARIABLES:
        names = call.texts[1:2] if call.name != "set" and call.texts[:1] == ["APPEND"] else call.texts[:1]
        if call.name != "set" and call.texts[:1] != ["APPEND"]:
            return
        for_gpu = bool(names and _GPU_VARIABLE.fullmatch(names[0]))
    elif call.name not in _OPTIONS:
        return
    depth = 0  # of a generator expression for CUDA that runs over several arguments
    for argument in call.arguments:
        if argument.text == "CACHE":
            return  # a type and a description follow
        gpu = for_gpu or depth > 0 or "COMPILE_LANGUAGE:CUDA" in argument.text
        if gpu and not for_gpu:
            depth += argument.text.count("<") - argument.text.count(">")
        yield _Text(argument.text, argument.where, gpu, milder(document, call))


def _in_make(document: Makefile) -> Iterator[_Text]:
    mild = Severity.INFO if _HIP.search(document.source.view) else None
    for variable in document.variables:
        yield _Text(variable.value, variable.span, bool(_GPU_VARIABLE.fullmatch(variable.name)), mild)
    for command in document.commands:
        if command.name in ("echo", "printf"):
            continue
        for_gpu = command.name == "nvcc" or command.words[0].text in ("$(NVCC)", "${NVCC}")
        for word in command.words[1:]:
            yield _Text(word.text, word.where, for_gpu, mild)
