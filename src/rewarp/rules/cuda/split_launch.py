"""CU-020: launches with blanks in their chevrons."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.cuda import KINDS, reachable
from rewarp.source import Span
from rewarp.targets import Context

_OPENING = re.compile(rb"<<[ \t]+<(?![<=])")
_NAME = re.compile(rb"[\w>)\]]\s*\Z")


@rule(
    id="CU-020",
    title="A launch is written with blanks in its chevrons",
    kinds=KINDS,
    anchors=["~<< <"],
    phase=Phase.TRANSLATION,
    rocm=Impact(
        Severity.BUILD,
        why="nvcc takes `kernel << <grid, block >> >(x)`, as some formatters write it; clang, and so hipcc, reads a shift and a "
        "comparison there and stops.",
        fix="Write <<< and >>>: nvcc reads the same.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    fix=SourceFix(),
    example="kernel << <grid, block >> >(x);",
    source="https://clang.llvm.org/doxygen/Lexer_8cpp_source.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for chevrons with a blank behind the name of a kernel: the first, with how many there are."""
    code = document.code
    found = [m.start() for m in _OPENING.finditer(code) if _NAME.search(code, max(m.start() - 80, 0), m.start())]
    places = reachable(document, context, found)
    if places:
        where = Span(places[0], places[0] + code[places[0] :].index(b"<", 2) + 1)
        how_many = "a launch is" if len(places) == 1 else f"{len(places)} launches are"
        yield Hit(where, f"{how_many} written with `<< <`, which the HIP compiler does not take", "<< <")
