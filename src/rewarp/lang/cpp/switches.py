"""A project's own switches for its back ends, as one file asks for them."""

from __future__ import annotations

import re
from functools import lru_cache

from rewarp.lang.cpp.file import CodeFile

_NAME = re.compile(r"[A-Za-z_]\w*")
_SWITCH = re.compile(r"(?:[A-Z0-9]+_)*(?:USE|WITH|ENABLE|HAVE|HAS|BUILD)_(?:[A-Z0-9]+_)*CUDA(?:_[A-Z0-9]+)*")


@lru_cache(maxsize=4)
def nvidias_switches(document: CodeFile) -> frozenset[str]:
    """Macros such as ``LIB_USE_CUDA``, where the same file asks for ``LIB_USE_HIP`` as well: a build has the one or the other."""
    tests = (arm.test for conditional in document.every_conditional() for arm in conditional.arms)
    asked = {name for test in tests for name in _NAME.findall(test.condition)}
    return frozenset(
        name
        for name in asked
        if _SWITCH.fullmatch(name) and not asked.isdisjoint(name.replace("CUDA", word) for word in ("HIP", "ROCM"))
    )
