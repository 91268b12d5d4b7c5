"""Relocatable device code: functions and variables of the GPU that sources share, which are linked for the GPU, too.

nvcc's ``-rdc=true`` and CMake's CUDA_SEPARABLE_COMPILATION say so for CUDA alone: CMake hands neither to HIP's compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.project.build.units import BuildUnit

OPTION = "-fgpu-rdc"
_LINK = f"{OPTION} --hip-link"
_ASKED = re.compile(r"-{1,2}(?:(?:rdc|relocatable-device-code)=true|dc|device-c)")
_ASKED_IN_TEXT = re.compile(r"(?<![\w-])-{1,2}(?:(?:rdc|relocatable-device-code)[= \t]true|dc|device-c)(?![\w-])")
_NAME = re.compile(r"[\w.+-]+")
_MADE_BY = frozenset({"add_executable", "add_library", "cuda_add_executable", "cuda_add_library"})
_WHOLE = frozenset({"SHARED", "MODULE"})
_ARCHIVES = frozenset({"STATIC", "OBJECT"})


def is_relocatable(unit: BuildUnit) -> bool:
    """Whether a source is compiled so that its device code can be linked with that of others."""
    return any(_ASKED.fullmatch(text) or text == OPTION for text, conditions in unit.flags if not conditions)


def asks_for_it(text: str) -> bool:
    """Whether a Makefile's text hands nvcc the option."""
    return bool(_ASKED_IN_TEXT.search(re.sub(r"(?m)(^|\s)#.*$", "", text)))


def cmake_block(owner: CMakeFile, files: Iterable[CMakeFile], switch: str, compiled: Sequence[BuildUnit]) -> list[str]:
    """Commands that give the targets of sources with relocatable device code HIP's option, as they are compiled and as
    they are linked; empty where there are none."""
    targets = {unit.target: None for unit in compiled if is_relocatable(unit) and _NAME.fullmatch(unit.target)}
    if not targets:
        return []
    lines = [f"if({switch})", "  # Device code that sources share is linked as well."]
    documents = list(files)
    for target in targets:
        made, where = _made(target, documents)
        commands = list(_commands(target, made))
        if made is None or made.conditions or where is not owner:
            commands = [f"if(TARGET {target})", *(f"  {command}" for command in commands), "endif()"]
        lines += (f"  {command}" for command in commands)
    return [*lines, "endif()"]


def _made(target: str, files: Iterable[CMakeFile]) -> tuple[CMakeCommand | None, CMakeFile | None]:
    """The command that makes a target under this very name, and its file."""
    for document in files:
        for call in document.calls:
            if call.name in _MADE_BY and call.texts[:1] == [target]:
                return call, document
    return None, None


def _commands(target: str, made: CMakeCommand | None) -> Iterator[str]:
    yield f"target_compile_options({target} PRIVATE $<$<COMPILE_LANGUAGE:HIP>:{OPTION}>)"
    inside, outside = (f"target_link_options({target} {scope} {_LINK})" for scope in ("PRIVATE", "INTERFACE"))
    words = set(made.texts[1:3]) if made else set()
    if made and (made.name.endswith("executable") or words & _WHOLE):
        yield inside
    elif words & _ARCHIVES:  # whoever links an archive links its device code
        yield outside
    else:
        yield f"get_target_property(hip_type {target} TYPE)"
        yield 'if(hip_type MATCHES "STATIC|OBJECT")'
        yield f"  {outside}"
        yield "else()"
        yield f"  {inside}"
        yield "endif()"
