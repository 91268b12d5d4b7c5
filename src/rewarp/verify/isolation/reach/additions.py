"""Files that a change brings or takes away: can an NVIDIA build or run pick them up?"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator

from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.reach import shadowing
from rewarp.verify.isolation.roles import HEADER_SUFFIXES, Role, role_of, suffix

_BY_DEFAULT = re.compile(
    r"(?i)(Dockerfile|Containerfile|CMakeLists\.txt|(GNU)?Makefile|requirements\.txt|environment\.ya?ml|"
    r"(docker-)?compose(\.override)?\.ya?ml|setup\.(sh|cfg)|conftest\.py|config\.h|pyproject\.toml|cargo\.toml|build\.rs|"
    r"chart\.ya?ml|values\.ya?ml|kustomization\.ya?ml|\.env|.*\.pth)"
)
"""Tools look for files of these names by themselves."""
_TEMPLATES = re.compile(r"(^|/)templates/")
"""Helm takes every file in such a folder."""
_ASKED_FOR_BY_NAME = (Role.DOCKERFILE, Role.REQUIREMENTS)
_MAKEFILE = re.compile(r"(?i)(?:GNU)?makefile\.(?!am$|in$)[\w.-]+")
"""make reads such a file only where it is told to."""
_FOUND_BY_CARGO = re.compile(r"(^|/)(build\.rs|src/(lib|main)\.rs|(src/bin|tests|examples|benches)/.*)$")
"""A Rust file elsewhere is compiled where another names it, and that one is compared."""
_MORE_BY_NAME = (".sh", ".yml", ".yaml", ".cmake", ".slurm")
_COMPILES_FOLDERS = tuple(
    (re.compile(marker), re.compile(place))
    for marker, place in (
        (r".*\.go|extconf\.rb|.*\.ino", r"$"),
        (r"Package\.swift", r"Sources/"),
        (r"platformio\.ini", r"(src|lib)/"),
        (r"DESCRIPTION", r"src/$"),
    )
)
"""Go, Ruby, Swift, PlatformIO and R: a file of theirs, and where below it sources are taken as they come."""
_FOUND_BY_CMAKE = re.compile(r"Find(\w+)\.cmake|([\w-]+?)-?[Cc]onfig\.cmake")


def added(path: str, data: bytes, context: Context) -> FileVerdict:
    """A new file that is not Python."""
    role = role_of(path)
    said = Says(path, None, data, "new file: nothing for NVIDIA picks it up")
    reasons = _reasons(path, role, context)
    if reason := next(reasons, None):
        return said(IsolationVerdict.UNPROVABLE, reason, [Place(None, 1, reason)])
    return said(IsolationVerdict.IDENTICAL, "no file spoke of it before, and nothing collects it")


def removed(path: str, data: bytes | None) -> FileVerdict:
    said = Says(path, data, None, "file taken away")
    return said(IsolationVerdict.DIFFERENT, "an NVIDIA user had this file", [Place(1, None, "removed")])


def _reasons(path: str, role: Role, context: Context) -> Iterator[str]:
    name = posixpath.basename(path)
    new_crate = name == "Cargo.toml" and _is_new_folder(path, context)
    by_name = role in _ASKED_FOR_BY_NAME or suffix(path) in _MORE_BY_NAME or _MAKEFILE.fullmatch(name) or new_crate
    for_amd = suffix(path) == ".rs" and _is_program_for_amd(path, context)
    found_by_cargo = _FOUND_BY_CARGO.search(path) and not _in_new_crate(path, context) and not for_amd
    if role is not Role.C and not by_name and not (suffix(path) == ".rs" and not found_by_cargo):
        yield "what uses a new file of this kind is not known"
    if new_crate:
        yield from _listed_by_cargo(path, context)
    elif _BY_DEFAULT.fullmatch(name) or (_TEMPLATES.search(path) and suffix(path) in (".yml", ".yaml")):
        yield f"tools look for files such as {name} by themselves"
    if role is Role.C and suffix(path) in HEADER_SUFFIXES and shadowing.is_never_searched(path, context.trees):
        return
    if not (
        suffix(path) in (".rs", ".toml") and _is_new_folder(path, context) and not _included_somewhere(name, context)
    ):
        yield from (f"{other} spoke of {name} before" for other in _speak_of(name, context))
    if role is Role.C and suffix(path) in HEADER_SUFFIXES:
        yield from shadowing.headers(path, context.trees)
    elif role is Role.C:
        yield from shadowing.rules_of_make(path, context.trees)
        yield from _by_convention(path, context)
    if why := context.collectors.why(path):
        yield why


def _is_new_folder(path: str, context: Context) -> bool:
    """Whether nothing was in the folder before: Rust finds a module only below the one that declares it."""
    folder = posixpath.dirname(path) + "/"
    return folder != "/" and not any(other.startswith(folder) for other in context.trees.paths("before"))


def _is_program_for_amd(path: str, context: Context) -> bool:
    """Whether the manifest names it as a program that needs a feature for AMD."""
    folder = posixpath.dirname(path)
    while folder and f"{folder}/Cargo.toml" not in context.trees.after.entries:
        folder = posixpath.dirname(folder)
    manifest = (context.trees.read(posixpath.join(folder, "Cargo.toml"), "after") or b"").decode("utf-8", "replace")
    own, stem = posixpath.relpath(path, folder or "."), posixpath.basename(path).removesuffix(".rs")
    tables = re.findall(r"^\[\[(?:bin|example)\]\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", manifest, re.M)
    named = [table for table in tables if f'path = "{own}"' in table or f'name = "{stem}"' in table]
    return any(re.search(r'required-features\s*=\s*\[[^\]]*"rocm"', table) for table in named)


def _in_new_crate(path: str, context: Context) -> bool:
    folder = posixpath.dirname(path)
    while folder and f"{folder}/Cargo.toml" not in context.trees.after.entries:
        folder = posixpath.dirname(folder)
    return bool(folder) and _is_new_folder(f"{folder}/Cargo.toml", context)


def _included_somewhere(name: str, context: Context) -> bool:
    """Whether a Rust file named it by its path before."""
    for path in context.trees.paths("before"):
        data = (context.trees.read(path, "before") or b"") if path.endswith(".rs") else b""
        if re.search(rb"(?:#\[\s*path|include\w*!)[^\n]*" + re.escape(name.encode()), data):
            return True
    return False


def _listed_by_cargo(path: str, context: Context) -> Iterator[str]:
    """A workspace that takes every crate in a folder."""
    folder = posixpath.dirname(path)
    for other in context.trees.paths("before"):
        if posixpath.basename(other) != "Cargo.toml":
            continue
        text = (context.trees.read(other, "before") or b"").decode("utf-8", "replace")
        top = posixpath.dirname(other)
        for pattern in re.findall(r'"([^"\n]*\*[^"\n]*)"', text):
            if fnmatch.fnmatch(folder, posixpath.normpath(posixpath.join(top, pattern))):
                yield f"{other} takes every crate in such a folder"
    context.trees.assume(f"Who builds every member of the workspace builds {folder} too, which nothing else uses.")


def _by_convention(path: str, context: Context) -> Iterator[str]:
    """Tools that compile whatever source lies in a folder."""
    folder = posixpath.dirname(path)
    for other in context.trees.paths("before"):
        top, name = posixpath.split(other)
        below = (folder + "/").startswith(top + "/" if top else "")
        inside = (folder + "/").removeprefix(top).lstrip("/") if below else ""
        if any(marker.fullmatch(name) and below and place.match(inside) for marker, place in _COMPILES_FOLDERS):
            yield f"{other} has every source in {folder or 'this folder'} compiled"


def _speak_of(name: str, context: Context) -> list[str]:
    stem = name.rpartition(".")[0] or name
    word = stem if name.endswith((".cmake", ".rs")) else name
    if not re.fullmatch(r"\w[\w.-]*", word, re.A):
        return ["something"]
    words = [word]
    if role_of(name) is Role.REQUIREMENTS:
        words += [f"r{word}", f"c{word}", stem]  # pip takes `-rname` without a blank
    if package := _FOUND_BY_CMAKE.fullmatch(name):
        words.append(package[1] or package[2])
    found = [other for each in words for other in context.trees.containing(each, "before")]
    return [other for other in found if role_of(other) is not Role.DOCUMENTATION]
