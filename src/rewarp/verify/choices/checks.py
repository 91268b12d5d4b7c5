"""All choices of a file, by the question they answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rewarp.verify.choices.classes import classes
from rewarp.verify.choices.devices import fallbacks
from rewarp.verify.choices.formats import formats
from rewarp.verify.choices.names import unbound_names
from rewarp.verify.choices.questions import questions
from rewarp.verify.choices.scales import scales
from rewarp.verify.choices.sides import contradictions, foreign_files, never_reached, shadowed, swapped
from rewarp.verify.choices.view import View


class Choice(NamedTuple):
    """A choice that comes out wrong on the target."""

    path: str
    line: int
    why: str


def choices(view: View, arches: Sequence[str | None]) -> Iterator[Choice]:
    """Each line of each of these GPUs once."""
    for_all = list(_found(view))
    for arch in arches:
        seen: set[int] = set()
        for node, why in (*for_all, *formats(view, arch), *scales(view, arch)):
            if node.lineno not in seen:
                seen.add(node.lineno)
                yield Choice(view.path, node.lineno, why)


def _found(view: View) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    yield from fallbacks(view)
    yield from contradictions(view)
    yield from swapped(view)
    yield from never_reached(view)
    yield from shadowed(view)
    yield from foreign_files(view)
    yield from unbound_names(view)
    yield from classes(view)
    yield from questions(view)
