"""The units of Meson builds, as far as literal lists tell: ``executable('x', 'a.cu', sources)``."""

from __future__ import annotations

import posixpath
import re

from rewarp.project.build.units import BuildUnit, Part, Reason
from rewarp.project.gates import NVIDIA, Platform
from rewarp.workspace import Tree

_COMMENT = re.compile(r"#[^\n]*")
_TARGET = re.compile(
    r"\b(executable|library|shared_library|static_library|both_libraries|shared_module|extension_module)\s*\("
)
_SET = re.compile(r"(?m)^[ \t]*(\w+)\s*(\+?=)\s*(?:files\s*\()?\s*(\[[^\]]*\]|'[^']*'|[\w\s',./]+\))")
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'")
_LANGUAGES = {".cu": "CUDA", ".hip": "HIP", ".c": "C", **dict.fromkeys((".cpp", ".cc", ".cxx"), "CXX")}
_UNDER = re.compile(r"(?m)^[ \t]*(?:(if|elif)\s+(.*)|(else|endif)\b)")


def read_meson(tree: Tree, platform: Platform) -> Part:
    return Part.joined(
        _read(tree, platform, path) for path in tree.files() if posixpath.basename(path) == "meson.build"
    )


def _read(tree: Tree, platform: Platform, path: str) -> Part:
    text = _COMMENT.sub("", (tree.read(path) or b"").decode("utf-8", "replace"))
    folder = posixpath.dirname(path)
    lists: dict[str, list[str]] = {}
    for name, how, value in _SET.findall(text):
        lists[name] = [*(lists.get(name, []) if how == "+=" else []), *_TEXT.findall(value)]
    units: list[BuildUnit] = []
    for call in _TARGET.finditer(text):
        inside = text[call.end() : _closed(text, call.end() - 1)]
        positional = re.split(r"\b\w+\s*:(?!:)", inside)[0]
        names = _TEXT.findall(positional)
        sources = names[1:] + [
            item for word in re.findall(r"\b\w+\b", _TEXT.sub("", positional)) for item in lists.get(word, [])
        ]
        for source in sources:
            language = _LANGUAGES.get(posixpath.splitext(source)[1])
            place = posixpath.normpath(posixpath.join(folder, source))
            if language and place in tree.entries:
                line = text.count("\n", 0, call.start()) + 1
                units.append(
                    BuildUnit(
                        place,
                        names[0] if names else "",
                        "meson",
                        language,
                        Reason(path, line),
                        _conditions(text, call.start()),
                    )
                )
    foreign = "HIP" if platform is NVIDIA else "CUDA"
    kept = tuple(unit for unit in units if unit.language != foreign)
    return Part(kept, (path,))


def _conditions(text: str, at: int) -> tuple[str, ...]:
    """The conditions around a place; Meson's values are not followed, so none is decided."""
    stack: list[str] = []
    for match in _UNDER.finditer(text, 0, at):
        if match[3] == "endif" or match[1] == "elif" or match[3] == "else":
            before = stack.pop() if stack else ""
            if match[3] == "else":
                stack.append(f"not ({before})")
        if match[1]:
            stack.append(match[2].strip())
    return tuple(stack)


def _closed(text: str, at: int) -> int:
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text)
