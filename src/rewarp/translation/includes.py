"""``#include`` lines: the toolkit's headers become ROCm's, the project's own stay what they are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rewarp.lang.cpp.lexer import Line, whole_line
from rewarp.source import Span
from rewarp.tables import cuda
from rewarp.translation.changes import Options, Problem, Replacement
from rewarp.translation.reported_rules import HEADERS
from rewarp.translation.span_set import NOWHERE, Places

RUNTIME = b"hip/hip_runtime.h"
_HIPBLAS = b"hipblas/hipblas.h"
"""The support header sets the switches that give hipBLAS 2 the types of cuBLAS."""
_HAS_INCLUDE = re.compile(rb"__has_include\s*\(\s*[<\"](?P<path>[^>\"\r\n]{1,400})[>\"]\s*\)")
_PATH_MACRO = re.compile(rb"#[ \t]*define[ \t]+(?P<macro>\w+)[ \t]+[<\"](?P<path>[^>\"\s]+)[>\"][ \t]*(?=\r?\n|/|\Z)")


@dataclass
class Includes:
    """What became of a file's includes."""

    replacements: list[Replacement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    mapped: int = 0
    has_runtime: bool = False
    """Whether the result includes HIP's runtime header itself."""
    runtime: int | None = None
    """Where it does."""
    has_support: bool = False
    own_first: bool = False
    """Whether one of the project's own comes before HIP's runtime header, and may use its names."""
    first: int | None = None
    """Where the first include stands that no platform test surrounds."""
    needs_support: bool = False
    of_rocm: list[Span] = field(default_factory=list)
    """The lines that include ROCm's headers in the result."""


def translate_includes(
    view: bytes,
    path: str,
    lines: Iterable[Line],
    options: Options,
    left_alone: Places = NOWHERE,
    quiet: Places = NOWHERE,
) -> Includes:
    """Edits for every include of a header that CUDA has and ROCm names otherwise. Conditions are counted on the lexer's lines: every
    file comes here, and for most of them no tree of conditionals is ever made."""
    found = Includes()
    seen: dict[
        bytes, int
    ] = {}  # headers and how deep in conditions they were included; what a condition closes is gone
    depth = 0
    lines = list(lines)
    guards = _include_guard_depth(lines)
    for line in lines:
        if line.word in (b"if", b"ifdef", b"ifndef"):
            depth += 1
        elif line.word == b"endif":
            depth = max(0, depth - 1)
            seen = {header: level for header, level in seen.items() if level <= depth}
        elif line.word in (b"else", b"elif"):
            seen = {header: level for header, level in seen.items() if level < depth}
        if line.path is None or line.start in left_alone:
            continue
        if found.first is None and depth <= guards:
            found.first = line.start
        _translate_one(view, path, line, options, found, seen, depth)
    if b"__has_include" in view:
        _translate_other_paths(_HAS_INCLUDE.finditer(view), found)
    _translate_other_paths(
        (m for line in lines if line.word == b"define" and (m := _PATH_MACRO.match(view, line.start))), found
    )
    if options.project.renamed:
        found.replacements += _named_by_macros(view, path, lines, options)
    found.problems = [p for p in found.problems if p.where.start not in quiet]
    return found


def _named_by_macros(view: bytes, path: str, lines: Iterable[Line], options: Options) -> Iterator[Replacement]:
    """The project's own files that are included under the name of a macro: ``#define KERNEL "kernel.cu"``."""
    for line in lines:
        macro = _PATH_MACRO.match(view, line.start) if line.word == b"define" else None
        if macro is None or not re.search(rb"#[ \t]*include[ \t]+%s\b" % macro["macro"], view):
            continue
        text = macro["path"].decode("utf-8", "replace")
        own = _own_file(text, path, options, quoted=True, listed=False)
        if own and (new := _renamed(text, path, own, options)):
            yield Replacement(*macro.span("path"), new.encode())


def _translate_other_paths(matches: Iterable[re.Match[bytes]], found: Includes) -> None:
    """Headers that are asked for or named without being included: ``__has_include(<cuda_fp16.h>)``."""
    for match in matches:
        twin = cuda.header(match["path"])
        if twin and twin.hip and twin.status != "unsupported" and ";" not in twin.hip:
            found.replacements.append(Replacement(*match.span("path"), twin.hip.encode()))
            found.mapped += 1


def _translate_one(
    view: bytes, path: str, line: Line, options: Options, found: Includes, seen: dict[bytes, int], depth: int
) -> None:
    assert line.path is not None
    start, end = line.path
    quotes, name = view[start : start + 1] + view[end - 1 : end], view[start + 1 : end - 1].strip()
    text = name.decode("utf-8", "replace")
    if text.endswith(support := posixpath.basename(options.support)) and posixpath.basename(text) == support:
        found.has_support = True
    twin = cuda.header(name)
    if own := _own_file(text, path, options, quoted=quotes == b'""', listed=twin is not None):
        found.own_first |= not found.has_runtime
        if new := _renamed(text, path, own, options):
            found.replacements.append(Replacement(start + 1, end - 1, new.encode()))
        return
    if twin is None:
        headers = [name]
    elif twin.status == "unsupported":
        message = f"{text} has no twin in ROCm"
        found.problems.append(Problem(HEADERS, Span(line.start, end), "unsupported", message, twin.note or _FIX, text))
        return
    else:
        headers = [header for header in twin.hip.encode().split(b";") if header]
        found.needs_support |= twin.status == "supplied" or _HIPBLAS in headers
        found.mapped += 1
        if twin.status == "noted":
            message = f"{text} became {twin.hip}: {twin.note}"
            found.problems.append(Problem(HEADERS, Span(line.start, end), "noted", message, _CHECK, text))
    fresh = [header for header in headers if header not in seen]
    seen.update(dict.fromkeys(fresh, depth))
    found.has_runtime |= depth <= 1 and RUNTIME in headers
    if found.runtime is None and RUNTIME in headers:
        found.runtime = line.start
    if twin is None:
        if name.startswith(b"hip/"):
            found.of_rocm.append(Span(line.start, end))
        return
    found.of_rocm.append(Span(line.start, end))
    fresh = [header for header in fresh if header.decode() != support]
    if fresh == [name]:
        return
    if not fresh:
        found.replacements.append(Replacement(*whole_line(view, Span(line.start, end)), b""))
        return
    ending = b"\r\n" if b"\r\n" in view[:4096] else b"\n"
    directive = view[line.start : start]
    joined = (ending + directive).join(quotes[:1] + header + quotes[1:] for header in fresh)
    found.replacements.append(Replacement(start, end, joined))


_FIX = "Find another way on ROCm, or keep the code that needs it behind a platform macro."
_CHECK = "Check the places that use it."


def _own_file(include: str, path: str, options: Options, *, quoted: bool, listed: bool) -> str | None:
    """The project's file that an include means, if it means one. The toolkit's header goes before a namesake
    elsewhere in the project, and in angle brackets before one in the same folder too."""
    if not options.project.files:
        return None
    headers = options.project.headers
    beside = headers.beside(include, path)
    if beside and (quoted or not listed):
        return beside
    return None if listed else min(headers.namesakes(include), key=len, default=None)


def _renamed(include: str, path: str, own: str, options: Options) -> str | None:
    """The include with the new name of the file it means, if that file gets one."""
    new = options.project.renamed.get(own)
    if not new:
        return None
    parts = include.split("/")
    upward = [part for part in parts if part in (".", "..")]
    return "/".join(upward + new.split("/")[len(upward) - len(parts) :])


def _include_guard_depth(lines: list[Line]) -> int:
    """1 when the file opens with an include guard, else 0."""
    words = [line.word for line in lines[:2]]
    return int(words in ([b"ifndef", b"define"], [b"if", b"define"]))
