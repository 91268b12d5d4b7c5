"""CMake files: what is left of one where every switch for AMD is off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from rewarp.errors import GaveUp

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\#\[(?P<eq>=*)\[.*?\](?P=eq)\]|\#(?!\[=*\[)[^\n]*)
    |(?P<bracket>\[(?P<eq2>=*)\[.*?\](?P=eq2)\])
    |(?P<quoted>"(?:\\.|[^"\\])*")
    |(?P<open>\()|(?P<close>\))
    |(?P<word>(?:\\[^\s]|\$\{[^{}\s]*\}|[^\s()"\#\\])+(?:"(?:\\.|[^"\\])*"[^\s()"\#\\]*)*)
    """,
    re.X | re.S,
)
_NAME = re.compile(r"[A-Za-z_]\w*", re.A)
_UNARY = ("DEFINED", "EXISTS", "TARGET", "COMMAND", "POLICY", "IS_DIRECTORY", "IS_ABSOLUTE", "TEST")
_BINARY = re.compile(r"(VERSION_|STR)?(LESS|GREATER|EQUAL)(_EQUAL)?|MATCHES|IN_LIST|IS_NEWER_THAN|PATH_EQUAL")
_DEEPEST = 100

IsOff = Callable[[str], bool]


class NotRead(GaveUp):
    """The file is not CMake as it is known here."""


@dataclass(frozen=True)
class Command:
    name: str
    arguments: tuple[str, ...]
    """As they are written, quotes included."""
    line: int


@dataclass(frozen=True)
class Branch:
    condition: tuple[str, ...] | None
    """None for ``else()``."""
    line: int
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Choice:
    branches: tuple[Branch, ...]


Statement = Union[Command, Choice]


@lru_cache(maxsize=2048)
def parse(data: bytes) -> tuple[Statement, ...]:
    """The statements of a file; NotRead where its blocks do not match up."""
    stack: list[tuple[list[Branch], tuple[str, ...] | None, int, list[Statement]]] = []
    into: list[Statement] = []
    for command in _commands(data):
        if command.name == "if":
            if len(stack) > _DEEPEST:
                raise NotRead("nested too deeply")
            stack.append(([], command.arguments, command.line, into))
            into = []
        elif command.name in ("elseif", "else", "endif"):
            if not stack or (command.name != "endif" and stack[-1][1] is None):
                raise NotRead(f"{command.name}() without if() in line {command.line}")
            done, condition, line, outer = stack.pop()
            done.append(Branch(condition, line, tuple(into)))
            if command.name == "endif":
                into = outer
                into.append(Choice(tuple(done)))
            else:
                stack.append((done, command.arguments if command.name == "elseif" else None, command.line, outer))
                into = []
        else:
            into.append(command)
    if stack:
        raise NotRead(f"if() without endif() in line {stack[-1][2]}")
    return tuple(into)


def _commands(data: bytes) -> Iterator[Command]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotRead("it is not UTF-8") from None
    at, depth, line = 0, 0, 1
    name, started = "", 1
    arguments: list[str] = []
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise NotRead(f"cannot be split into tokens in line {line}")
        kind = match.lastgroup
        if depth == 0:
            if kind == "word" and not name and _NAME.fullmatch(match[0]):
                name, started = match[0].lower(), line
            elif kind == "open" and name:
                depth, arguments = 1, []
            elif kind != "space":
                raise NotRead(f"not a command in line {line}")
        elif kind == "close" and depth == 1:
            yield Command(name, tuple(arguments), started)
            name, depth = "", 0
        elif kind != "space":
            depth += (kind == "open") - (kind == "close")
            arguments.append(match[0])
        line += match[0].count("\n")
        at = match.end()
    if depth or name:
        raise NotRead("it ends inside a command")


def residue(statements: tuple[Statement, ...], is_off: IsOff) -> list[Command]:
    """Commands that an NVIDIA build may reach; undecided conditions stay, as commands."""
    found: list[Command] = []
    for statement in statements:
        found += [statement] if isinstance(statement, Command) else _choice(statement, is_off)
    return found


def _choice(choice: Choice, is_off: IsOff) -> list[Command]:
    kept: list[tuple[Command, list[Command]]] = []
    for branch in choice.branches:
        value = 1 if branch.condition is None else condition(branch.condition, is_off)
        if value == 0:
            continue
        body = residue(branch.body, is_off)
        if value == 1 and not kept:
            return body
        if value == 1:
            kept.append((Command("else", (), branch.line), body))
            break
        kept.append((Command("elseif" if kept else "if", (str(value),), branch.line), body))
    if not any(body or (opening.arguments and opening.arguments[0].startswith("unread")) for opening, body in kept):
        return []  # to ask and then do nothing is to do nothing
    flat = [command for opening, body in kept for command in (opening, *body)]
    return [*flat, Command("endif", (), choice.branches[-1].line)]


def condition(arguments: tuple[str, ...], is_off: IsOff) -> int | str:
    """0 or 1 where it is decided; otherwise one spelling for conditions that are the same."""
    try:
        found, rest = _joined(_plain(arguments), is_off, 0)
    except (NotRead, RecursionError):
        return "unread " + " ".join(arguments)
    return found if not rest else "unread " + " ".join(arguments)


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without `${…}` where it means just the variable; elsewhere what it holds may be operators."""
    found = list(words)
    for at, word in enumerate(words):
        if re.fullmatch(r'"?\$\{\w+\}"?', word) and words[at + 1 : at + 2] == ("STREQUAL",):
            found[at] = word.strip('"')[2:-1]
        elif "$" in word and not word.startswith(('"', "[")):
            raise NotRead("a variable may hold operators")
    return tuple(found)


def _joined(words: tuple[str, ...], is_off: IsOff, depth: int) -> tuple[int | str, tuple[str, ...]]:
    if depth > _DEEPEST:
        raise NotRead("nested too deeply")
    value, words = _negated(words, is_off, depth)
    joint = ""
    while words[:1] in (("AND",), ("OR",)):
        if joint not in ("", words[0]):
            raise NotRead("AND and OR together")  # CMake binds them alike; who writes it may not know
        joint = words[0]
        other, words = _negated(words[1:], is_off, depth)
        value = _both(joint, value, other)
    return value, words


def _both(joint: str, left: int | str, right: int | str) -> int | str:
    decisive = int(joint == "OR")
    if decisive in (left, right):
        return decisive
    if isinstance(left, int):
        return right
    return left if isinstance(right, int) else f"({left} {joint} {right})"


def _negated(words: tuple[str, ...], is_off: IsOff, depth: int) -> tuple[int | str, tuple[str, ...]]:
    if words[:1] == ("NOT",):
        value, words = _negated(words[1:], is_off, depth + 1)
        return (1 - value if isinstance(value, int) else f"NOT ({value})"), words
    return _atom(words, is_off, depth)


def _atom(words: tuple[str, ...], is_off: IsOff, depth: int) -> tuple[int | str, tuple[str, ...]]:
    if not words:
        raise NotRead("a condition ends early")
    first = words[0]
    if first == "(":
        value, words = _joined(words[1:], is_off, depth + 1)
        if words[:1] != (")",):
            raise NotRead("a parenthesis is not closed")
        return value, words[1:]
    if first == "TARGET" and len(words) > 1 and is_off(f"TARGET {words[1]}"):
        return 0, words[2:]
    if first in _UNARY and len(words) > 1:
        return f"{first} {words[1]}", words[2:]
    if words[1:2] == ("STREQUAL",) and len(words) > 2 and is_off(f"{first}={words[2]}"):
        return 0, words[3:]
    if len(words) > 2 and _BINARY.fullmatch(words[1]):
        return " ".join(words[:3]), words[3:]
    if _NAME.fullmatch(first) and is_off(first):
        return 0, words[1:]
    return first, words[1:]
