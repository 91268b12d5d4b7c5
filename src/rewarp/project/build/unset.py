"""Macros that the sources test and that nothing in the tree sets or speaks of: what stands behind them nobody compiles."""

from __future__ import annotations

import re

from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.lang.kinds import CPP_KINDS, kind_of_path
from rewarp.workspace import Tree

_NAME = re.compile(rb"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_SWITCH = re.compile(
    rb"(?:\w+_)?(?:USE|WITH|ENABLED?|PROFIL(?:E|ER|ING)|TIMING|TIMERS?|TRAC(?:E|ING)|VALIDATE|BENCH(?:MARK)?)(?:_\w+)?"
)
"""What a project calls a switch of its own; other names may be those of a library's headers."""
_OTHERS = re.compile(
    rb".*(?:CUDA|HIP|ROC|NVCC|NVRTC|GPU|DEVICE|AMD|NVIDIA|PLATFORM|ARCH|VERSION|TORCH|CUB|THRUST|CUDNN|NCCL|CXX|CPP|STD|COMPIL"
    rb"|WIN|LINUX|APPLE|ANDROID|MSC|GNU|CLANG|INTEL|LLVM|BOOST|EIGEN|DOXYGEN|SWIG|SSE|AVX|ARM|_H|_HPP|_HH|_INCLUDED)"
)
"""Names that a compiler, another library or a user's own build gives; a part of a name is enough."""
_MOST = 2_000_000


def unset_macros(tree: Tree) -> frozenset[str]:
    files = [path for path, entry in tree.entries.items() if entry.nature == "file" and entry.size <= _MOST]
    code = [path for path in files if kind_of_path(path) in CPP_KINDS]
    tested = {
        name
        for path in code
        for test in CONDITION_LINE.finditer(tree.read(path) or b"")
        for name in _NAME.findall(test["asked"])
    }
    left = {name for name in tested if _SWITCH.fullmatch(name) and not _OTHERS.match(name)}
    for path in files if left else ():
        text = tree.read(path) or b""
        # Most files speak of none of them.
        if any(name in text for name in left):
            text = CONDITION_LINE.sub(b"", text) if kind_of_path(path) in CPP_KINDS else text
            left.difference_update(_NAME.findall(text.replace(b"-D", b" ")))
    return frozenset(name.decode() for name in left)
