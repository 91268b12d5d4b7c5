"""Files that a change brings or takes away: can an NVIDIA build or run pick them up?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from rewarp.verify.isolation import shadowing
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.model import FileVerdict, Place, Verdict
from rewarp.verify.isolation.outcome import Says
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
        return said(Verdict.UNPROVABLE, reason, [Place(None, 1, reason)])
    return said(Verdict.IDENTICAL, "no file spoke of it before, and nothing collects it")


def removed(path: str, data: bytes | None) -> FileVerdict:
    said = Says(path, data, None, "file taken away")
    return said(Verdict.DIFFERENT, "an NVIDIA user had this file", [Place(1, None, "removed")])


def _reasons(path: str, role: Role, context: Context) -> Iterator[str]:
    name = posixpath.basename(path)
    by_name = role in _ASKED_FOR_BY_NAME or suffix(path) in _MORE_BY_NAME or _MAKEFILE.fullmatch(name)
    if role is not Role.C and not by_name and not (suffix(path) == ".rs" and not _FOUND_BY_CARGO.search(path)):
        yield "what uses a new file of this kind is not known"
    if _BY_DEFAULT.fullmatch(name) or (_TEMPLATES.search(path) and suffix(path) in (".yml", ".yaml")):
        yield f"tools look for files such as {name} by themselves"
    yield from (f"{other} spoke of {name} before" for other in _speak_of(name, context))
    if role is Role.C and suffix(path) in HEADER_SUFFIXES:
        yield from shadowing.headers(path, context.trees)
    elif role is Role.C:
        yield from shadowing.rules_of_make(path, context.trees)
        yield from _by_convention(path, context)
    if why := context.collectors.why(path):
        yield why


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
