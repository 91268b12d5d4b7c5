"""Commands that set variables: set, unset, option, math, message, and the parsing of arguments."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence

from rewarp.lang.cmake.conditions import compare_versions
from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.outcome import CMakeOption
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.values import Element, is_known, joined, spoken, unknown

_FATAL = ("FATAL_ERROR", "SEND_ERROR")
_LEVELS = frozenset(
    "STATUS WARNING AUTHOR_WARNING DEPRECATION NOTICE VERBOSE DEBUG TRACE CHECK_START CHECK_PASS CHECK_FAIL "
    "CONFIGURE_LOG".split()
)
_OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: lambda left, right: left << (right % 64),
    ast.RShift: lambda left, right: left >> (right % 64),
    ast.Div: lambda left, right: abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1),
    ast.Mod: lambda left, right: abs(left) % abs(right) * (-1 if left < 0 else 1),
}


@command("set", aware=True)
def _set(machine: Evaluator, arguments: Arguments) -> None:
    if not arguments.elements:
        return
    name, *values = arguments.elements
    if not is_known(name.text) or name.guards:
        machine.note(arguments.call, "which variable is set is not known")
        return
    words = [value.text for value in values]
    if name.text.startswith("ENV{"):
        return
    if words[-1:] == ["PARENT_SCOPE"]:
        machine.scopes.set_above(name.text, joined(values[:-1]) if values[:-1] else None)
    elif "CACHE" in words[-4:]:
        at = len(words) - 1 - words[::-1].index("CACHE")
        _declare(machine, arguments, name.text, spoken(joined(values[:at])), words[at + 1 :])
        _set_cached(
            machine, name.text, values[:at], force="FORCE" in words[at:], kind=words[at + 1] if words[at + 1 :] else ""
        )
    else:
        machine.scopes.set(name.text, joined(values) if values else None)


def _declare(machine: Evaluator, arguments: Arguments, name: str, default: str, words: Sequence[str]) -> None:
    kind, text = [*words, "", ""][:2]
    if kind in ("BOOL", "STRING"):
        option = CMakeOption(arguments.reason, default, spoken(text), kind == "BOOL")
        machine.options.setdefault(name, option)


def _set_cached(machine: Evaluator, name: str, values: Sequence[Element], *, force: bool, kind: str) -> None:
    if name in machine.setting.switches and not force and kind != "INTERNAL":
        return
    if machine.scopes.cached(name) is None or force or kind == "INTERNAL":
        machine.scopes.set_cached(name, joined(values))
        if compare_versions(machine.minimum, "3.21") < 0 and machine.policies.get("CMP0126") != "NEW":
            machine.scopes.set(name, None)


@command("unset")
def _unset(machine: Evaluator, arguments: Arguments) -> None:
    name, *words = [*arguments.texts, ""]
    if "CACHE" in words:
        machine.scopes.set_cached(name, None)
    elif "PARENT_SCOPE" in words:
        machine.scopes.set_above(name, None)
    else:
        machine.scopes.set(name, None)


@command("option")
def _option(machine: Evaluator, arguments: Arguments) -> None:
    if not arguments.texts:
        return
    name = arguments.texts[0]
    default = arguments.texts[2] if len(arguments.texts) > 2 else "OFF"
    machine.options.setdefault(
        name, CMakeOption(arguments.reason, spoken(default), spoken("".join(arguments.texts[1:2])))
    )
    honours = compare_versions(machine.minimum, "3.13") >= 0 or machine.policies.get("CMP0077") == "NEW"
    if honours and machine.scopes.get(name) is not None and machine.scopes.cached(name) is None:
        return
    if machine.scopes.cached(name) is None:
        machine.scopes.set_cached(name, default)
        if not honours:
            machine.scopes.set(name, None)


@command("cmake_dependent_option")
def _dependent_option(machine: Evaluator, arguments: Arguments) -> None:
    """An option where its conditions hold, else a value."""
    from rewarp.lang.cmake.conditions import Word, decide
    from rewarp.lang.cmake.values import Literal, choice, split

    if len(arguments.texts) < 5:
        return
    name, text, value, tests, otherwise = arguments.texts[:5]
    machine.options.setdefault(name, CMakeOption(arguments.reason, spoken(value), spoken(text)))
    holds = True
    for test in split(tests):
        words = [Word(word) for word in re.sub(r"([()])", r" \1 ", test).split()]
        holds = machine.conditions.both(holds, decide(words, machine))  # type: ignore[assignment]
    given = machine.scopes.get(name) or value
    if isinstance(holds, Literal):
        machine.scopes.set(name, choice(holds, given, otherwise))
    elif holds:
        machine.scopes.set_cached(name, given)
    else:
        machine.scopes.set(name, otherwise)


@command("math")
def _math(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if len(arguments.texts) < 3:
        return machine.stop(arguments.call, "math() needs EXPR, a variable and an expression")
    _, name, text, *rest = arguments.texts
    if not is_known(text):
        machine.scopes.set(name, unknown(f"math({text})"))
        return None
    value = calculated(text)
    if value is None and machine.missing:  # what was not read may have set what is missing in it
        machine.scopes.set(name, unknown(f"math({text})"))
        return None
    if value is None:
        return machine.stop(arguments.call, f"math() cannot read {text!r}")
    is_hexadecimal = "HEXADECIMAL" in rest
    machine.scopes.set(name, hex(value & (2**64 - 1)) if is_hexadecimal else str(value))
    return None


def calculated(text: str) -> int | None:
    """An expression in whole numbers of 64 bits."""
    if len(text) > 4000 or not re.fullmatch(r"[\s\d()+\-*/%&|^~<>xXa-fA-F]*", text):
        return None
    text = re.sub(r"\b0+(?=\d)", "", text.strip())
    try:
        return _calculated(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _calculated(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        value = _OPERATORS[type(node.op)](_calculated(node.left), _calculated(node.right))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert)):
        inner = _calculated(node.operand)
        value = -inner if isinstance(node.op, ast.USub) else inner if isinstance(node.op, ast.UAdd) else ~inner
    else:
        raise ValueError(node)
    return (value + 2**63) % 2**64 - 2**63


@command("message", aware=True)
def _message(machine: Evaluator, arguments: Arguments) -> Exit | None:
    texts = arguments.texts
    if texts[:1] and texts[0] in _FATAL:
        said = spoken("".join(texts[1:]))
        return machine.stop(arguments.call, said) if texts[0] == "FATAL_ERROR" else None
    if texts[:1] and texts[0] in _LEVELS:
        texts = texts[1:]
    machine.messages.append(spoken("".join(texts)))
    return None


@command("return")
def _return(machine: Evaluator, arguments: Arguments) -> Exit:
    if arguments.texts[:1] == ["PROPAGATE"]:
        for name in arguments.texts[1:]:
            machine.scopes.set_above(name, machine.scopes.get(name))
    return Exit("return")


@command("break")
def _break(machine: Evaluator, arguments: Arguments) -> Exit:
    return Exit("break")


@command("continue")
def _continue(machine: Evaluator, arguments: Arguments) -> Exit:
    return Exit("continue")


@command("cmake_parse_arguments")
def _parse_arguments(machine: Evaluator, arguments: Arguments) -> None:
    from rewarp.lang.cmake.values import split

    texts = arguments.texts
    if texts[:1] == ["PARSE_ARGV"]:
        start = int(texts[1]) if texts[1].isdigit() else 0
        texts = texts[2:]
        count = machine.scopes.get("ARGC") or "0"
        given = [machine.scopes.get(f"ARGV{at}") or "" for at in range(start, int(count) if count.isdigit() else 0)]
    else:
        given = [part for text in texts[4:] for part in split(text)]
    if len(texts) < 4:
        return
    prefix, flags, singles, several = texts[0], split(texts[1]), split(texts[2]), split(texts[3])
    for name in flags:
        machine.scopes.set(f"{prefix}_{name}", "FALSE")
    for name in (*singles, *several):
        machine.scopes.set(f"{prefix}_{name}", None)
    found: dict[str, list[str]] = {}
    unparsed: list[str] = []
    empty: list[str] = []
    current = ""
    for word in given:
        if word in flags:
            machine.scopes.set(f"{prefix}_{word}", "TRUE")
            current = ""
        elif word in singles or word in several:
            current = word
            found.setdefault(word, []) if word in several else found.update({word: []})
            empty.append(word)
        elif current:
            found[current].append(word)
            empty = [name for name in empty if name != current]
            current = "" if current in singles else current
        else:
            unparsed.append(word)
    for name, values in found.items():
        machine.scopes.set(f"{prefix}_{name}", ";".join(values) if values else None)
    machine.scopes.set(f"{prefix}_UNPARSED_ARGUMENTS", ";".join(unparsed) if unparsed else None)
    machine.scopes.set(f"{prefix}_KEYWORDS_MISSING_VALUES", ";".join(dict.fromkeys(empty)) if empty else None)
