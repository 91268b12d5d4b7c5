"""Lists of architectures that are no variable's value: options of a command, and what a program builds for if nobody says otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.lang.python import PythonFile
from rewarp.project.modules import PythonModules
from rewarp.project.sides import is_for_amd
from rewarp.workspace import Tree

_LIST = r"gfx[0-9a-f]+(?::\w+[+-])*(?:[;, ]+gfx[0-9a-f]+(?::\w+[+-])*)*"
_OPTION = re.compile(
    r"(?:--offload-arch|--amdgpu[_-]targets?|--gpu[_-]targets|-D(?:AMDGPU_TARGETS|GPU_TARGETS|GPU_ARCHS|CMAKE_HIP_ARCHITECTURES))"
    rf"(?:[= ]|:STRING=)[\"']?({_LIST})(?![\w-])"
)
_NAMES = re.compile(
    r"PYTORCH_ROCM_ARCH|AMDGPU_TARGETS?|GPU_TARGETS|GPU_ARCHS|(?:CMAKE_)?HIP_ARCH(?:ITECTURES)?|ROCM_ARCH"
)
_COMMANDS = (Kind.DOCKERFILE, Kind.SHELL, Kind.MAKE, Kind.ACTIONS)
_GFX = re.compile(r"gfx[0-9a-f]+")


def left_out(tree: Tree, paths: Iterable[str], arch: str) -> Iterator[tuple[str, int, str]]:
    """Where AMD's files build for a list without the architecture that was asked for, or a Python program does by default."""
    modules = PythonModules(tree)
    for path in paths:
        kind = kind_of_path(path)
        if kind in _COMMANDS and is_for_amd(path):
            text = (tree.read(path) or b"").decode("utf-8", "replace")
            yield from ((path, line, why) for line, why in _commands(text, arch))
        elif kind is Kind.PYTHON and _NAMES.search((tree.read(path) or b"").decode("utf-8", "replace")):
            document = modules.document(path)
            if document is not None:
                yield from ((path, line, why) for line, why in _defaults(document, arch))


def _commands(text: str, arch: str) -> Iterator[tuple[int, str]]:
    line = 1
    for command in re.split(r"(?<!\\)\n", text):
        options = [] if command.lstrip().startswith("#") else list(_OPTION.finditer(command))
        named = [one for option in options for one in _GFX.findall(option[1])]
        if named and arch not in named:
            yield (
                line + command[: options[0].start()].count("\n"),
                f"this builds for {', '.join(dict.fromkeys(named))}, and not for {arch}",
            )
        line += command.count("\n") + 1


def _defaults(document: PythonFile, arch: str) -> Iterator[tuple[int, str]]:
    """``os.getenv("PYTORCH_ROCM_ARCH", "gfx90a")``"""
    for call in document.nodes(ast.Call):
        if len(call.args) != 2 or document.path(call.func) not in ("os.getenv", "os.environ.get"):
            continue
        name, value = (document.string(argument) or "" for argument in call.args)
        if _NAMES.fullmatch(name) and re.fullmatch(_LIST, value) and arch not in _GFX.findall(value):
            yield call.lineno, f"without {name} this builds for {value}, and not for {arch}"
