"""Files that other files collect: by a pattern, or by reading a folder.

What is looked through is the tree before the change. A file that collects something only now is judged by itself.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rewarp.files import is_below
from rewarp.lang.rust import literals
from rewarp.verify.isolation.packaging.cmake import Command, NotRead, parse, residue
from rewarp.verify.isolation.packaging.switches import NvidiaSwitches
from rewarp.verify.isolation.roles import C_SUFFIXES, Role, is_build_file, role_of, says_amd, suffix
from rewarp.verify.isolation.tree import Trees

_BLANK = re.compile(r"""[\s"'`();,\\|&]+""")
_WILD = re.compile(r"[*?]|\[[^\]]{1,999}\]")
_VARIABLE = re.compile(r"\$\$?\{[^}]{0,999}\}|\$\([\w.-]{1,999}\)|\$\w+|\{[^}*?]{0,999}\}|%[sd]|<[\w:]{1,999}>")
_CALL = re.compile(r"\$\((?:wildcard|shell|foreach|filter|patsubst|sort|strip)\b|\$\$?files\(|<!@?\(")
"""Functions of Make, qmake and gyp: what they are given is looked at, not taken for a variable."""
_QUOTED = re.compile(r"""(?<![rR])(["'])((?:\\.|(?!\1)[^\\\n]){0,4999})\1""")
"""What is quoted raw is a regular expression."""
_RUST_STRING = re.compile(r'[brc]*#*"(.*)"#*', re.S)
_PATH = re.compile(r"[\w./*?\[\]!~@%+\0-]+")
_SUFFIX = re.compile(r"""["'*](?:\.|(?=(?:cuh?|cpp|cc|cxx|hip)\b))(\w+)["']""")
_ALL = re.compile(r"""(?:^|[\s"])(?:\$\{[^}]{0,999}\}/)?\*{1,2}(?:/\*)?(?:["\s]|$)""")
"""All there is in the folder, or in one that a variable names."""
_QUOTED_STAR = re.compile(rb"['\"][^'\"*?]*[*?]")
_GIVEN = re.compile(rb"\s*\(\s*['\"]([\w./-]+)['\"]\s*\)")
_ITSELF = re.compile(rb"__file__|__path__")
_AROUND = 250
_GLOB = re.compile(rb"\b[ri]?glob\s*\(((?:[^()]|\([^()]*\))*)\)")
_COMMENT = re.compile(r"^[ \t]*(?:#|//(?!go:)).*$", re.M)
_READS_FOLDERS = re.compile(
    rb"\b(?:listdir|scandir|iterdir|os\.walk|fwalk|iter_modules|walk_packages|WalkDir|walkdir|read_dir|"
    rb"include_dir|RustEmbed|automod|bindgen_cuda|directory_iterator|opendir|readdir\w*|ReadDir|lfs\.dir|openDir|filepath\.Walk\w*|Dir\.glob|FindFirstFile\w*|importlib\.resources|"
    rb"importlib_resources|fnmatch|from os import[^\n]{0,4999}\bwalk)\b"
)
_FAR = re.compile(rb"walk|rglob|\*\*|Walk|recursive|include_dir|RustEmbed|bindgen_cuda")
"""Reads folders below folders."""
_OWN_PLACE = re.compile(
    rb"__file__|__path__|__package__|getcwd|\bcwd\b|resources|CARGO_MANIFEST_DIR|automod|bindgen_cuda"
)
_SETS_TOOLS = re.compile(r"(^|/)\.\w*(rc|ignore|attributes)$|(^|/)(tox|pytest|mypy)\.ini$")
_PACKS = re.compile(r"(^|/)(setup\.(py|cfg)|MANIFEST\w*\.in|pyproject\.toml)$")
_MANIFEST = re.compile(r"MANIFEST\.in")
_STAR = re.compile(r"\bin\s+(\$\{?\w+\}?/|\.?/)?\*(?=[;\s])|\$\(shell echo\s+(?=\*)")
"""`for file in *`"""
_COMPILES = re.compile(r"\b(?:nvcc|hipcc|gcc|clang|cc|nvrtc)\b|\bg\+\+|clang\+\+")
_LISTS = re.compile(
    r"(?:^|[\s;|&(`{])(?:ls|find|fd|dir|git ls-files|Get-ChildItem|run-parts|kubectl|oc|helm|xargs|parallel|cat|source|nvcc|ansible-playbook|aux_source_directory)"
    r"(?=[\s)`]|$)([^\n;|&)`]*)",
    re.M,
)
_NAME_GIVEN = re.compile(r"-i?(?:name|path|wholename|regex)\b")
_PURPOSE = {
    Role.PYTHON: rb"import_module|__import__|\bexec\b|spec_from|runpy|load_module|\.py\b|iter_modules|walk_packages",
    Role.C: rb"(?i)\.cuh?\b|\.c(?:c|pp|xx)?\b|\.h(?:pp|h)?\b|\.hip\b|nvcc|nvrtc|sources?\b|src|compile|extension|kernels?",
}
"""What a file that reads folders speaks of where it is after files of a kind."""


@dataclass(frozen=True)
class Collector:
    """A file that collects others."""

    path: str
    patterns: tuple[str, ...]
    folders: tuple[str, ...]
    """Folders that a command takes as a whole."""
    reads_folders: bool

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)


class Collectors:
    """Every file of the old tree that may collect files for an NVIDIA user."""

    def __init__(self, trees: Trees, switches: NvidiaSwitches) -> None:
        self._trees, self._switches = trees, switches
        self.all = lru_cache(maxsize=None)(self._find)

    def why(self, path: str) -> str | None:
        """Who may take a file in, and how."""
        packed, is_code = role_of(path) is Role.PYTHON, role_of(path) is Role.C
        for one in self.all():
            if one.path == path or (packed and _PACKS.search(one.path)) or (is_code and self._only_packs(one.path)):
                continue
            far = packed and not is_below(path, one.folder)
            if any(takes(pattern, path) and (not far or "/" in pattern.strip("*/")) for pattern in one.patterns):
                return f"{one.path} collects files by a pattern that may take it in"
            if any(_is_folder_of(folder, path, one.folder) for folder in one.folders):
                return f"{one.path} gives its whole folder to a command"
            if one.reads_folders and self._looks_there(one, path):
                return f"{one.path} reads folders, and may take it in"
        return None

    def _only_packs(self, path: str) -> bool:
        """Whether a list says which files lie in a package, and no program reads the list to find sources by it."""
        name = posixpath.basename(path)
        return bool(_MANIFEST.fullmatch(name)) and all(
            other == path or role_of(other) in (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT)
            for other in self._trees.containing(name.partition(".")[0], "before")
        )

    def _find(self) -> tuple[Collector, ...]:
        found = []
        for path in self._trees.paths("before"):
            if role_of(path) in (Role.DOCUMENTATION, Role.CI, Role.DEVELOPMENT) or _SETS_TOOLS.search(path):
                continue
            data = self._trees.text(path, "before")
            one = self._collector(path, data) if data else None
            if one and (one.patterns or one.folders or one.reads_folders):
                found.append(one)
        return tuple(found)

    def _collector(self, path: str, data: bytes) -> Collector | None:
        role = role_of(path)
        reads = any(True for _ in _readings(data))
        if role is Role.C:
            return Collector(path, (), (), reads)
        if role is Role.CMAKE or path.endswith(".cmake.in"):
            return self._cmake(path, data)
        if says_amd(path) and role in (Role.DOCKERFILE, Role.OTHER, Role.MAKE, Role.REQUIREMENTS):
            return None
        try:
            text = _COMMENT.sub("", data.decode())
        except UnicodeDecodeError:
            return None
        if role is Role.PYTHON:
            return Collector(path, tuple(_quoted_patterns(text)), (), reads)
        if path.endswith(".rs"):
            return Collector(path, tuple(_rust_patterns(data)), (), reads)
        folders, patterns = tuple(dict.fromkeys(_listed(text))), dict.fromkeys(_patterns(text))
        if role is Role.DOCKERFILE:  # in a container the folder is called something else
            patterns = dict.fromkeys(pattern.rpartition("/")[2] for pattern in patterns)
        return Collector(path, tuple(patterns), folders, reads)

    def _cmake(self, path: str, data: bytes) -> Collector:
        try:
            commands = residue(parse(data), self._switches.is_off)
        except NotRead:
            commands = [Command("", tuple(data.decode("latin-1").split()), 1)]
        text = "\n".join(f"{command.name} {' '.join(command.arguments)}" for command in commands)
        globs = [
            command
            for command in commands
            if command.name == "file" and command.arguments[:1] and command.arguments[0].startswith("GLOB")
        ]
        whole = (
            "./" if "RECURSE" in one.arguments[0] else "." for one in globs if _ALL.search(" ".join(one.arguments[1:]))
        )
        return Collector(
            path, tuple(dict.fromkeys(_patterns(text))), tuple(dict.fromkeys((*_listed(text), *whole))), False
        )

    def _looks_there(self, one: Collector, path: str) -> bool:
        """Whether a program that reads folders is after such files, and may be in this one's folder."""
        data = self._trees.text(one.path, "before") or b""
        role, folder = role_of(path), posixpath.dirname(path)
        if role is Role.C:
            wants = [_wants(match, suffix(path), folder, data) for match in _readings(data)]
            if not any(wants):
                return False
            if is_build_file(one.path) or any(want is True for want in wants):
                return True
        if _ITSELF.search(data) and (folder == one.folder or (_FAR.search(data) and is_below(folder, one.folder))):
            return True
        if not (re.search(_PURPOSE.get(role, b""), data) or _is_quoted(folder, data)):
            return False
        if _OWN_PLACE.search(data) and (folder == one.folder or is_below(folder, one.folder)):
            return True
        names = folder.split("/") if _FAR.search(data) else folder.split("/")[-1:]
        return any(name and _is_named(name, data) for name in names) or (not folder and one.folder == "")


def _readings(data: bytes) -> Iterator[re.Match[bytes]]:
    """Places that read a folder; a glob whose pattern stands somewhere in the file is judged by that."""
    yield from _READS_FOLDERS.finditer(data)
    for match in _GLOB.finditer(data):
        whole = match[1] if _QUOTED_STAR.search(match[1]) else data
        if not _says_what(whole):
            yield match


def _wants(reading: re.Match[bytes], end: str, folder: str, data: bytes) -> bool | int:
    """Whether a place that reads a folder takes files of a suffix: False where it names other suffixes or another
    folder, True where it names this one and gets the folder from elsewhere, 2 where it does not say."""
    around = data[max(reading.start() - _AROUND, 0) : reading.end() + _AROUND].decode("latin-1")
    wanted = {f".{name.lower()}" for name in _SUFFIX.findall(around)} & C_SUFFIXES
    given = _GIVEN.match(data, reading.end())
    if (wanted and end not in wanted) or (given and not _is_folder_of(given[1].decode("latin-1"), folder + "/x", "")):
        return False
    return True if end in wanted else 2


def _says_what(data: bytes) -> bool:
    """Whether a pattern that names something is there to see."""
    return any(has_name(pattern) for pattern in _quoted_patterns(data.decode("latin-1")))


def _is_named(folder: str, data: bytes) -> bool:
    """Whether a folder stands in a path, or a package in an import."""
    name = re.escape(folder.encode())
    return bool(re.search(rb"['\"/]" + name + rb"['\"/]|\b(?:import|from)\s[\w., ]*\b" + name + rb"\b", data))


def _is_quoted(folder: str, data: bytes) -> bool:
    """Whether a folder, or one around it, stands in the file as a text of its own."""
    parts = folder.split("/") if folder else []
    around = ["/".join(parts[: number + 1]).encode() for number in range(len(parts))]
    return any(re.search(rb"['\"](?:\./)?" + re.escape(one) + rb"/?['\"]", data) for one in around)


def _quoted_patterns(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        if _WILD.search(match[2]) and not re.search(r"\s", match[2]):
            yield from _patterns(match[2])


def _rust_patterns(data: bytes) -> Iterator[str]:
    """In Rust a pattern is in a string: what stands outside of one multiplies, or follows a reference."""
    for kind, start, end in literals(data):
        inside = _RUST_STRING.fullmatch(data[start:end].decode("utf-8", "replace")) if kind == "string" else None
        found = inside[1] if inside else ""
        if _WILD.search(found) and not re.search(r"\s", found):
            yield from _patterns(found)


def has_name(pattern: str) -> bool:
    """Whether the last part of a pattern says more than that there is something."""
    return bool(re.search(r"[A-Za-z]", _WILD.sub("", pattern.rpartition("/")[2])))


def _patterns(text: str) -> Iterator[str]:
    """Words with a wildcard, in which what a variable holds may be anything."""
    for word in _BLANK.split(_VARIABLE.sub("\0", _CALL.sub(" ", text))):
        word = word.rpartition("=")[2].rpartition(":")[2]
        word = word if word.count("[") == word.count("]") else word.replace("[", "").replace("]", "")
        if _WILD.search(word) and _PATH.fullmatch(word) and not re.search(r"\*\w+\*|\.[*+?]\w", word):
            yield word


def takes(pattern: str, path: str) -> bool:
    """Whether a pattern may mean a file, wherever it starts from."""
    pattern = re.sub(r"(?<![.\w])\./", "", pattern.replace("\0", "*").replace("**/", "*").replace("**.", "*."))
    folder, _, name = pattern.rpartition("/")
    folder = "" if ".." in folder else folder.removeprefix("*").lstrip("/")
    if not has_name(name):
        if not has_name(folder):
            return False  # a lone star is a product, a pointer or all there is
        return fnmatch.fnmatchcase("/" + path, f"*/{folder}/{name}")
    return fnmatch.fnmatchcase("/" + path, f"*/{folder}/{name}" if folder else f"*/{name}")


def _listed(text: str) -> Iterator[str]:
    """Folders that commands are given: `ls csrc`, `find csrc -type f`, `kubectl apply -f deploy/`."""
    compiles = bool(_COMPILES.search(text))
    for match in _STAR.finditer(text):
        if compiles or not match[1]:
            yield (match[1] or ".").rstrip("/")
    for match in _LISTS.finditer(text):
        words = [word.strip("\"'") for word in match[1].split()]
        if _NAME_GIVEN.search(match[1]):
            continue  # its pattern says what it takes
        places = [word for word in words if not word.startswith("-") and not _WILD.search(word)]
        command = match[0].strip(" \t\n;|&(`{").partition(" ")[0]
        places = places or (["."] if command in ("ls", "find", "dir", "git") else [])
        if not compiles or command not in ("find", "fd"):  # what a variable holds may be anything
            places = [place for place in places if _VARIABLE.sub("", place).strip("/")]
        yield from (f"{place.rstrip('/')}/" if command in ("find", "fd", "git") else place for place in places)


def _is_folder_of(folder: str, path: str, start: str) -> bool:
    """Whether a command that is given a folder takes a file; `x/` stands for all below it too."""
    inside, below = posixpath.dirname(path), folder.endswith("/")
    named = _VARIABLE.sub("\0", folder).strip("/")
    if "\0" in named and not named.strip("\0/"):
        return True  # which folder it is, nobody can tell
    named = posixpath.normpath(named.replace("\0", "").strip("/") or ".")
    if named == ".":
        return inside == start or (below and is_below(inside, start))
    named = named.removeprefix("../")
    return ("/" + inside).endswith("/" + named) or f"/{named}/" in f"/{inside}/"
