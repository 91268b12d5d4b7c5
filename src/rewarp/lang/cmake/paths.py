"""Commands about files and paths: file(), get_filename_component(), cmake_path(), include(), add_subdirectory()."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.outcome import Directory
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.values import is_known, spoken, unknown

_MOST_FOUND = 200_000


def absolute(machine: Evaluator, path: str, base: str = "") -> str:
    if not is_known(path) and path.startswith("\x05"):
        return path
    return posixpath.normpath(posixpath.join(base or machine.directory.path, path))


# --- get_filename_component and cmake_path --------------------------------------------------


@command("get_filename_component")
def _component(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if len(arguments.texts) < 3:
        return machine.stop(arguments.call, "get_filename_component() needs three arguments")
    name, path, mode, *rest = arguments.texts
    if "CACHE" in rest and machine.scopes.cached(name) is not None:
        return None
    if not is_known(path) or mode == "PROGRAM":
        value = unknown(f"{mode} of {spoken(path)}")
    elif mode in ("ABSOLUTE", "REALPATH"):
        base = rest[rest.index("BASE_DIR") + 1] if "BASE_DIR" in rest[:-1] else ""
        value = absolute(machine, path, base)
    else:
        value = part_of(path, mode)
    (machine.scopes.set_cached if "CACHE" in rest else machine.scopes.set)(name, value)
    return None


def part_of(path: str, mode: str) -> str:
    """A part of a path, by the words of get_filename_component."""
    path = path.rstrip("/") if len(path) > 1 else path
    folder, _, name = path.rpartition("/")
    if mode in ("DIRECTORY", "PATH"):
        return folder or ("/" if path.startswith("/") else "")
    stem, dot, longest = name.partition(".")
    if mode == "NAME_WE":
        return stem
    if mode == "EXT":
        return dot + longest
    front, dot, last = name.rpartition(".")
    if mode == "NAME_WLE":
        return front if dot else name
    if mode == "LAST_EXT":
        return dot + last if dot else ""
    return name


_PARTS = {"FILENAME": "NAME", "PARENT_PATH": "DIRECTORY", "EXTENSION": "EXT", "STEM": "NAME_WE"}


@command("cmake_path")
def _cmake_path(machine: Evaluator, arguments: Arguments) -> None:
    texts = arguments.texts
    operation, name, *rest = [*texts, "", ""]
    value = machine.scopes.get(name) or ""
    output = texts[texts.index("OUTPUT_VARIABLE") + 1] if "OUTPUT_VARIABLE" in texts[:-1] else name
    if not is_known(value) or not arguments.is_known:
        machine.scopes.set(output if operation != "GET" else texts[-1], unknown(f"cmake_path({operation} {name})"))
    elif operation == "GET":
        part = _PARTS.get(rest[0], rest[0])
        if "LAST_ONLY" in rest:
            part = {"EXT": "LAST_EXT", "NAME_WE": "NAME_WLE"}.get(part, part)
        machine.scopes.set(texts[-1], part_of(value, part))
    elif operation == "SET":
        path = next(text for text in rest if text != "NORMALIZE")
        machine.scopes.set(name, posixpath.normpath(path) if "NORMALIZE" in rest else path)
    elif operation in ("APPEND", "NORMAL_PATH", "ABSOLUTE_PATH"):
        words = [word for word in rest if word and word not in ("NORMALIZE", "OUTPUT_VARIABLE", output)]
        path = posixpath.join(value, *words) if operation == "APPEND" else value
        path = absolute(machine, path) if operation == "ABSOLUTE_PATH" else path
        machine.scopes.set(output, posixpath.normpath(path) if operation == "NORMAL_PATH" else path)
    elif operation == "RELATIVE_PATH" and "BASE_DIRECTORY" in rest:
        machine.scopes.set(output, posixpath.relpath(value, rest[rest.index("BASE_DIRECTORY") + 1]))
    else:
        machine.note(arguments.call, f"cmake_path({operation}) is not known")
        machine.scopes.set(output if "OUTPUT_VARIABLE" in texts else texts[-1], unknown(f"cmake_path({operation})"))


# --- file -----------------------------------------------------------------------------------


@command("file")
def _file(machine: Evaluator, arguments: Arguments) -> Exit | None:
    texts = arguments.texts
    if len(texts) < 2:
        return None
    operation = texts[0]
    if operation in ("GLOB", "GLOB_RECURSE"):
        _glob(machine, arguments, deep=operation == "GLOB_RECURSE")
    elif operation in ("READ", "STRINGS") and len(texts) > 2:
        machine.scopes.set(texts[2], _read(machine, texts))
    elif operation == "RELATIVE_PATH" and len(texts) > 3:
        known = is_known(texts[2] + texts[3])
        machine.scopes.set(texts[1], posixpath.relpath(texts[3], texts[2]) if known else unknown(f"path of {texts[3]}"))
    elif operation in ("TO_CMAKE_PATH", "TO_NATIVE_PATH") and len(texts) > 2:
        machine.scopes.set(texts[2], texts[1].replace(":", ";") if operation == "TO_CMAKE_PATH" else texts[1])
    elif operation == "REAL_PATH" and len(texts) > 2:
        machine.scopes.set(texts[2], absolute(machine, texts[1]))
    elif operation in ("SIZE", "TIMESTAMP", "READ_SYMLINK", "MD5", "SHA1", "SHA256", "SHA512"):
        machine.scopes.set(texts[2], unknown(f"file({operation})"))
    elif operation in ("DOWNLOAD", "UPLOAD", "LOCK", "GET_RUNTIME_DEPENDENCIES"):
        for word, name in zip(texts, texts[1:]):
            if word in ("STATUS", "LOG", "RESULT_VARIABLE"):
                machine.scopes.set(name, unknown(f"file({operation})"))
    return None


def _read(machine: Evaluator, texts: Sequence[str]) -> str:
    place = machine.inside(absolute(machine, texts[1])) if is_known(texts[1]) else None
    data = machine.files.read(place) if place else None
    options = [text for text in texts[3:] if text not in ("REGEX",)]
    if data is None or len(data) > 1_000_000 or (texts[0] == "READ" and options):
        return unknown(f"content of {spoken(texts[1])}")
    text = data.decode("utf-8", "replace")
    if texts[0] == "READ":
        return text
    from rewarp.lang.cmake.regex import compiled

    pattern = compiled(texts[texts.index("REGEX") + 1]) if "REGEX" in texts[:-1] else None
    if len(options) > (1 if pattern else 0):
        return unknown(f"lines of {spoken(texts[1])}")
    lines = [line for line in text.splitlines() if line and (not pattern or pattern.search(line))]
    return ";".join(line.replace(";", "\\;") for line in lines)


def _glob(machine: Evaluator, arguments: Arguments, *, deep: bool) -> None:
    name, *words = arguments.texts[1:]
    relative, folders = "", not deep
    found: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "RELATIVE" and at < len(words):
            relative, at = words[at], at + 1
        elif word == "LIST_DIRECTORIES" and at < len(words):
            folders, at = words[at].upper() in ("TRUE", "ON", "1", "YES"), at + 1
        elif word != "CONFIGURE_DEPENDS":
            found += _globbed(machine, word, deep=deep, folders=folders)
    if relative and is_known(relative):
        found = [posixpath.relpath(path, relative) if is_known(path) else path for path in found]
    machine.scopes.set(name, ";".join(sorted(dict.fromkeys(found))))


def _globbed(machine: Evaluator, pattern: str, *, deep: bool, folders: bool) -> Iterator[str]:
    path = machine.inside(absolute(machine, pattern)) if is_known(pattern) else None
    if path is None:
        yield unknown(f"files that match {spoken(pattern)}")
        return
    folder, _, name = path.rpartition("/")
    start = (_shape(folder) + "/") if folder else ""
    expression = re.compile(start + ("(?:.*/)?" if deep else "") + _shape(name))
    for entry in listing(machine, folders):
        if expression.fullmatch(entry):
            yield posixpath.join(machine.setting.root, entry)


def _shape(pattern: str) -> str:
    parts = re.split(r"(\*+|\?|\[\^?\]?[^\]]*\])", pattern)
    meaning = {"?": "[^/]"}
    return "".join(
        "[^/]*" if part.startswith("*") else part if part.startswith("[") else meaning.get(part) or re.escape(part)
        for part in parts
    )


def listing(machine: Evaluator, folders: bool) -> Sequence[str]:
    """The paths of the tree, of folders too where asked."""
    if folders not in machine.listings:
        machine.listings[folders] = _listed(machine, folders)
    return machine.listings[folders]


def _listed(machine: Evaluator, folders: bool) -> Sequence[str]:
    if not folders:
        return list(machine.files.entries)
    found: dict[str, None] = {}
    for path in machine.files.entries:
        while path and path not in found:
            found[path] = None
            path = posixpath.dirname(path)
    return list(found)


# --- other files that are run ---------------------------------------------------------------


@command("include")
def _include(machine: Evaluator, arguments: Arguments) -> Exit | None:
    texts = arguments.texts
    if not texts or texts[0] in ("", "OPTIONAL"):
        return None
    word = texts[0]
    path = module(machine, word) if is_known(word) else None
    result = texts[texts.index("RESULT_VARIABLE") + 1] if "RESULT_VARIABLE" in texts[:-1] else None
    if path is not None:
        if result:
            machine.scopes.set(result, posixpath.join(machine.setting.root, path))
        return machine.run_file(path, arguments.call)
    from rewarp.lang.cmake.modules import MODULES

    if word not in MODULES:
        machine.note(arguments.call, f"{spoken(word)} is not in the tree")
        machine.missing = machine.missing or spoken(word)
        if not ("OPTIONAL" in texts and is_known(word) and machine.inside(word)):
            machine.scopes.origins.append((re.compile(r"(?!CMAKE_)\w+"), f"include({spoken(word)})"))
        if result:
            machine.scopes.set(result, unknown(f"include({spoken(word)})"))
    return None


def module(machine: Evaluator, word: str) -> str | None:
    """The file that include() of a name or a path runs, if it is in the tree."""
    folders = (machine.scopes.get("CMAKE_MODULE_PATH") or "").split(";")
    names = [posixpath.join(folder, f"{word}.cmake") for folder in folders if folder and is_known(folder)]
    for name in (absolute(machine, word), *(names if "/" not in word and not word.endswith(".cmake") else [])):
        path = machine.inside(name)
        if path and path in machine.files.entries:
            return path
    return None


@command("add_subdirectory")
def _subdirectory(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if not arguments.texts:
        return None
    folder = absolute(machine, arguments.texts[0])
    place = machine.inside(folder) if is_known(folder) else None
    file = posixpath.join(place, "CMakeLists.txt") if place is not None else ""
    if place is None or file not in machine.files.entries:
        machine.note(arguments.call, f"{spoken(arguments.texts[0])} is not in the tree")
        machine.missing = machine.missing or spoken(arguments.texts[0])
        machine.may_bring(posixpath.basename(spoken(folder)), f"add_subdirectory({spoken(arguments.texts[0])})")
        return None
    outer = machine.directory
    binary = arguments.texts[1] if len(arguments.texts) > 1 and arguments.texts[1] != "EXCLUDE_FROM_ALL" else ""
    below = posixpath.relpath(folder, outer.path)
    binary = posixpath.normpath(posixpath.join(outer.binary, binary or below))
    machine.directory = Directory(folder, binary, outer.given.copy(), outer)
    machine.directories.append(machine.directory)
    machine.scopes.push()
    machine.scopes.set("CMAKE_CURRENT_SOURCE_DIR", folder)
    machine.scopes.set("CMAKE_CURRENT_BINARY_DIR", binary)
    end = machine.run_file(file, arguments.call)
    machine.directory.variables = {name: machine.scopes.get(name) for name in flag_names(machine)}
    machine.scopes.pop()
    machine.directory = outer
    return end


def flag_names(machine: Evaluator) -> list[str]:
    """Variables that a folder's file leaves for its targets."""
    kinds = ("C", "CXX", "CUDA", "HIP")
    of_packages = ["CUDA_NVCC_FLAGS", "CUDA_SEPARABLE_COMPILATION", "HIP_HIPCC_FLAGS"]
    return [*(f"CMAKE_{kind}_FLAGS" for kind in kinds), "CMAKE_BUILD_TYPE", *of_packages]
