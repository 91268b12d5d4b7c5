"""Back ends that compile another's sources: which files, shown by which lines, with which macros set."""

from __future__ import annotations

import ast
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from rewarp.errors import UnreadableSource
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import Kind
from rewarp.parity.kernels.sources import C_FAMILY, is_build_file, is_test, names_backend, owner, suffix
from rewarp.parity.units import Place, Problem
from rewarp.source import SourceFile
from rewarp.targets.rocm import ROCM
from rewarp.workspace.documents import python_file

DONOR = "cuda"
"""Whose sources others compile."""
TAKERS = frozenset({"rocm", "musa"})
"""Back ends whose compiler reads the donor's language."""
_MENTION = re.compile(r"[^\s\"'`;,()=]*\.cu\b(?![\w.])")
_VARIABLE = re.compile(r"(?:\$(?:ENV)?)?\{[^}]*(?:\}|\Z)|\$\w+")
_SWITCH = re.compile(r"-D\s*(\w+)(?:=(\w+))?")
_READ_FIRST = re.compile(rb'"-include",\s*"([\w.-]+)"')
_NUMBER = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\d+)[ \t]*$", re.M)
_DEFINING = ("add_compile_definitions", "target_compile_definitions", "add_definitions")
_COMPARED = re.compile(r"\bSTREQUAL\s+\"?(\w+)")
_CMAKE_WORDS = frozenset({"PUBLIC", "PRIVATE", "INTERFACE"})
_HIPIFIED_BY_TORCH = (b"CUDAExtension", b"cpp_extension.load", b"hipify")
"""On ROCm, PyTorch's builder of extensions translates CUDA sources and compiles them."""
_AS_NAMED = re.compile(rb"\bcpp_extension(?: as (\w+)| import ([^\n]*\bload\b))")
_FUNCTION = re.compile(rb"^[ \t]*(?:#\[[^\]]{0,2000}\]\s*){0,32}(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s", re.M)


class _Mention(NamedTuple):
    pattern: str
    place: Place
    is_removed: bool = False
    """It is taken off the list that it was on: `list(REMOVE_ITEM SOURCES a.cu)`."""


@dataclass
class Shared:
    """What a back end takes over."""

    files: dict[str, Place] = field(default_factory=dict)
    """The donor's sources, each with the line that names it."""
    untold: dict[str, Place] = field(default_factory=dict)
    """Those that PyTorch would translate where it builds extensions, though no build file beside them names the back end."""
    problems: list[Problem] = field(default_factory=list)
    switches: dict[str, int | bool | None] = field(default_factory=dict)
    """Macros that the back end's build sets; None where it does so only sometimes."""
    has_unseen_build: bool = False
    """Whether a tool outside the tree compiles them, with macros that nobody here can see."""


def shared(files: Mapping[str, bytes], backend: str) -> Shared:
    """The sources of the donor that a back end compiles."""
    found = Shared()
    if backend not in TAKERS:
        return found
    sources = [path for path in files if suffix(path) == ".cu" and owner(path) != backend and not is_test(path)]
    torch_folders = _torch_folders(files, backend) if backend == "rocm" else {}
    # A crate whose build script for the back end lists its sources: what the other script lists is the donor's.
    listed = {posixpath.dirname(path) for path in files if _lists_sources(path, files[path], backend)}
    for path in files:
        if is_test(path) or (posixpath.basename(path) == "build.rs" and posixpath.dirname(path) in listed):
            continue
        is_own = owner(path) == backend
        is_torch = path.endswith(".py") and posixpath.dirname(path) in torch_folders
        if is_own or is_torch or is_build_file(path):
            for name, value in (*_switches(path, files[path]), *_put_first(path, files)) if is_own else ():
                _set(found.switches, name, value)
            if sources:
                is_told = is_own or torch_folders.get(posixpath.dirname(path), True)
                _take(found, path, files[path], sources, backend, is_own=is_own or is_torch, is_told=is_told)
    return found


def _torch_folders(files: Mapping[str, bytes], backend: str) -> dict[str, bool]:
    """Folders with a Python file that has PyTorch build extensions, and whether one of their files names the back end."""
    python = [path for path in files if path.endswith(".py") and not is_test(path)]
    found = dict.fromkeys((posixpath.dirname(path) for path in python if says_what_is_built(files[path])), False)
    for path in python:
        folder = posixpath.dirname(path)
        if found.get(folder) is False:
            found[folder] = names_backend(files[path].decode("utf-8", "replace"), backend)
    return found


def says_what_is_built(data: bytes) -> bool:
    """Whether a Python file has PyTorch build extensions."""
    if any(word in data for word in _HIPIFIED_BY_TORCH):
        return True
    named = _AS_NAMED.search(data)
    return named is not None and (named[2] is not None or named[1] + b".load" in data)


def _take(
    found: Shared, path: str, data: bytes, sources: list[str], backend: str, *, is_own: bool, is_told: bool
) -> None:
    mentions = list(_mentions(path, data, backend, is_own=is_own))
    taken: dict[str, Place] = {}
    for mention in mentions:
        for source in _meant(mention.pattern, path, data, sources):
            if mention.is_removed:
                taken.pop(source, None)
            else:
                taken.setdefault(source, mention.place)
    if is_told:
        found.files = {**taken, **found.files}
    else:
        found.untold = {**taken, **found.untold}
    if not mentions and PurePosixPath(path).name == "build.rs" and (place := _builds_for(path, data, backend)):
        beside = [source for source in sources if source.startswith(posixpath.dirname(path) + "/")]
        for source in beside:
            found.files.setdefault(source, place)
        if beside:
            found.has_unseen_build = True
            what = f"builds for {backend} and names no source: taken to compile the .cu files of its own crate"
            found.problems.append(Problem(path, place.line, what))


def _lists_sources(path: str, data: bytes, backend: str) -> bool:
    """Whether this is a part of a build script that is the back end's own and names sources."""
    name = posixpath.basename(path)
    if not (name.startswith("build") and name.endswith(".rs") and name != "build.rs") or owner(path) != backend:
        return False
    return any(_mentions(path, data, backend, is_own=True))


def _put_first(path: str, files: Mapping[str, bytes]) -> Iterator[tuple[str, int]]:
    """The numbers that a header defines which a build has the compiler read before each source."""
    for name in _READ_FIRST.findall(files[path]):
        folder = posixpath.dirname(path)
        headers = [other for other in files if other.endswith("/" + name.decode()) and other.startswith(folder)]
        for header in headers if len(headers) == 1 else ():
            for macro, value in _NUMBER.findall(files[header]):
                yield macro.decode(), int(value)


def _set(switches: dict[str, int | bool | None], name: str, value: int | bool | None) -> None:
    switches[name] = value if switches.get(name, value) == value else None


# --- what a file names ----------------------------------------------------------------


def _mentions(path: str, data: bytes, backend: str, *, is_own: bool) -> Iterator[_Mention]:
    """The `.cu` files that a file of the back end, or a build file on its way, names in code."""
    if b".cu" not in data:
        return
    end = suffix(path)
    name = PurePosixPath(path).name
    try:
        if end == ".cmake" or name == "CMakeLists.txt":
            yield from _cmake_mentions(path, data, backend, is_own=is_own)
        elif end == ".rs":
            yield from _rust_mentions(path, data, backend, is_own=is_own)
        elif end == ".py":
            if is_own:
                yield from _python_mentions(path, data)
        elif end in C_FAMILY and is_own:
            document = CodeFile(SourceFile(path, data), Kind.CPP)
            for include in document.includes:
                if include.path.endswith(".cu"):
                    line = document.source.line_at(include.where.start)
                    yield _Mention(include.path, Place(path, line, document.snippet(include.where)))
    except UnreadableSource:
        return


def _cmake_mentions(path: str, data: bytes, backend: str, *, is_own: bool) -> Iterator[_Mention]:
    document = CMakeFile(SourceFile(path, data), Kind.CMAKE)
    if not is_own and not (backend == "rocm" and (document.has_hip or any(map(_says_hip, document.calls)))):
        return
    everywhere = {text for call in document.calls if _removes(call) and _chooses(call, DONOR) for text in call.texts}
    for call in document.calls:
        if (backend == "rocm" and document.unreachable(call, ROCM)) or _chooses(call, DONOR):
            continue
        is_removed = _removes(call)
        if is_removed and (not _is_for(call, backend) or everywhere.issuperset(call.texts)):
            continue  # what the donor's own list lacks too is built in another way
        for argument in call.arguments:
            if _MENTION.fullmatch(argument.text):
                line = document.source.line_at(argument.where.start)
                yield _Mention(argument.text, Place(path, line, document.snippet(argument.where)), is_removed)


def _says_hip(call: CMakeCommand) -> bool:
    """`set_source_files_properties(… PROPERTIES LANGUAGE HIP)`: what else would be CUDA's is HIP's."""
    pairs = zip(call.texts, call.texts[1:])
    return call.name == "set_source_files_properties" and ("LANGUAGE", "HIP") in pairs


def _removes(call: CMakeCommand) -> bool:
    return call.name == "list" and call.texts[:1] == ["REMOVE_ITEM"]


def _chooses(call: CMakeCommand, backend: str) -> bool:
    """Whether a call stands where a setting was compared with the name of another back end: `if(API STREQUAL "CUDA")`."""
    compared = (_COMPARED.findall(test) for test, holds in call.conditions if holds and "NOT" not in test)
    return any(names and all(names_backend(name, backend) for name in names) for names in compared)


def _is_for(call: CMakeCommand, backend: str) -> bool:
    """Whether a call is made on every way, or on one that asks for the back end."""
    return not call.conditions or any(names_backend(test, backend) for test, holds in call.conditions if holds)


def _rust_mentions(path: str, data: bytes, backend: str, *, is_own: bool) -> Iterator[_Mention]:
    """Sources named in literals; in a build script of several back ends, by functions that name this one."""
    document = CodeFile(SourceFile(path, data), Kind.RUST)
    starts = [0, *(match.start() for match in _FUNCTION.finditer(document.code)), len(document.code)]
    for literal in document.literals:
        # A whole literal: in a message, a file's name says nothing about what is compiled.
        if not _MENTION.fullmatch(literal.text):
            continue
        at = bisect_right(starts, literal.where.start)
        around = document.source.view[starts[at - 1] : starts[at]].decode("utf-8", "replace")
        if is_own or names_backend(around, backend):
            line = document.source.line_at(literal.where.start)
            yield _Mention(literal.text, Place(path, line, document.snippet(literal.where)))


def _python_mentions(path: str, data: bytes) -> Iterator[_Mention]:
    document = python_file(SourceFile(path, data))
    for node in ast.walk(document.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not document.unreachable(node, ROCM):
            if _MENTION.fullmatch(node.value):
                yield _Mention(node.value, Place(path, node.lineno, document.source.line_text(node.lineno).strip()))


def _builds_for(path: str, data: bytes, backend: str) -> Place | None:
    """Where the code of a Rust file first names the back end."""
    document = CodeFile(SourceFile(path, data), Kind.RUST)
    try:
        names = sorted(
            (places[0], word) for word, places in document.words.items() if names_backend(word.decode(), backend)
        )
    except UnreadableSource:
        return None
    if not names:
        return None
    line = document.source.line_at(names[0][0])
    return Place(path, line, document.source.line_text(line).strip())


# --- which file that is -----------------------------------------------------------------


def _meant(pattern: str, path: str, data: bytes, sources: list[str]) -> list[str]:
    """The sources that a path or glob in a file stands for."""
    plain = _VARIABLE.sub("*", pattern).lstrip("/")
    while plain.startswith("*/"):
        plain = plain[2:]
    from_here = posixpath.normpath(posixpath.join(posixpath.dirname(path), plain))
    if from_here.startswith(".."):
        from_here = plain.replace("../", "")
    if found := [source for source in sources if _glob(from_here).fullmatch(source)]:
        return found
    tail = plain.replace("../", "").removeprefix("./")
    if not tail.removesuffix(".cu").strip("*?./"):
        # `{name}.cu` could be any file. A glob of a Python build, whose folder is computed, takes those below it.
        below = posixpath.dirname(path)
        return [source for source in sources if source.startswith(below and below + "/")] if "*" in pattern else []
    found = [source for source in sources if _glob("**/" + tail).fullmatch("/" + source)]
    named = [source for source in found if posixpath.basename(posixpath.dirname(source)).encode() in data]
    whole = [source for source in named if posixpath.dirname(source).encode() in data]
    return whole or named or found


@lru_cache(maxsize=4096)
def _glob(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[!^]?[\w.-]+\])", pattern)
    meaning = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile("".join(meaning.get(part) or _literally(part) for part in parts))


def _literally(part: str) -> str:
    """A text, or one character of a set: `[^.]`."""
    return part.replace("[!", "[^") if part.startswith("[") and part.endswith("]") else re.escape(part)


# --- macros that the build sets -----------------------------------------------------------


def _switches(path: str, data: bytes) -> Iterator[tuple[str, int | bool | None]]:
    try:
        if suffix(path) == ".cmake" or PurePosixPath(path).name == "CMakeLists.txt":
            for call in CMakeFile(SourceFile(path, data), Kind.CMAKE).named(*_DEFINING):
                yield from _cmake_switches(call)
        elif suffix(path) == ".rs" and b"-D" in data:
            for literal in CodeFile(SourceFile(path, data), Kind.RUST).literals:
                if match := _SWITCH.fullmatch(literal.text.strip()):
                    yield match[1], _number(match[2])
    except UnreadableSource:
        return


def _cmake_switches(call: CMakeCommand) -> Iterator[tuple[str, int | bool | None]]:
    names = call.texts[1:] if call.name.startswith("target") else call.texts
    for text in names:
        name, _, value = text.removeprefix("-D").partition("=")
        if name.isidentifier() and name not in _CMAKE_WORDS:
            yield name, None if call.conditions else _number(value) if value else True


def _number(text: str | None) -> int | bool | None:
    """What a switch sets; without a value nobody says here whether it is always passed."""
    try:
        return int(text, 0) if text else None
    except ValueError:
        return True
