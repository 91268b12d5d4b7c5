"""Files that a change brings or takes away: can an NVIDIA build or run pick them up?"""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Iterator

from rewarp.tables import cuda
from rewarp.verify.isolation.cfamily.directives import walk
from rewarp.verify.isolation.cfamily.includes import included
from rewarp.verify.isolation.cfamily.macros import shape_of
from rewarp.verify.isolation.cfamily.tokens import Unreadable
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.model import FileVerdict, Place, Verdict
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging.cmake import NotRead, parse, residue
from rewarp.verify.isolation.roles import HEADER_SUFFIXES, Role, role_of, suffix

_BY_DEFAULT = re.compile(
    r"(?i)(Dockerfile|Containerfile|CMakeLists\.txt|(GNU)?Makefile|requirements\.txt|environment\.ya?ml|"
    r"(docker-)?compose\.ya?ml|setup\.(sh|cfg)|conftest\.py|config\.h|pyproject\.toml|cargo\.toml|build\.rs|.*\.pth)"
)
"""Tools look for files of these names by themselves."""
_STANDARD_HEADERS = re.compile(
    r"(?!\w+_hip\.)(?:c?(?:assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|std\w+|string|time|wchar)"
    r"|types|unistd|pthread|dlfcn|fcntl|malloc|memory|driver_types|device_\w+|host_\w+|vector_\w+|math_\w+|builtin_types"
    r"|cu\w*|nv\w*|cooperative_groups\w*|thrust|mma|sm_\w+|texture_\w+|surface_\w+|channel_descriptor|library_types|omp|mpi"
    r"|Python|torch|ATen|pybind11|hip_\w+|version|half|semaphore|barrier|atomic|optional|variant|span|array|vector)\.\w+"
)
_SCANS = re.compile(rb"\b(?:listdir|scandir|iterdir|os\.walk|iter_modules|walk_packages|WalkDir|read_dir)\b")
_PATTERN = re.compile(r"""(?<![\w./$*-])[\w./${}-]*\*[^\s"'();,]*""")
_BUILD_FILES = re.compile(
    r"(^|/)(setup\.py|CMakeLists\.txt|.*\.cmake|(GNU)?Makefile|.*\.mk|build\.rs|meson\.build|BUILD(\.bazel)?|.*\.bzl|"
    r"_?build\w*\.py|op_builder/.*\.py|.*extension\w*\.py)$"
)
_RUNNING_FILES = re.compile(r"(^|/)((Dockerfile|Containerfile)[\w.-]*|[\w.-]+\.(dockerfile|sh|bash))$")
"""What these collect is run or copied, and not compiled."""
_PACKING_FILES = re.compile(r"(^|/)(pyproject\.toml|setup\.cfg|MANIFEST\.in)$")
"""What these collect is packed, and not compiled."""
_ASKED_FOR_BY_NAME = (Role.DOCKERFILE, Role.REQUIREMENTS)
_MAKEFILE = re.compile(r"(?i)(?:GNU)?makefile\.(?!am$|in$)[\w.-]+")
"""make reads such a file only where it is told to."""
_FOUND_BY_CARGO = re.compile(r"(^|/)(build\.rs|src/(lib|main)\.rs|(src/bin|tests|examples|benches)/.*)$")
"""A Rust file elsewhere is compiled where another names it, and that one is compared."""
_MORE_BY_NAME = (".sh", ".yml", ".yaml", ".cmake", ".slurm")


def added(path: str, data: bytes, context: Context) -> FileVerdict:
    """A new file that is not Python."""
    role = role_of(path)
    said = Says(path, None, data, "new file: nothing for NVIDIA picks it up")
    reasons = _reasons(path, role, context)
    if reason := next(reasons, None):
        return said(Verdict.UNPROVABLE, reason, [Place(None, 1, reason)])
    return said(Verdict.IDENTICAL, "no file spoke of it before, and no pattern of a build takes it in")


def removed(path: str, data: bytes | None) -> FileVerdict:
    said = Says(path, data, None, "file taken away")
    return said(Verdict.DIFFERENT, "an NVIDIA user had this file", [Place(1, None, "removed")])


def _reasons(path: str, role: Role, context: Context) -> Iterator[str]:
    name = posixpath.basename(path)
    by_name = role in _ASKED_FOR_BY_NAME or suffix(path) in _MORE_BY_NAME or _MAKEFILE.fullmatch(name)
    if role is not Role.C and not by_name and not (suffix(path) == ".rs" and not _FOUND_BY_CARGO.search(path)):
        yield "what uses a new file of this kind is not known"
    if _BY_DEFAULT.fullmatch(name):
        yield f"tools look for files named {name} by themselves"
    if role is Role.C and suffix(path) in HEADER_SUFFIXES:
        yield from _shadows(path, context)
    yield from (f"{other} spoke of {name} before" for other in _speak_of(name, context))
    yield from _globs(path, context)


def _speak_of(name: str, context: Context) -> list[str]:
    stem = name.rpartition(".")[0] or name
    word = stem if name.endswith((".cmake", ".rs")) else name
    if not re.fullmatch(r"\w[\w.-]*", word, re.A):
        return ["something"]
    # pip takes `-rname` without a blank.
    words = (word, f"r{word}", f"c{word}") if role_of(name) is Role.REQUIREMENTS else (word,)
    found = [other for each in words for other in context.trees.containing(each, "before")]
    return [other for other in found if role_of(other) is not Role.DOCUMENTATION]


def _shadows(path: str, context: Context) -> Iterator[str]:
    """An existing include may find the new header in place of the one it found before."""
    name = posixpath.basename(path)
    if _STANDARD_HEADERS.fullmatch(name) or any(header.endswith(os.fsencode(name)) for header in cuda.includes()):
        yield f"it has the name of a header from outside the project, {name}, and may be found in its place"
    for other in context.trees.paths("before"):
        if role_of(other) is not Role.C:
            continue
        data = context.trees.read(other, "before")
        if data is None or (os.fsencode(name) not in data and not re.search(rb"#[ \t]*include[ \t]+[A-Za-z_]", data)):
            continue
        try:
            nodes = shape_of(other, data).nodes
        except Unreadable:
            yield f"{other} may include it, and cannot be read with certainty"
            continue
        for node in walk(nodes):
            if node.name.startswith("include"):
                written = included(node)
                if written is None:
                    yield f"{other}:{node.line} includes a file that a macro names"
                elif ("/" + path).endswith("/" + posixpath.normpath(written[0]).lstrip("./")):
                    yield f"{other}:{node.line} includes {written[0]}, and may now find this file"


def _globs(path: str, context: Context) -> Iterator[str]:
    """Patterns by which a build of either side collects files."""
    for other in context.trees.paths("after"):
        collects = role_of(path) is not Role.C and (_PACKING_FILES.search(other) or _RUNNING_FILES.search(other))
        if other == path or not (collects or _BUILD_FILES.search(other)):
            continue
        data = context.trees.read(other, "after") or b""
        if role_of(other) is Role.CMAKE:
            data = _live_text(other, data, context)
        if role_of(path) is Role.C and _SCANS.search(data):
            yield f"{other} reads folders, and may take it in"
        # In a container or a script the folder is called something else.
        takes = _takes_name if _RUNNING_FILES.search(other) else _takes
        if any(takes(match, path) for match in _PATTERN.finditer(data.decode("latin-1"))):
            yield f"{other} collects files by a pattern that may take it in"


def _takes(match: re.Match[str], path: str) -> bool:
    """Whether a pattern may mean a file, wherever the pattern starts from."""
    pattern = re.sub(r"\$\{[^}]*\}|\{[^}]*\}", "*", match[0])
    if not pattern.rpartition("/")[2].strip("*"):  # a lone star is a product, unless it stands in a path or a string
        if pattern.strip("*/."):  # it names a folder
            return fnmatch.fnmatch("/" + path, "*" + pattern.replace("**/", "*").replace("./", ""))
        return "/" in pattern or match.string[max(match.start() - 1, 0) : match.start()] in ("'", '"')
    if ".." in pattern:
        pattern = pattern.rpartition("/")[2]
    return fnmatch.fnmatch("/" + path, "*" + pattern.replace("./", ""))


def _takes_name(match: re.Match[str], path: str) -> bool:
    pattern = match[0].rpartition("/")[2]
    return bool(pattern.strip("*")) and fnmatch.fnmatch(posixpath.basename(path), pattern)


def _live_text(path: str, data: bytes, context: Context) -> bytes:
    try:
        commands = residue(parse(data), context.switches["after"].is_off)
    except NotRead:
        return data
    return "\n".join(" ".join(command.arguments) for command in commands).encode()
