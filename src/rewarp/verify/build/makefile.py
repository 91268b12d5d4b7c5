"""Flags in Makefiles: variables with their values, conditions decided where both sides are known. Nothing is run."""

from __future__ import annotations

import re
from pathlib import Path

from rewarp.verify.build.flags import Flags, read_flags, split

_SET = re.compile(r"\s*(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(\?|::?:?|\+|!)?=\s*(.*)")
_TARGET_SET = re.compile(r"[^\s:=][^:=\t]*:\s*(?:export\s+)?([A-Za-z_]\w*)\s*(\+|:|\?)?=\s*(.*)")
_REFERENCE = re.compile(r"\$(?:\(([\w.-]+)\)|\{([\w.-]+)\}|([@<^*%]))")
_UNKNOWN = re.compile(r"\$[({]|\$\w")
_FLAG_VARIABLE = re.compile(
    r"(?i)[\w.-]*(flags|cflag|inc|incl|include|includes|incdir|def|defs|defines|opts?|macros)[\w.-]*"
)
_NOT_COMPILE = re.compile(r"(?i)^ld|link|lib|^ar_?flags|python|test|run")
_CONDITION = re.compile(r"\s*(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)")
_SIDES = (re.compile(r"\(\s*(.*?)\s*,\s*(.*?)\s*\)\s*$"), re.compile(r"""["'](.*?)["']\s+["'](.*?)["']\s*$"""))
_HOME_VARIABLES = re.compile(r"(?i)MAKEFILE_DIR|ROOT_?DIR|SRC_?DIR|TOP_?DIR|CURDIR|PWD")
_DEEPEST = 20


def makefile_flags(file: Path) -> Flags:
    """The flags of everything that a Makefile compiles."""
    lines = re.sub(r"\\\r?\n", " ", file.read_bytes().decode("utf-8", "replace")).splitlines()
    variables = {"CURDIR": str(file.parent), "PWD": str(file.parent)}
    undecided: list[str] = []
    blocks: list[tuple[bool | None, bool | None]] = []  # for each open condition: this branch, and any before it
    for line in lines:
        line = line if line.startswith("\t") else line.partition(" #")[0]
        if _steer(line, blocks, variables):
            continue
        state = None if any(here is None for here, _ in blocks) else all(here for here, _ in blocks)
        found = None if line.startswith("\t") else _SET.fullmatch(line) or _TARGET_SET.fullmatch(line)
        if not found or state is False:
            continue
        name, how, value = found.groups()
        if state is None:
            undecided += [word for word in split(value) if word.startswith("-D")]
            value = " ".join(word for word in split(value) if not word.startswith("-D"))
        _assign(variables, name, how or "", value)
    words = [
        word
        for name, value in variables.items()
        if _FLAG_VARIABLE.fullmatch(name) and not _NOT_COMPILE.search(name)
        for word in split(_expanded(value, variables))
        if not _UNKNOWN.search(word)
    ]
    flags = read_flags(words, file.parent)
    return Flags(flags.includes, flags.forced, tuple(dict.fromkeys(flags.options)), "", tuple(dict.fromkeys(undecided)))


def _assign(variables: dict[str, str], name: str, how: str, value: str) -> None:
    if how == "+":
        variables[name] = f"{variables.get(name, '')} {value}"
    elif how != "?" or name not in variables:
        # What names itself (`CFLAGS := -g $(CFLAGS)`) means the value before.
        old = variables.get(name, "")
        variables[name] = re.sub(rf"\$[({{]{re.escape(name)}[)}}]", lambda _: old, value)


def _expanded(value: str, variables: dict[str, str], depth: int = 0) -> str:
    def known(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name is None or name not in variables:
            return match[0] if name is None or _HOME_VARIABLES.fullmatch(name) else ""
        return _expanded(variables[name], variables, depth + 1)

    return value if depth > _DEEPEST else _REFERENCE.sub(known, value)


def _steer(line: str, blocks: list[tuple[bool | None, bool | None]], variables: dict[str, str]) -> bool:
    """Follows ``ifeq`` … ``else`` … ``endif``; True where the line was one of these."""
    word = line.strip().partition(" ")[0]
    if word == "endif":
        del blocks[-1:]
        return True
    condition = _CONDITION.fullmatch(line)
    if condition is None and word != "else":
        return False
    if condition is None or condition[1]:
        if not blocks:
            return True
        _, taken = blocks.pop()
        value = _decide(condition[2], condition[3], variables) if condition else True
        here = False if taken else None if taken is None else value
        blocks.append((here, True if taken or here else None if taken is None or here is None else False))
    else:
        value = _decide(condition[2], condition[3], variables)
        blocks.append((value, value))
    return True


def _decide(word: str, text: str, variables: dict[str, str]) -> bool | None:
    if word in ("ifdef", "ifndef"):
        return (text.strip() in variables) is (word == "ifdef")
    sides = next((found for pattern in _SIDES if (found := pattern.match(text.strip()))), None)
    if sides is None:
        return None
    one, other = (_expanded(side, variables).strip() for side in sides.groups())
    return None if _UNKNOWN.search(one + other) else (one == other) is (word == "ifeq")
