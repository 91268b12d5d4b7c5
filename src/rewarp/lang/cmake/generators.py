"""Generator expressions: what CMake leaves to the moment when it writes the build files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rewarp.lang.cmake.conditions import compare_versions, constant
from rewarp.lang.cmake.values import is_known, unknown

_BORDER = re.compile(r"\$<|>|:|,")
_DEEPEST = 50


@dataclass(frozen=True)
class Context:
    """For what an expression is evaluated."""

    language: str | None
    """None where it is not about compiling one source."""
    configuration: str | None = ""
    """None where it is not known."""
    compilers: Mapping[str, str] = field(default_factory=dict)
    """By language, the id of its compiler."""
    has_target: Callable[[str], bool | None] = lambda name: None
    known: dict[str, str] = field(default_factory=dict, compare=False)
    """What texts came to: the sources of a target all ask for the same."""


def is_open(text: str) -> bool:
    """Whether a generator expression that begins in a text does not end in it."""
    return "$<" in text and text.count("$<") > text.count(">")


def without(text: str) -> str:
    """A text without its generator expressions."""
    while (found := re.sub(r"\$<[^<>]*>", "", text)) != text:
        text = found
    return text


def evaluated(text: str, context: Context) -> str:
    """A text with its generator expressions replaced; what they cannot be known to give is marked."""
    if "$<" not in text:
        return text
    if text not in context.known:
        context.known[text] = _text(text, 0, context, (), 0)[0]
    return context.known[text]


def _text(text: str, at: int, context: Context, ends: Sequence[str], depth: int) -> tuple[str, int]:
    """Up to one of the borders, which is not read over; its place."""
    if depth > _DEEPEST:
        return unknown("generator expressions nested too deeply"), len(text)
    found: list[str] = []
    while at < len(text):
        border = _BORDER.search(text, at)
        if not border:
            break
        found.append(text[at : border.start()])
        at = border.start()
        if border[0] == "$<":
            value, at = _expression(text, at + 2, context, depth + 1)
            found.append(value)
        elif border[0] in ends:
            return "".join(found), at
        else:
            found.append(border[0])
            at += 1
    return "".join((*found, text[at:])), len(text)


def _expression(text: str, at: int, context: Context, depth: int) -> tuple[str, int]:
    start = at
    name, at = _text(text, at, context, (":", ">"), depth)
    words: list[str] = []
    if at < len(text) and text[at] == ":":
        at += 1
        # What is not taken is not looked at, but its end is.
        whole = name in ("0", "1") or name in _WHOLE
        while True:
            word, at = _text(text, at, context, (">",) if whole else (",", ">"), depth)
            words.append(word)
            if at >= len(text) or text[at] == ">":
                break
            at += 1
    if at >= len(text):
        return f"$<{text[start:]}", at
    return _value(name, words, context, text[start:at]), at + 1


_WHOLE = frozenset(
    "BUILD_INTERFACE INSTALL_INTERFACE BUILD_LOCAL_INTERFACE LOWER_CASE UPPER_CASE BOOL NOT LINK_ONLY".split()
)


def _value(name: str, words: Sequence[str], context: Context, text: str) -> str:
    if not is_known(name):
        return _marked(name, words)
    if name in ("0", "1"):
        return ",".join(words) if name == "1" else ""
    if not all(map(is_known, words)) and name not in ("AND", "OR", "IF", "BUILD_INTERFACE"):
        return unknown(f"$<{text}>")
    found = _known(name, words, context)
    return unknown(f"$<{text}>") if found is None else found


def _marked(name: str, words: Sequence[str]) -> str:
    """What is there under a condition that is not known."""
    return unknown(f"{':'.join((name, ','.join(words)))}") if words else name


def _known(name: str, words: Sequence[str], context: Context) -> str | None:
    if name in ("BUILD_INTERFACE", "BUILD_LOCAL_INTERFACE", "TARGET_NAME", "GENEX_EVAL", "COMPILE_ONLY"):
        return ",".join(words)
    if name in ("INSTALL_INTERFACE", "LINK_ONLY"):
        return ""
    if name in ("AND", "OR"):
        decisive = "0" if name == "AND" else "1"
        if decisive in words:
            return decisive
        return None if not all(map(is_known, words)) else "1" if name == "AND" else "0"
    if name == "NOT":
        return {"0": "1", "1": "0"}.get(words[0])
    if name == "BOOL":
        value = constant(",".join(words))
        return "0" if value is False else "1"
    if name == "IF" and len(words) == 3:
        return {"1": words[1], "0": words[2]}.get(words[0])
    if name == "COMPILE_LANGUAGE":
        return context.language if not words else str(int(context.language in words))
    if name == "COMPILE_LANG_AND_ID":
        identity = context.compilers.get(context.language or "")
        if context.language != words[0]:
            return "0"
        return None if identity is None else str(int(identity in words[1:]))
    return _compared(name, words) or _of_build(name, words, context)


def _compared(name: str, words: Sequence[str]) -> str | None:
    simple = {"LOWER_CASE": str.lower, "UPPER_CASE": str.upper}.get(name)
    if simple:
        return simple(",".join(words))
    if len(words) != 2:
        return {"SEMICOLON": ";", "COMMA": ",", "ANGLE-R": ">", "QUOTE": '"'}.get(name)
    left, right = words
    if name == "STREQUAL":
        return str(int(left == right))
    if name == "EQUAL" and re.fullmatch(r"-?\d+", left) and re.fullmatch(r"-?\d+", right):
        return str(int(int(left) == int(right)))
    if name == "IN_LIST":
        return str(int(left in right.split(";")))
    if name == "JOIN":
        return right.join(left.split(";"))
    order = compare_versions(left, right)
    answers = {
        "VERSION_LESS": order < 0,
        "VERSION_GREATER": order > 0,
        "VERSION_EQUAL": order == 0,
        "VERSION_LESS_EQUAL": order <= 0,
        "VERSION_GREATER_EQUAL": order >= 0,
    }
    return str(int(answers[name])) if name in answers else None


def _of_build(name: str, words: Sequence[str], context: Context) -> str | None:
    if name == "CONFIG":
        if context.configuration is None:
            return None
        return context.configuration if not words else str(int(context.configuration.upper() in map(str.upper, words)))
    if name == "PLATFORM_ID":
        return "Linux" if not words else str(int("Linux" in words))
    if name == "TARGET_EXISTS" and words:
        there = context.has_target(words[0])
        return None if there is None else str(int(there))
    identity = re.fullmatch(r"(C|CXX|CUDA|HIP|Fortran)_COMPILER_ID", name)
    if identity and identity[1] in context.compilers:
        compiler = context.compilers[identity[1]]
        return compiler if not words else str(int(compiler in words))
    return None
