"""A new header, or a new source beside one of the same name: may an old include or an old rule find it now?"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator

from rewarp.lang.cpp.directives import every_branch, walk
from rewarp.lang.cpp.tokens import Unreadable
from rewarp.tables import cuda
from rewarp.verify.isolation.cfamily.includes import included, outside_roots
from rewarp.verify.isolation.cfamily.macros import shape_of
from rewarp.verify.isolation.roles import Role, role_of, says_amd, suffix
from rewarp.verify.isolation.tree import Trees

_OF_LIBRARIES = re.compile(
    r"(?!\w+_hip\.)(?:driver_types|device_\w+|host_\w+|vector_\w+|math_\w+|builtin_types|cu\w*|nv\w*|cooperative_groups\w*|thrust|mma"
    r"|sm_\w+|texture_\w+|surface_\w+|channel_descriptor|library_types|omp|mpi|Python|torch|ATen|pybind11|hip_\w+|version|half)\.\w+"
)
_OF_THE_LANGUAGE = frozenset(
    """aio aliases alloca ar argp argz array assert atomic barrier bit byteswap cassert ccomplex cctype cerrno cfenv cfloat
    charconv chrono cinttypes climits clocale cmath codecvt compare complex concepts config cpio csetjmp csignal cstdarg
    cstdbool cstddef cstdint cstdio cstdlib cstring ctime ctype cuchar cwchar cwctype deque direct dirent dlfcn elf endian
    envz err errno error exception execinfo execution expected fcntl features fenv filesystem float fmtmsg fnmatch format
    fstab fstream ftw functional future getopt glob grp iconv ifaddrs immintrin intrin inttypes io iomanip ios iso646 iterator
    langinfo latch libgen libintl limits link list locale malloc map math mcheck memory mntent mqueue mutex netdb new nss
    numbers numeric optional ostream paths poll printf process pthread pty pwd queue random ratio regex resolv sched search
    semaphore set setjmp shadow share signal spawn span sstream stack stdalign stdarg stdatomic stdbool stddef stdexcept
    stdint stdio stdlib stdnoreturn string strings syscall sysexits syslog tar termios tgmath thread threads time tuple
    type_traits types uchar ucontext ulimit unistd unordered_map utility utime utmp valarray values variant vector wait wchar
    wctype windows winsock2 wordexp x86intrin xmmintrin""".split()
)
_FOLDERS_OF_SYSTEMS = frozenset(
    "arpa asm asm-generic backward bits debug ext experimental gnu linux net netinet parallel sys".split()
)
_ASKS_BY_MACRO = re.compile(rb"#[ \t]*include[ \t]+[A-Za-z_]")
_GATHERS = re.compile(
    rb"LIST_DIRECTORIES|-I[^\n]{0,80}(?:wildcard|shell)|shell\s+find\s+\S+\s+-type\s+d|addprefix\s+-I|os\.walk"
)
"""Signs that a build looks for folders with headers by itself."""
_BUILDS = (Role.MAKE, Role.CMAKE, Role.PYTHON)
_MAKES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".s", ".f", ".m", ".mm", ".p", ".r")
"""Suffixes that make compiles by itself."""


_SEARCHED_BY_CUSTOM = frozenset({"header", "headers", "inc", "include", "includes"})


def is_never_searched(path: str, trees: Trees) -> bool:
    """Whether a new header lies in a new folder that nothing named before: the compiler looks only in folders that it is
    told of, and beside the file that includes."""
    before = trees.paths("before")
    new = next(
        (folder for folder in _folders(path) if not any(other.startswith(folder + "/") for other in before)), None
    )
    if new is None or trees.containing(posixpath.basename(new), "before"):
        return False
    # A folder of such a name is one that people tell compilers of unasked, or that headers from outside name.
    named = {part.lower() for part in posixpath.dirname(path).split("/")}
    if not named.isdisjoint(_SEARCHED_BY_CUSTOM | _FOLDERS_OF_SYSTEMS):
        return False
    # Below the new folder such a name leads nowhere: who looks there was told of the new folder itself.
    if not outside_roots(trees).isdisjoint(part.lower() for part in new.split("/")):
        return False
    if any(role_of(other) in _BUILDS and _GATHERS.search(trees.read(other, "before") or b"") for other in before):
        return False
    trees.assume(f"Nobody who builds for NVIDIA tells the compiler to look for headers in {new}.")
    return True


def _folders(path: str) -> Iterator[str]:
    """The folders around a file, the outermost first."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[: number + 1]) for number in range(len(parts)))


def headers(path: str, trees: Trees) -> Iterator[str]:
    """An existing include may find the new header in place of the one it found before."""
    name = posixpath.basename(path)
    stem = name.partition(".")[0]
    known = any(header.endswith(os.fsencode(name)) for header in cuda.includes())
    if stem.lower() in _OF_THE_LANGUAGE or _OF_LIBRARIES.fullmatch(name) or known:
        yield f"it has the name of a header from outside the project, {name}, and may be found in its place"
    outside = outside_roots(trees) | _FOLDERS_OF_SYSTEMS
    if taken := [folder for folder in posixpath.dirname(path).split("/") if folder in outside]:
        yield f"{taken[0]} is a folder of headers from outside the project, too"
    lowered = os.fsencode(name).lower()
    for other in trees.paths("before"):
        data = trees.read(other, "before") if role_of(other) is Role.C else None
        if data is None or (lowered not in data.lower() and not _ASKS_BY_MACRO.search(data)):
            continue
        yield from _asked_by(other, data, path)
    if not says_amd(name):
        trees.assume(f"No header from outside the project includes a file named {name}.")


def _asked_by(other: str, data: bytes, path: str) -> Iterator[str]:
    try:
        nodes = shape_of(other, data).nodes
    except Unreadable:
        yield f"{other} may include it, and cannot be read with certainty"
        return
    for node in walk(nodes):
        if node.word.startswith("include"):
            written = included(node)
            if written is None:
                yield f"{other}:{node.line} includes a file that a macro names"
            elif _may_be(written[0], path):
                yield f"{other}:{node.line} includes {written[0]}, and may now find this file"
    for branch in every_branch(nodes):
        text = "".join(token.text for token in branch.condition)
        if "__has_" in text and (posixpath.basename(path).lower() in text.lower() or not re.search(r'[<"]', text)):
            yield f"{other}:{branch.line} asks whether there is such a file"


def _may_be(written: str, path: str) -> bool:
    """Some systems do not tell capitals from small letters in a file's name."""
    return ("/" + path).lower().endswith("/" + posixpath.normpath(written).lstrip("./").lower())


def rules_of_make(path: str, trees: Trees) -> Iterator[str]:
    """A rule of make, its own or the project's, that would rather make something from the new file."""
    folder, name = posixpath.split(path)
    stem, end = name.rpartition(".")[0], suffix(path)
    twins = [
        other
        for other in trees.paths("before")
        if posixpath.dirname(other) == folder and posixpath.basename(other).rpartition(".")[0] == stem
    ]
    if not twins:
        return
    for other in trees.paths("before"):
        if role_of(other) is not Role.MAKE:
            continue
        data = trees.read(other, "before") or b""
        rule = re.search(
            rb"%" + re.escape(end.encode()) + rb"\b|^" + re.escape(end.encode()) + rb"\.\w+\s*:", data, re.M
        )
        if rule or end in _MAKES:
            yield f"{other} makes files by their suffix, and {posixpath.basename(twins[0])} has the same name"
