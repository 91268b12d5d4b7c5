"""string(): the operations that projects use."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from rewarp.lang.cmake.conditions import Word, decide
from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.regex import compiled
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.values import unknown

_HASHES = {"MD5": "md5", "SHA1": "sha1", "SHA224": "sha224", "SHA256": "sha256", "SHA384": "sha384", "SHA512": "sha512"}
_OUTPUT_FIRST = frozenset({"CONCAT", "TIMESTAMP", "UUID", "JSON", *_HASHES})


@command("string")
def _string(machine: Evaluator, arguments: Arguments) -> Exit | None:
    texts = arguments.texts
    if len(texts) < 2:
        return machine.stop(arguments.call, "string() needs an operation and its arguments")
    operation = texts[0]
    if operation in ("APPEND", "PREPEND"):
        value, more = machine.scopes.get(texts[1]) or "", "".join(texts[2:])
        machine.scopes.set(texts[1], value + more if operation == "APPEND" else more + value)
        return None
    if operation == "REGEX":
        return _regex(machine, arguments)
    if operation == "COMPARE":
        test = {"NOTEQUAL": "EQUAL"}.get(texts[1], texts[1])
        answer = decide([Word(texts[2], True), Word(f"STR{test}"), Word(texts[3], True)], machine)
        answer = machine.conditions.negated(answer) if texts[1] == "NOTEQUAL" else answer
        machine.scopes.set(texts[4], str(int(answer)) if isinstance(answer, bool) else unknown("string(COMPARE)"))
        return None
    output = _output(operation, texts)
    if not arguments.is_known or operation not in _OPERATIONS:
        if operation == "CONCAT":
            machine.scopes.set(output, "".join(texts[2:]))
        else:
            machine.scopes.set(
                output, unknown(f"string({operation}) of {texts[-1] if output == texts[1] else texts[1]}")
            )
        return None
    try:
        machine.scopes.set(output, _OPERATIONS[operation](texts[1:]))
    except (IndexError, ValueError):
        return machine.stop(arguments.call, f"string({operation}) cannot be carried out")
    return None


def _output(operation: str, texts: list[str]) -> str:
    """The variable that an operation sets."""
    if operation in _OUTPUT_FIRST:
        return texts[1]
    places = {"REPLACE": 3, "FIND": 3, "JOIN": 2, "CONFIGURE": 2}
    return texts[places[operation]] if operation in places and len(texts) > places[operation] else texts[-1]


def _regex(machine: Evaluator, arguments: Arguments) -> Exit | None:
    texts = arguments.texts
    if len(texts) < 5:
        return machine.stop(arguments.call, "string(REGEX) needs more arguments")
    kind, pattern = texts[1:3]
    output = texts[4] if kind == "REPLACE" else texts[3]
    if not arguments.is_known:
        machine.scopes.set(output, unknown(f"string(REGEX {kind} {pattern})"))
        return None
    text = "".join(texts[5:] if kind == "REPLACE" else texts[4:])
    expression = compiled(pattern)
    if expression is None:
        return machine.stop(arguments.call, f"regular expression {pattern!r} cannot be compiled")
    machine.matched([] if kind == "MATCH" else None)  # what the others leave there differs by version
    if kind == "REPLACE":
        machine.scopes.set(output, replaced(pattern, texts[3], text) or "")
        return None
    matches = [match for match in expression.finditer(text) if match[0]]
    if kind == "MATCH":
        machine.scopes.set(output, matches[0][0] if matches else "")
        if matches:
            machine.matched([matches[0][0], *matches[0].groups()])
    else:
        machine.scopes.set(output, ";".join(match[0] for match in matches))
    return None


def replaced(pattern: str, by: str, text: str) -> str | None:
    """A text with every match replaced; None where the expression is none."""
    expression = compiled(pattern)
    if expression is None:
        return None

    def new(match: re.Match[str]) -> str:
        return re.sub(r"\\(.)", lambda part: _group(match, part[1]), by, flags=re.S)

    return expression.sub(new, text)


def _group(match: re.Match[str], mark: str) -> str:
    if mark.isdigit():
        return match[int(mark)] or "" if int(mark) <= (match.re.groups or 0) else ""
    return "\n" if mark == "n" else mark


def _substring(texts: list[str]) -> str:
    text, begin, length = texts[0], int(texts[1]), int(texts[2])
    if not 0 <= begin <= len(text):
        raise ValueError
    return text[begin:] if length < 0 else text[begin : begin + length]


def _find(texts: list[str]) -> str:
    text, part = texts[:2]
    return str(text.rfind(part) if "REVERSE" in texts[3:] else text.find(part))


def _repeat(texts: list[str]) -> str:
    if len(texts[0]) * int(texts[1]) > 1_000_000:
        raise ValueError
    return texts[0] * int(texts[1])


def _identifier(texts: list[str]) -> str:
    text = re.sub(r"\W", "_", texts[0], flags=re.A)
    return f"_{text}" if text[:1].isdigit() else text


def _hash(name: str) -> Callable[[list[str]], str]:
    return lambda texts: hashlib.new(name, texts[1].encode(), usedforsecurity=False).hexdigest()


_OPERATIONS: dict[str, Callable[[list[str]], str]] = {
    "TOLOWER": lambda texts: texts[0].lower(),
    "TOUPPER": lambda texts: texts[0].upper(),
    "STRIP": lambda texts: texts[0].strip(" \t\n\r\f\v"),
    "LENGTH": lambda texts: str(len(texts[0].encode())),
    "REPLACE": lambda texts: "".join(texts[3:]).replace(texts[0], texts[1]),
    "FIND": _find,
    "SUBSTRING": _substring,
    "CONCAT": lambda texts: "".join(texts[1:]),
    "JOIN": lambda texts: texts[0].join(texts[2:]),
    "REPEAT": _repeat,
    "MAKE_C_IDENTIFIER": _identifier,
    "ASCII": lambda texts: "".join(chr(int(text)) for text in texts[:-1]),
    "HEX": lambda texts: texts[0].encode().hex(),
    **{operation: _hash(name) for operation, name in _HASHES.items()},
}
