"""CU-018: calls that need more than a new name, in sources that torch's build only renames."""

import re
from collections.abc import Iterator
from functools import cache

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile, is_declaration
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS, own_names, reachable, supplied, torch_headers
from rewarp.source import Span
from rewarp.tables import rows
from rewarp.targets import Context

_CHANGED = frozenset({"remove", "move", "name"})
_OPEN = re.compile(rb"\s*\(")
_CAST = re.compile(rb"\(\s*(?:const\s+)?void\b|(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\b|nullptr|NULL")
_BY_ADDRESS = ("cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaFuncGetAttributes", "cudaFuncSetSharedMemConfig")
"""Functions that CUDA has a template of for kernels, and HIP takes an untyped address in."""


@cache
def _counts() -> dict[str, set[int]]:
    """With how many arguments a function has another form under HIP."""
    found: dict[str, set[int]] = {}
    for row in rows("arguments.csv"):
        if row["action"] in _CHANGED and row["count"] and row["function"].startswith("cuda"):
            found.setdefault(row["function"], set()).add(int(row["count"]))
    return found


@rule(
    id="CU-018",
    title="A call takes other arguments under HIP",
    kinds=KINDS,
    anchors=sorted({*_counts(), *_BY_ADDRESS}),
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="torch's extension build renames CUDA's functions for ROCm and leaves their arguments alone; HIP's function of that "
        "name takes fewer, others, or a kernel as an untyped address.",
        fix="Write the call for HIP behind USE_ROCM; a kernel is handed over as reinterpret_cast<const void*>(kernel), which CUDA "
        "takes as well.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.MINUTES,
    ),
    example="#include <torch/extension.h>\ncudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);",
    source="https://github.com/ROCm/hip/blob/rocm-6.2.0/include/hip/hip_runtime_api.h",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for calls of the runtime, in sources of torch extensions, with a number of arguments that HIP has otherwise, and
    for kernels given by name where HIP wants an address."""
    if not (torch_headers(document) or document.source.path in context.project.hipified):
        return
    for name in sorted({*_counts(), *_BY_ADDRESS}):
        word = name.encode()
        if word in own_names(document) or name in supplied(document, context):
            continue
        for at in reachable(document, context, document.words.get(word, ())):
            arguments = _arguments(document, at + len(word))
            if arguments is None or is_declaration(document.code, at):
                continue
            if len(arguments) in _counts().get(name, ()):
                yield Hit(
                    Span(at, at + len(word)), f"{name} with {len(arguments)} arguments is another call in HIP", name
                )
            elif name in _BY_ADDRESS and len(arguments) > 1:
                kernel = arguments[name == "cudaFuncGetAttributes"]
                if not _is_address(document, kernel):
                    yield Hit(Span(at, at + len(word)), f"HIP's {name} takes a kernel as const void*", name)


def _arguments(document: CodeFile, at: int) -> list[bytes] | None:
    """The arguments of a call whose bracket opens at an offset; None where there is no call."""
    opened = _OPEN.match(document.code, at)
    if opened is None:
        return None
    start = opened.end()
    end = document.closing(start - 1) - 1
    found: list[bytes] = []
    place = begin = start
    while place < end:
        byte = document.code[place : place + 1]
        if byte in b"([{":
            place = document.closing(place)
            continue
        if byte == b",":
            found.append(document.code[begin:place].strip())
            begin = place + 1
        place += 1
    return [*found, document.code[begin:end].strip()]


def _is_address(document: CodeFile, argument: bytes) -> bool:
    """Whether an argument is cast to an untyped address, or a variable that is one."""
    if _CAST.match(argument):
        return True
    variable = rb"void\s*\*\s*(?:const\s+)?" + re.escape(argument) + rb"\b"
    return re.fullmatch(rb"\w+", argument) is not None and re.search(variable, document.code) is not None
