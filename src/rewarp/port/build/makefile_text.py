"""A Makefile's own text for AMD: where recipes name nvcc or its options themselves, a second Makefile has to be a whole one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rewarp.fixes.options import read_options
from rewarp.port.build.script_lists import hip_library

_MOST_LINES = 150
_NVCC_WORD = re.compile(r"(?:\S*/)?nvcc")
_CALLS = re.compile(r"(?<![\w./-])(?:\S*/)?nvcc(?![\w.-])")
_ASSIGNED = re.compile(r"(?:(?:export|override)[ \t]+)*[A-Za-z_]\w*[ \t]*(?:\?|:{1,3}|\+)?=[ \t]*")
_TOOLKIT = re.compile(
    r"(?i)\s*(?:(?:export|override)\s+)*\w*(?:cuda|nvcc)\w*(?:home|path|toolkit|root|dir|base)\w*\s*[?:+]*="
)
_SAID = re.compile(r"[ \t]*#|\t[@+-]*(?:echo|printf)\b[^;&|`]*$")
"""A comment, or a line that prints."""
_TOKEN = re.compile(
    r"(?:\\\n|[ \t])+|(?:\"[^\"\n]*\"|'[^'\n]*'|\$\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\\(?!\n).|[^\s\\\"'$]|\$|[\"'])+"
)
_FOLDER = re.compile(r"(-[IL])?[\"']?(?:/usr/local|/opt)/cuda[\w.-]*((?:/[\w.-]+)*)/?[\"']?")
_KNOWN_FOLDERS = {"": "", "/include": "/include", "/lib64": "/lib", "/lib": "/lib", "/bin": "/bin"}
_EXACT_LIBRARY = re.compile(r"(-l)?:lib(\w+)\.(so|a)[\d.]*")
_UNLIKE = re.compile(r"(?<![\w-])(?:-dlink|--device-link|--?cubin|--?ptx|--?fatbin|nvlink|cuobjdump|nvdisasm)(?![\w-])")
"""What nvcc makes and hipcc does not, or makes in another way."""
_LOGICAL = re.compile(r"(?:[^\n\\]|\\\n|\\.)*(?:\n|$)", re.S)


def first_unlike(text: str) -> str | None:
    """What a text asks of nvcc that no words of hipcc's stand for."""
    match = _UNLIKE.search(text)
    return match[0] if match else None


def rewritten(text: str) -> str | None:
    """The text with hipcc's words for nvcc's; None where something of nvcc's would be left."""
    if text.count("\n") > _MOST_LINES or first_unlike(text):
        return None
    lines = [_line(line) for line in _LOGICAL.findall(text) if line]
    if any(line is None for line in lines):
        return None
    found = "".join(line for line in lines if line is not None)
    code = "".join(line for line in found.splitlines(keepends=True) if not _SAID.match(line))
    return None if _CALLS.search(code) or found == text else found


def _line(line: str) -> str | None:
    """One line with those that continue it; None where the words of nvcc in it are not a list of words."""
    if _SAID.match(line):
        return line
    head = _ASSIGNED.match(line)
    start, body = (head[0] if head else ""), line[head.end() if head else 0 :].removesuffix("\n")
    if head and "$(shell" in body and _CALLS.search(body) and _TOOLKIT.match(line):
        return start + "$(ROCM_PATH)" + "\n" * line.endswith("\n")  # it asks where nvcc is to know where CUDA is
    parts = _TOKEN.findall(body)
    if "".join(parts) != body:
        return None if _CALLS.search(line) else line
    words = [part for part in parts if part.strip(" \t\\\n")]
    if not any(_changes(word) for word in words) and all(not option.changes for option in read_options(words)):
        return line
    return start + "".join(_written(parts, words)) + "\n" * line.endswith("\n")


def _changes(word: str) -> bool:
    return bool(_NVCC_WORD.fullmatch(word.lstrip("@-+")) or _FOLDER.fullmatch(word) or _EXACT_LIBRARY.fullmatch(word))


def _written(parts: list[str], words: list[str]) -> Iterator[str]:
    """The parts of a line, blanks as they are, with other words where HIP's compiler wants such."""
    gaps: list[str] = []
    gap = ""
    for part in parts:
        if part.strip(" \t\\\n"):
            gaps.append(gap)
            gap = ""
        else:
            gap += part
    at = 0
    linked: set[str] = set()
    for option in read_options(words):
        new = [_word(word) for word in (option.hip if option.changes else option.words)]
        # Several libraries of CUDA's are one of ROCm's.
        kept = [word for word in new if word and not (option.changes and word in linked)]
        linked.update(word for word in kept if word.startswith("-l"))
        if kept:
            yield (
                gaps[at] + " ".join(kept)
                if option.changes
                else "".join(g + w for g, w in zip(gaps[at : at + len(option.words)], new) if w)
            )
        elif at == 0 or "\n" in gaps[at]:
            yield gaps[at]
        at += len(option.words)
    yield gap


def _word(word: str) -> str:
    head = re.match(r"[@+-]*(?=(?:\S*/)?nvcc$)", word)
    if head:
        return f"{head[0]}$(HIPCC)"
    if folder := _FOLDER.fullmatch(word):
        place = _KNOWN_FOLDERS.get(folder[2])
        return f"{folder[1] or ''}$(ROCM_PATH){place}" if place is not None else ""
    if (exact := _EXACT_LIBRARY.fullmatch(word)) and (twin := hip_library(exact[2])):
        return word.replace(f"lib{exact[2]}", f"lib{twin[0]}")
    return word
