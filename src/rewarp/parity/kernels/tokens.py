"""What kernels are looked for in: statements at file scope, braces folded away."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewarp.lang.cpp.preprocessor import Code

BODY = "{}"
"""The token that stands for a whole function body."""
GROUP = "{...}"
"""The token for other braces: a class, a table."""
_MACRO_LIKE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{4,}")


def is_macro_like(text: str) -> bool:
    return _MACRO_LIKE.fullmatch(text) is not None


@dataclass(frozen=True)
class Statement(Code):
    """One statement at file scope, or what directives leave of it."""

    is_whole: bool
    """Whether it ends here, and opens or closes no scope."""
    is_call: bool
    """Whether it begins like the use of a macro."""
