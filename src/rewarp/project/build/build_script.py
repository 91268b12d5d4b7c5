"""What a Rust build script has nvcc compile, as far as it can be read: builders of bindgen_cuda and cudaforge,
and nvcc called by hand."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from dataclasses import dataclass, field

from rewarp.errors import GaveUp
from rewarp.files import is_below
from rewarp.fixes.options import hip_words

_STRING = re.compile(r'"((?:\\.|[^"\\])*)(?:"|\\?\Z)', re.S)
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_CONST = re.compile(r"\b(?:const|static)\s+(\w+)\s*:[^=]{0,400}=\s*(&?\[.{0,20000}?\]|&?vec!\[.{0,20000}?\])\s*;", re.S)
_BUILDER = re.compile(r"\b(?:KernelBuilder|bindgen_cuda::Builder|Builder)::(?:new|default)\(\)")
_ASSIGNED = re.compile(r"(?:let\s+(?:mut\s+)?)?(\w+)\s*(?::[^=;]*)?=\s*$")
_CALL = re.compile(r"\.(\w+)\s*\(")
_SOURCES = ("source_files", "kernel_paths", "source_file")
_GLOBS = ("source_glob", "kernel_paths_glob", "kernel_paths_glob_exclude")


_NVCC = re.compile(r'Command::new\(\s*"nvcc"\s*\)')
_GLOBBED = re.compile(r'\bglob\(\s*"([^"]+\.cu)"\s*\)')
_HEADERS = (".cuh", ".h", ".hpp")
_OUTPUT = ("-o", "--output-file", "-odir", "--output-directory", "-ptx", "--ptx")


class NotRead(GaveUp):
    """Why it cannot be told what is compiled."""


@dataclass
class Kernels:
    modules: list[str] = field(default_factory=list)
    """Sources that are compiled to a module of their own, loaded at run time."""
    libraries: dict[str, list[str]] = field(default_factory=dict)
    """Sources that are linked in, by library."""
    options: list[str] = field(default_factory=list)
    """The compiler's options, as hipcc takes them."""


def read_kernels(text: str, folder: str, paths: list[str]) -> Kernels:
    """The kernels of a build script in ``folder``; ``paths`` are those of the tree."""
    code = _COMMENT.sub(lambda match: match[1] or " ", text)
    constants = {match[1]: _STRING.findall(match[2]) for match in _CONST.finditer(code)}
    found = Kernels()
    below = [posixpath.relpath(p, folder or ".") for p in paths if p.endswith(".cu") and is_below(p, folder)]
    for calls in _chains(code):
        options = hip_words(word for name, argument in calls if name == "arg" for word in _STRING.findall(argument))
        found.options += [word for word in options if word not in found.options and not word.startswith("{")]
        # A builder may build twice, each time what it was told until then.
        for at, (called, argument) in enumerate(calls):
            if called == "build_ptx":
                found.modules += _sources(calls[:at], constants, below)
            elif called == "build_lib":
                library = _STRING.findall(argument)
                if not library:
                    raise NotRead("the name of a library is computed")
                name = posixpath.basename(library[-1]).removeprefix("lib").removesuffix(".a")
                found.libraries[name] = _sources(calls[:at], constants, below)
    linked = {path for sources in found.libraries.values() for path in sources}
    found.modules = [path for path in found.modules if path not in linked]
    if not found.modules and not found.libraries:
        headers = [posixpath.relpath(p, folder or ".") for p in paths if p.endswith(_HEADERS) and is_below(p, folder)]
        return _by_hand(code, below, headers)
    return found


def _by_hand(code: str, below: list[str], headers: list[str]) -> Kernels:
    """Kernels for which the script itself calls nvcc, each to PTX of its own."""
    calls = [calls for match in _NVCC.finditer(code) if "ptx" in str(calls := _calls(code, match.end()))]
    if not calls:
        raise NotRead("no builder of kernels was recognised in it")
    patterns = [pattern.replace("**/", "*") for pattern in _GLOBBED.findall(code)]
    listed = [text for text in _STRING.findall(_GLOBBED.sub("", code)) if text.endswith(".cu")]
    if any("{" in text for text in listed) or not (patterns or listed):
        raise NotRead("a list of kernels is computed")
    found = Kernels([path for path in below if path in listed or any(fnmatch.fnmatch(path, p) for p in patterns)])
    names = [posixpath.basename(path) for path in found.modules]
    if not names or len(set(names)) != len(names):
        raise NotRead("it compiles no kernel of this tree" if not names else "two kernels have one name")
    words = [word for name, text in calls[0] if name in ("arg", "args") for word in _STRING.findall(text)]
    found.options = hip_words(word for word in words if "{" not in word and word not in _OUTPUT)
    if ".cuh" in code or '"-I' in code:
        found.options += [f"-I{folder}" for folder in sorted({posixpath.dirname(path) or "." for path in headers})]
    return found


def _chains(code: str) -> list[list[tuple[str, str]]]:
    """The calls made on each builder, wherever they are made."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    depths: dict[str, int] = {}
    chains: list[list[tuple[str, str]]] = []
    for match in _BUILDER.finditer(code):
        calls = _calls(code, match.end())
        assigned = _ASSIGNED.search(
            code[max(0, match.start() - 1000) : match.start()].rstrip().removesuffix("cudaforge::").rstrip()
        )
        chains.append(calls)
        if assigned:
            by_name[assigned[1]] = calls
            depths[assigned[1]] = _depth(code, match.start())
    for name, calls in by_name.items():
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?=\s*\.)", code):
            more = _calls(code, match.end())
            # An option under a condition is for some machines of NVIDIA's, or for another system.
            calls += more if _depth(code, match.start()) <= depths[name] else [c for c in more if c[0] != "arg"]
    return chains


def _depth(code: str, at: int) -> int:
    plain = _STRING.sub("", code[:at])
    return plain.count("{") - plain.count("}")


def _calls(code: str, at: int) -> list[tuple[str, str]]:
    """The method calls that follow a value: name and the text of the arguments."""
    found: list[tuple[str, str]] = []
    while True:
        rest = re.compile(r"[\s?]*").match(code, at)
        call = _CALL.match(code, rest.end() if rest else at)
        if not call:
            return found
        end = closed(code, call.end() - 1)
        found.append((call[1], code[call.end() : end]))
        at = end + 1


def closed(code: str, at: int) -> int:
    depth = 0
    while at < len(code):
        if string := _STRING.match(code, at):
            at = string.end()
            continue
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
        at += 1
    return len(code)


def _sources(calls: list[tuple[str, str]], constants: dict[str, list[str]], below: list[str]) -> list[str]:
    listed: list[str] = []
    patterns: list[str] = []
    excluded: list[str] = []
    for name, argument in calls:
        texts = _STRING.findall(argument) or [
            t for word in re.findall(r"\w+", argument) for t in constants.get(word, ())
        ]
        if name in _SOURCES:
            if not texts:
                raise NotRead("a list of kernels is computed")
            listed += texts
        elif name == "source_dir":
            patterns += [f"{text.rstrip('/')}/*" for text in texts]
        elif name in _GLOBS:
            patterns += [text.replace("**/", "*") for text in texts]
        elif name in ("exclude", "exclude_patterns"):
            excluded += texts
    if not listed and not patterns:
        patterns = ["src/*"]  # where the builders look of themselves
    found = [path for path in below if any(fnmatch.fnmatch(path, pattern) for pattern in patterns)]
    kept = [
        p
        for p in found
        if not any(fnmatch.fnmatch(posixpath.basename(p), e) or fnmatch.fnmatch(p, e) for e in excluded)
    ]
    sources = [path for path in listed if path.endswith(".cu")] + kept
    if missing := [path for path in sources if path not in below]:
        raise NotRead(f"{missing[0]} is compiled and is not in the tree")
    return sources
