"""Flags in Makefiles: variables with their values, conditions decided where both sides are known. Nothing is run."""

from __future__ import annotations

import re
from pathlib import Path

from rewarp.verify.build.flags import Flags, read_flags, split
from rewarp.verify.build.variables import Variables

_SET = re.compile(r"\s*(?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(\?|::?:?|\+|!)?=\s*(.*)")
_TARGET_SET = re.compile(r"[^\s:=][^:=\t]*:\s*(?:export\s+)?([A-Za-z_]\w*)\s*(\+|:|\?)?=\s*(.*)")
_REFERENCE = re.compile(r"\$(?:(\()|\{)(?P<name>[\w.-]+)(?(1)\)|\})")
_UNKNOWN = re.compile(r"\$[({]|\$\w")
_FLAG_VARIABLE = re.compile(
    r"(?i)[\w.-]{0,200}(flags|cflag|inc|incl|include|includes|incdir|def|defs|defines|opts?|macros)[\w.-]{0,200}"
)
_NOT_COMPILE = re.compile(r"(?i)^ld|link|lib|^ar_?flags|python|test|run")
_CONDITION = re.compile(r"\s*(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)")
_SIDES = (
    re.compile(r"\(([^,]*),(.*)\)$"),
    re.compile(r"""(?:"([^"]*)"|'([^']*)')\s+(?:"([^"]*)"|'([^']*)')$"""),
)
_HOME_VARIABLES = re.compile(r"(?i)MAKEFILE_DIR|ROOT_?DIR|SRC_?DIR|TOP_?DIR|CURDIR|PWD")


class _MakeVariables(Variables):
    def unset(self, match: re.Match[str], unknown: str) -> str:
        return match[0] if _HOME_VARIABLES.fullmatch(match["name"]) else unknown


_Block = tuple["bool | None", "bool | None", "bool | None"]
"""An open condition: whether this branch is read, whether any before it was, whether it and all around it are."""


def makefile_flags(file: Path) -> Flags:
    """The flags of everything that a Makefile compiles."""
    lines = re.sub(r"\\\r?\n", " ", file.read_bytes().decode("utf-8", "replace")).splitlines()
    variables = _MakeVariables({"CURDIR": str(file.parent), "PWD": str(file.parent)})
    undecided: list[str] = []
    blocks: list[_Block] = []
    for line in lines:
        line = line if line.startswith("\t") else line.partition(" #")[0]
        if _steer(line, blocks, variables):
            continue
        state = blocks[-1][2] if blocks else True
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
        for word in split(variables.expanded(value, _REFERENCE))
        if not _UNKNOWN.search(word)
    ]
    flags = read_flags(words, file.parent)
    return Flags(flags.includes, flags.forced, tuple(dict.fromkeys(flags.options)), "", tuple(dict.fromkeys(undecided)))


def _assign(variables: Variables, name: str, how: str, value: str) -> None:
    if how == "+":
        variables.append(name, f" {value}")
    elif how != "?" or name not in variables:
        # What names itself (`CFLAGS := -g $(CFLAGS)`) means the value before.
        own = re.compile(rf"\$[({{]{re.escape(name)}[)}}]")
        if "$" not in value:
            variables[name] = value
        elif (itself := own.match(value)) and name in variables and not own.search(value, itself.end()):
            variables.append(name, value[itself.end() :])
        else:
            old = variables.get(name, "")
            variables[name] = own.sub(lambda _: old, value)


def _steer(line: str, blocks: list[_Block], variables: Variables) -> bool:
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
        _, taken, _ = blocks.pop()
        value = _decide(condition[2], condition[3], variables) if condition else True
        here = False if taken else None if taken is None else value
        taken = True if taken or here else None if taken is None or here is None else False
        blocks.append((here, taken, _within(blocks, here)))
    else:
        value = _decide(condition[2], condition[3], variables)
        blocks.append((value, value, _within(blocks, value)))
    return True


def _within(blocks: list[_Block], here: bool | None) -> bool | None:
    around = blocks[-1][2] if blocks else True
    return None if around is None or here is None else around and here


def _decide(word: str, text: str, variables: Variables) -> bool | None:
    if word in ("ifdef", "ifndef"):
        return (text.strip() in variables) is (word == "ifdef")
    sides = next((found for pattern in _SIDES if (found := pattern.match(text.strip()))), None)
    if sides is None:
        return None
    one, other = (variables.expanded(side, _REFERENCE).strip() for side in sides.groups() if side is not None)
    return None if _UNKNOWN.search(one + other) else (one == other) is (word == "ifeq")
