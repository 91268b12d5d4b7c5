"""Lines of build files that a build does not come to: behind an option that is off, for another platform, in a function that
nobody calls."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from rewarp.errors import UnreadableSource
from rewarp.lang.cmake.blocks import Call, calls_in, read_blocks
from rewarp.lang.kinds import Kind, kind_of_path
from rewarp.project.build.units import Build
from rewarp.workspace import Tree

Ranges = tuple[tuple[int, int], ...]
_LAST = 1 << 30


def skipped_lines(tree: Tree, build: Build) -> dict[str, Ranges]:
    """By file, from which line to which. Nothing where CMake ends with an error: then nobody knows what it would come to."""
    ran: dict[str, set[int]] = {}
    for path, run in build.ran:
        ran.setdefault(path, set()).update(run)
    if not ran or "" in ran or any(kind_of_path(reason.file) is Kind.CMAKE for reason, _ in build.refusals):
        return {}
    found: dict[str, Ranges] = {}
    waiting = list(ran)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        calls = _calls(tree, path)
        lines = ran.get(path)
        left = [at for at, call in enumerate(calls) if lines is None or (_is_run(call) and call.line not in lines)]
        found[path] = tuple(_ranges(calls, left)) if lines is not None else ((1, _LAST),)
        waiting += [other for at in left for other in _meant(tree, calls[at]) if other not in ran]
    return {path: ranges for path, ranges in found.items() if ranges}


def passed_over(build: Build) -> dict[str, Ranges]:
    """By Makefile, the lines in branches that no reading of it takes."""
    left: dict[str, set[int]] = {}
    for path, _, lines in build.branches:
        left.setdefault(path, set()).update(lines)
    for path, read, _ in build.branches:
        left[path] -= read
    return {path: tuple((line, line) for line in sorted(lines)) for path, lines in left.items() if lines}


def is_skipped(skipped: Mapping[str, Sequence[tuple[int, int]]], path: str, line: int) -> bool:
    return any(first <= line <= last for first, last in skipped.get(path, ()))


def _calls(tree: Tree, path: str) -> list[Call]:
    try:
        return sorted(calls_in(read_blocks(path, tree.read(path) or b"")), key=lambda call: call.line)
    except UnreadableSource:
        return []


def _is_run(call: Call) -> bool:
    """Whether the evaluator notes that it ran a call: of blocks and tests it does not."""
    return call.name not in ("if", "elseif", "foreach", "while", "function", "macro", "block")


def _ranges(calls: list[Call], left: list[int]) -> Iterator[tuple[int, int]]:
    for at in left:
        after = calls[at + 1].line if at + 1 < len(calls) else _LAST
        yield calls[at].line, max(calls[at].line, after - 1)


def _meant(tree: Tree, call: Call) -> Iterator[str]:
    """The files that only such a call brings in."""
    word = call.arguments[0].text.strip('"') if call.arguments else ""
    name = posixpath.basename(word.rstrip("/"))
    if not name or "$" in name:
        return
    folder = posixpath.dirname(call.file)
    if call.name == "add_subdirectory":
        path = posixpath.normpath(posixpath.join(folder, word, "CMakeLists.txt"))
        if path in tree.entries:
            yield path
    elif call.name in ("include", "find_package"):
        wanted = f"Find{name}.cmake" if call.name == "find_package" else name.removesuffix(".cmake") + ".cmake"
        yield from (path for path in tree.entries if posixpath.basename(path) == wanted)
