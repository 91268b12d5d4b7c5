"""What the compiler made once, kept for the next run of the same program.

A result counts where the command is the same, and so is every file that it read: what the compiler lists is held against
that list, those of the program by content, those of the compiler and of the system by size and date. So is, by name, every
file that the same include lines would find sooner.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rewarp import toolchain as toolchains
from rewarp.errors import RewarpError
from rewarp.files import cache_folder, write_bytes
from rewarp.toolchain import Toolchain

_HERE = "//here"
"""In place of the folder that each run has for itself. No path begins so."""
_MOST = 1 << 30
"""Bytes that are kept; then the oldest third goes."""
_NEVER_THE_SAME = re.compile(rb"\b__(?:DATE|TIME|TIMESTAMP)__\b|\b__has_(?:embed|include_next)\b|#\s*embed\b")
_ASKED = re.compile(rb"\b__has_include\b(?:\s*\(\s*[<\"]([^>\"\n]+)[>\"])?")
_SHARED = ("/usr/include", "/usr/local/include")
_OF_SURROUNDINGS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS")
_LEVELS = 3
"""How many folders an include line may name, that a new file could come to stand in."""


class Kept:
    """For one compiler, and one folder to work in."""

    def __init__(self, toolchain: Toolchain, work: Path) -> None:
        self._work = str(work)
        self._asked = [
            toolchain.identity,
            _own_code(),
            os.getcwd(),
            *(os.environ.get(name, "") for name in _OF_SURROUNDINGS),
        ]
        folders = [*toolchain.includes, toolchain.resource_dir or Path("/usr"), Path("/usr")]
        self._steady = tuple(f"{os.path.realpath(folder)}/" for folder in folders)

    def find(self, command: Sequence[str], output: Path) -> tuple[str, ...] | None:
        """The names that the code leaves to others, where it is there; it lies at ``output`` then."""
        file = self._file(command)
        try:
            head, _, code = file.read_bytes().partition(b"\n")
            known = json.loads(head)
            if known["files"] != {name: self._state(name) for name in known["files"]}:
                return None
            if known["sooner"] != self._sooner(known["files"], known["asked"], command):
                return None
            output.write_bytes(code)
            os.utime(file)
            return tuple(known["undefined"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, command: Sequence[str], listed: Sequence[Path], output: Path, undefined: Sequence[str]) -> None:
        """What was made by it. ``listed``: rules for make in which the compiler says what it read."""
        with contextlib.suppress(OSError, UnicodeError, RewarpError):
            read = [name for rule in listed for name in _prerequisites(rule.read_text("utf-8"))]
            names = [self._named(os.path.abspath(name)) for name in read]
            files = {name: self._state(name) for name in names}
            asked = self._asked_for(names)
            if not names or asked is None:
                return
            sooner = self._sooner(files, asked, command)
            known: dict[str, Any] = {"files": files, "asked": asked, "sooner": sooner, "undefined": list(undefined)}
            file = self._file(command)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(file, json.dumps(known).encode() + b"\n" + output.read_bytes())
            _thin_out(file.parent)

    def _file(self, command: Sequence[str]) -> Path:
        asked = [*self._asked, *(word.replace(self._work, _HERE) for word in command)]
        digest = hashlib.sha256(repr(asked).encode("utf-8", "surrogateescape")).hexdigest()
        return cache_folder() / "programs" / digest[:40]

    def _named(self, path: str) -> str:
        return f"{_HERE}{path[len(self._work) :]}" if path.startswith(f"{self._work}/") else path

    def _place(self, name: str) -> str:
        return f"{self._work}{name[len(_HERE) :]}" if name.startswith(_HERE) else name

    def _is_steady(self, name: str) -> bool:
        return os.path.realpath(self._place(name)).startswith(self._steady)

    def _state(self, name: str) -> str:
        place = self._place(name)
        if self._is_steady(name):
            status = os.stat(place)
            return f"{status.st_size} {status.st_mtime_ns}"
        return hashlib.sha256(Path(place).read_bytes()).hexdigest()

    def _asked_for(self, files: Iterable[str]) -> list[str] | None:
        """The headers that the program asks about; None where something gives another result each time."""
        found: set[str] = set()
        for name in files:
            text = b"" if self._is_steady(name) else Path(self._place(name)).read_bytes()
            asked = _ASKED.findall(text)
            if _NEVER_THE_SAME.search(text) or not all(asked):
                return None
            found |= {one.decode() for one in asked}
        return sorted(found)

    def _sooner(self, files: Iterable[str], asked: Iterable[str], command: Sequence[str]) -> str:
        """Which of the names that include lines may have are there in the program's own folders."""
        folders = {os.path.dirname(self._place(name)) for name in files if not self._is_steady(name)}
        folders |= {*_folders(command), *_SHARED}
        ends = {"/".join(name.split("/")[-count:]) for name in files for count in range(1, _LEVELS + 1)} | set(asked)
        there = sorted(
            f"{self._named(folder)}/{end}" for folder in folders for end in ends if os.path.exists(f"{folder}/{end}")
        )
        return hashlib.sha256("\0".join(there).encode("utf-8", "surrogateescape")).hexdigest()


@lru_cache(maxsize=1)
def _own_code() -> str:
    """What of rewarp decides how the compiler is called."""
    folder = Path(toolchains.__file__).parent
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py")))).hexdigest()


def _folders(command: Sequence[str]) -> Iterator[str]:
    for word, behind in zip(command, (*command[1:], "")):
        if word in ("-I", "-isystem", "-iquote", "-idirafter"):
            yield os.path.abspath(behind)
        elif word.startswith("-I"):
            yield os.path.abspath(word[2:])


def _prerequisites(rule: str) -> list[str]:
    """What stands behind the colon, as make reads it."""
    text = rule.replace("\\\n", " ").partition(": ")[2]
    words = re.findall(r"(?:\\[ #\\]|[^\s])+", text)
    return [re.sub(r"\\([ #\\])", r"\1", word).replace("$$", "$") for word in words]


def _thin_out(folder: Path) -> None:
    files = [(file.stat(), file) for file in folder.iterdir()]
    size = sum(status.st_size for status, _ in files)
    for status, file in sorted(files, key=lambda one: one[0].st_mtime_ns) if size > _MOST else ():
        with contextlib.suppress(OSError):
            file.unlink()
        size -= status.st_size
        if size < _MOST * 2 // 3:
            break
