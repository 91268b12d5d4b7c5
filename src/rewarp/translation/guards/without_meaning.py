"""Code without a meaning on AMD: inline PTX that has no twin, names and headers that HIP lacks."""

from __future__ import annotations

import re
from functools import cache

from rewarp.lang.cpp.file import CodeFile
from rewarp.source import SourceFile
from rewarp.tables import cuda
from rewarp.translation import ptx
from rewarp.translation.lexing import Lexed
from rewarp.translation.ptx_reader import statement_end

_NEW_HIP = "7"
_ASM = re.compile(rb"asm(?:__)?(?!\w)")
_ASM_STATEMENT = re.compile(rb"(?:__)?asm(?:__)?(?:\s|\\\r?\n|volatile|__volatile__)*\(")
_ASM_TEXT = re.compile(
    rb"(?:\s|\\\r?\n|volatile|__volatile__|goto|inline)*\((?:\s|\\\r?\n)*(?:R\"[^(]*\(|\")((?:\\.|[^\"\\])*)"
)
# Names with a dot and a type, or one of PTX's registers: ARM's vector instructions have such types too, and a v before.
_LOOKS_PTX = re.compile(
    rb"\.reg\b|%(?:laneid|lanemask_\w\w|warpid|smid|clock|globaltimer|n?tid|n?ctaid|dynamic_smem_size)\b"
    rb"|(?:\b(?!v)[a-z]\w*\.(?:\w+\.){0,16}|\"\.)(?:b?[busf](?:8|16|32|64)(?:x2)?|pred|sync)\b"
)
_AMD_ASM = re.compile(rb"\s*(?:[svb]_|ds_|buffer_|global_|flat_|scratch_|llvm\.|;|$|\\n)")


def ptx_places(document: CodeFile) -> list[int]:
    """Where inline assembly stands that is not AMD's, and can be PTX."""
    found = []
    code = document.code
    device = is_device_code(document.source)
    for match in _ASM.finditer(code):
        start = match.start() - 2 if code[max(0, match.start() - 2) : match.start()] == b"__" else match.start()
        if start and (code[start - 1 : start].isalnum() or code[start - 1 : start] == b"_"):
            continue
        view = document.source.view
        text = _ASM_TEXT.match(view, match.end())
        if text and not _AMD_ASM.match(text[1]) and (device or _looks_ptx(view, start)):
            found.append(start)
    return found


def bad_places(document: CodeFile, lexed: Lexed) -> list[int]:
    """Code without a meaning on AMD: inline PTX that has no twin, names and headers that HIP lacks or only its newest
    versions have."""
    view = document.source.view
    found = [at for name, places in lexed.names.items() if _lacks_twin(name) for at in places]
    found += [
        line.start
        for line in lexed.lines
        if line.path and _has_no_twin(cuda.header(view[line.path.start + 1 : line.path.end - 1]))
    ]
    if holds_ptx(document.source):
        found += [at for at in ptx_places(document) if not ptx.understood(view, at)]
    return found


def holds_ptx(source: SourceFile) -> bool:
    """Whether a file may hold PTX, as far as its bytes tell."""
    view = source.view
    if b"asm" not in view:
        return False
    return is_device_code(source) or any(_looks_ptx(view, match.start()) for match in _ASM_STATEMENT.finditer(view))


def _looks_ptx(view: bytes, at: int) -> bool:
    """Whether the asm statement at a place is PTX by its text alone."""
    end = statement_end(view, at)
    return end is not None and _LOOKS_PTX.search(view, at, end) is not None


def is_device_code(source: SourceFile) -> bool:
    """Whether any assembly in a file may be PTX; a header may hide the words behind macros."""
    return source.path.endswith((".cu", ".cuh")) or b"__device__" in source.view or b"__global__" in source.view


@cache
def _lacks_twin(name: bytes) -> bool:
    return _has_no_twin(cuda.twin(name))


def _has_no_twin(twin: cuda.Twin | None) -> bool:
    return twin is not None and (twin.status == "unsupported" or twin.since >= _NEW_HIP)
