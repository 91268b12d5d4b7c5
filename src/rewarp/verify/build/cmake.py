"""Flags in CMake files for sources that no target of theirs names: what folders are given. Targets: ``project/build``.

Variables are followed through ``set``, ``list`` and ``file(GLOB)``. What stands under an ``if`` that nothing here
decides is taken where it cannot change what code means (sources, include folders), and set aside where it can.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rewarp.errors import RewarpError
from rewarp.lang.cmake import CMakeCommand, CMakeFile
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile
from rewarp.verify.build.flags import RELOCATABLE, Flags, combined, read_flags, split
from rewarp.verify.build.variables import Variables

_REFERENCE = re.compile(r"\$(?:CACHE)?\{(?P<name>\w+)\}|\$ENV\{\w+\}")
_LANGUAGE = re.compile(r"\$<\$<COMPILE_LANGUAGE:([\w,]+)>:([^<>]*)>")
_INTERFACE = re.compile(r"\$<BUILD_INTERFACE:([^<>]*)>")
_PLAIN = re.compile(r"[^$<>\0]*")
_ANGLE = re.compile(r"\$<|[<>]")
_WORDS = re.compile(r"[()]|[^\s()]+")
_KEYWORDS = frozenset(
    "PRIVATE PUBLIC INTERFACE SYSTEM BEFORE AFTER STATIC SHARED MODULE OBJECT EXCLUDE_FROM_ALL".split()
)
_TRUE, _FALSE = frozenset("ON TRUE YES Y 1".split()), frozenset("OFF FALSE NO N 0 IGNORE NOTFOUND".split()) | {""}
_SEPARABLE = "CUDA_SEPARABLE_COMPILATION"
_UNKNOWN = "\0"


@dataclass
class _Folder:
    """What one CMakeLists.txt knows; a folder below starts with a copy."""

    variables: Variables
    given: list[Flags] = field(default_factory=list)

    def flags(self, place: Path) -> Flags:
        return combined((*self.given, _variable_flags(self, place)))


@dataclass(frozen=True)
class CMakeFlags:
    """The flags that a project's CMake files give what lies in a folder."""

    by_folder: Mapping[Path, Flags]
    """By the folder of each CMakeLists.txt."""


def read_cmake(files: Iterable[Path], root: Path, *, hip: bool) -> CMakeFlags:
    """``hip``: whether conditions on the platform are read as a build for HIP, not for CUDA, would."""
    reader = _Reader(root, hip)
    for file in sorted(files, key=lambda path: (len(path.parts), path)):
        reader.read(file)
    return reader.result()


class _Reader:
    def __init__(self, root: Path, hip: bool) -> None:
        self.root = root
        self.platform = {"hip": hip, "rocm": hip, "cuda": not hip}
        self.folders: dict[Path, _Folder] = {}

    def read(self, file: Path) -> None:
        try:
            document = CMakeFile(SourceFile(file.name, file.read_bytes()), Kind.CMAKE)
            calls = document.calls
        except (OSError, RewarpError):
            return
        above = next((self.folders[parent] for parent in file.parent.parents if parent in self.folders), None)
        here = str(file.parent)
        known = above.variables if above else {"CMAKE_SOURCE_DIR": here, "CMAKE_CUDA_COMPILER": "nvcc"}
        variables = Variables(known)
        variables |= {"CMAKE_CURRENT_SOURCE_DIR": here, "CMAKE_CURRENT_LIST_DIR": here}
        folder = self.folders[file.parent] = _Folder(variables, list(above.given) if above else [])
        for call in calls:
            self._read_call(call, folder, file.parent)

    def result(self) -> CMakeFlags:
        return CMakeFlags({path: folder.flags(path) for path, folder in self.folders.items()})

    # --- commands ------------------------------------------------------------------

    def _read_call(self, call: CMakeCommand, folder: _Folder, place: Path) -> None:
        taken = self._taken(call.conditions, folder.variables)
        if taken is False:
            return
        if call.name == "set" and _is_appended(call.texts, folder.variables, sure=taken is True):
            return
        words = _words(call.texts, folder.variables)
        name = call.name
        if name in ("set", "option", "list", "file", "project"):
            _read_variable(name, words, folder.variables, place, sure=taken is True)
        elif name in ("include_directories", "add_definitions", "add_compile_definitions", "add_compile_options"):
            kind = {"include_directories": "include", "add_compile_definitions": "definitions"}.get(name, "options")
            folder.given.append(_flags(kind, words, place, sure=taken is True))

    # --- conditions ----------------------------------------------------------------

    def _taken(self, conditions: Iterable[tuple[str, bool]], variables: Mapping[str, str]) -> bool | None:
        """Whether a command runs; None where that is not known."""
        sure = True
        for text, holds in conditions:
            value = self._truth(_WORDS.findall(text), variables)
            if value is None:
                sure = False
            elif value is not holds:
                return False
        return True if sure else None

    def _truth(self, words: list[str], variables: Mapping[str, str]) -> bool | None:
        if words[:1] == ["("] and words[-1:] == [")"] and words.count("(") == 1:
            words = words[1:-1]
        if not words or "(" in words:
            return None
        for joint, decisive in (("OR", True), ("AND", False)):
            if joint in words:
                sides = {self._truth(side, variables) for side in _split_at(words, joint)}
                return decisive if decisive in sides else None if None in sides else not decisive
        denials = next((at for at, word in enumerate(words) if word != "NOT"), len(words))
        if len(words) != denials + 1:
            return None
        value = self._name_truth(words[-1], variables)
        return None if value is None else value is (denials % 2 == 0)

    def _name_truth(self, word: str, variables: Mapping[str, str]) -> bool | None:
        name = _REFERENCE.sub(lambda match: match["name"] or "", word)
        # A switch for a platform means the platform that is asked about, whatever its default.
        for platform, wanted in self.platform.items():
            if re.search(rf"(?i)(?:^|_){platform}(?:_found|_compiler|_enabled)?$", name):
                return wanted
        value = variables.get(name, name if name.upper() in _TRUE | _FALSE else None)
        if value is None:
            return None
        return True if value.upper() in _TRUE else False if value.upper() in _FALSE else None


def _split_at(words: Sequence[str], joint: str) -> list[list[str]]:
    sides: list[list[str]] = [[]]
    for word in words:
        if word == joint:
            sides.append([])
        else:
            sides[-1].append(word)
    return sides


def _is_appended(texts: Sequence[str], variables: Variables, *, sure: bool) -> bool:
    """``set(A ${A} more)``: only what comes to the value is read, not the value once more."""
    if len(texts) < 2 or not sure or texts[0] not in variables or not texts[1].startswith(own := f"${{{texts[0]}}}"):
        return False
    more = variables.expanded(";".join((texts[1][len(own) :], *texts[2:])), _REFERENCE, _UNKNOWN)
    joined, *words = more.split(";")
    if not _PLAIN.fullmatch(more) or "CACHE" in words or "PARENT_SCOPE" in words:
        return False
    text = ";".join((joined, *filter(None, words)))
    variables.append(texts[0], text.lstrip(";") if variables.is_empty(texts[0]) else text)
    return True


def _read_variable(name: str, words: Sequence[str], variables: Variables, place: Path, *, sure: bool) -> None:
    if not words:
        return
    if name == "project":
        variables["PROJECT_SOURCE_DIR"] = variables[f"{words[0]}_SOURCE_DIR"] = str(place)
    elif name == "option":
        variables.setdefault(words[0], words[2] if len(words) > 2 else "OFF")
    elif name == "set":
        end = next((i for i, word in enumerate(words) if word in ("CACHE", "PARENT_SCOPE")), len(words))
        value = ";".join(words[1:end])
        if sure or words[0] not in variables:
            variables[words[0]] = value
    elif name == "list" and words[0] == "APPEND" and len(words) > 1:
        more = ";".join(words[2:])
        variables.append(words[1], more if variables.is_empty(words[1]) or not more else f";{more}")
    elif name == "file" and words[0] in ("GLOB", "GLOB_RECURSE") and len(words) > 1:
        variables[words[1]] = ";".join(_globbed(words[2:], place, deep=words[0] == "GLOB_RECURSE"))


def _globbed(words: Sequence[str], place: Path, *, deep: bool) -> list[str]:
    found: list[str] = []
    for word in words:
        if word in ("CONFIGURE_DEPENDS", "RELATIVE", "LIST_DIRECTORIES", "true", "false"):
            continue
        base = _at(place, word)
        pattern = f"**/{base.name}" if deep else base.name
        if "*" in str(base.parent) or not base.parent.is_dir() or "**" in base.name:
            continue
        found += sorted(str(path) for path in base.parent.glob(pattern))
    return found


def _words(texts: Sequence[str], variables: Variables) -> list[str]:
    """Arguments with variables and generator expressions resolved; those that cannot be are left out."""
    text = variables.expanded(";".join(texts), _REFERENCE, _UNKNOWN)
    text = _INTERFACE.sub(r"\1", text)
    text = _LANGUAGE.sub(lambda match: match[2] if {"CUDA", "HIP"} & set(match[1].split(",")) else "", text)
    text = _without_generators(text)
    return [word for word in text.split(";") if word and "\0" not in word and "${" not in word]


def _without_generators(text: str) -> str:
    """A mark in the place of each generator expression, however deep others nest in it; what holds a ``<`` of its own is
    left as it is."""
    parts: list[str] = []
    opened: list[int] = []
    at = 0
    for mark in _ANGLE.finditer(text):
        parts.append(text[at : mark.start()])
        at = mark.end()
        if mark[0] == ">" and opened:
            del parts[opened.pop() :]
            parts.append("\0")
            continue
        if mark[0] == "$<":
            opened.append(len(parts))
        elif mark[0] == "<":
            opened.clear()
        parts.append(mark[0])
    return "".join((*parts, text[at:]))


def _flags(kind: str, words: Iterable[str], place: Path, *, sure: bool) -> Flags:
    words = [word for word in words if word not in _KEYWORDS]
    if kind == "include":
        return read_flags([f"-I{word}" for word in words], place)
    if kind == "definitions":
        words = [word if word.startswith("-D") else f"-D{word}" for word in words]
    words = [part for word in words for part in split(word)]
    if sure:
        return read_flags(words, place)
    return Flags(undecided=tuple(word for word in words if word.startswith("-D")))


def _variable_flags(folder: _Folder, place: Path) -> Flags:
    variables = folder.variables
    languages = ("HIP", "CUDA") if "CMAKE_HIP_FLAGS" in variables else ("CUDA",)
    words = [
        word
        for language in ("CXX", *languages)
        for word in split(
            variables.expanded(variables.get(f"CMAKE_{language}_FLAGS", ""), _REFERENCE, _UNKNOWN).replace(";", " ")
        )
        if "\0" not in word
    ]
    standard = next((variables[name] for name in _standards(languages) if name in variables), "")
    if variables.get(f"CMAKE_{_SEPARABLE}", "").upper() in _TRUE:
        words.append(RELOCATABLE)
    if standard.isdigit():
        words.append(f"-std=c++{standard}")
    return read_flags(words, place)


def _standards(languages: Iterable[str]) -> list[str]:
    return [f"CMAKE_{language}_STANDARD" for language in (*languages, "CXX")]


def _at(place: Path, word: str) -> Path:
    return Path(os.path.normpath(place / word))
