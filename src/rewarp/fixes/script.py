"""What a fix of a Python build script gets: a node of the script, and how the script asks for ROCm."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from rewarp.lang.python import PythonFile
from rewarp.source import Span

Replacement = tuple[int, int, str]
"""Start, end and text, in the view of the source."""


@dataclass(frozen=True)
class ScriptGate:
    """How the script asks whether torch is built for ROCm."""

    rocm: str
    """The condition that holds on ROCm."""
    nvidia: str
    """The one that does not."""
    since: int
    """Offset from which it can be asked."""
    edits: tuple[Replacement, ...] = ()
    """What makes the name known."""


@dataclass(frozen=True)
class ScriptPlace:
    document: PythonFile
    node: ast.AST
    where: Span
    """Where the finding stands, in the view of the source."""
    gate: ScriptGate


ScriptMender = Callable[[ScriptPlace], "list[Replacement]"]
"""The edits that give ROCm another value; none where the shape is not known."""
