"""list(): every operation, as CMake does it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from rewarp.lang.cmake.evaluator import Arguments, Evaluator, command
from rewarp.lang.cmake.regex import compiled
from rewarp.lang.cmake.state import Exit
from rewarp.lang.cmake.strings import replaced
from rewarp.lang.cmake.values import (
    Element,
    Literal,
    choices,
    first_choice,
    has_choice,
    is_known,
    joined,
    split,
    unknown,
)

_MOST_OPEN = 6
"""Conditions that nothing decides: each doubles the cases that an operation is done for."""
_NUMBER = re.compile(r"[+-]?\d+")


class _Wrong(Exception):
    """CMake would stop here."""


@command("list", aware=True)
def _list(machine: Evaluator, arguments: Arguments) -> Exit | None:
    if len(arguments.texts) < 2:
        return machine.stop(arguments.call, "list() needs an operation and a list")
    operation, name = arguments.texts[:2]
    rest = arguments.elements[2:]
    value = machine.scopes.get(name)
    if operation in ("APPEND", "PREPEND"):
        if rest:
            more = joined(rest)
            both = (value, more) if operation == "APPEND" else (more, value)
            machine.scopes.set(name, _joint(*both) if value else more)
        return None
    # The other operations look into the list: each of its cases by itself.
    depends = next((part for part in (value or "", *arguments.texts) if has_choice(part)), None)
    guard = next((element.guards[0] for element in arguments.elements if element.guards), None)
    literal = Literal(first_choice(depends)) if depends else guard
    texts = [element.text for element in rest]
    open_ = {Literal(number) for part in (value or "", *arguments.texts) for number in choices(part)}
    if sum(isinstance(machine.conditions.value(one), Literal) for one in open_) > _MOST_OPEN:
        # A list that is read keeps its value; what comes out of it, or becomes of it, cannot be told.
        apart = operation in _READING or "OUTPUT_VARIABLE" in texts
        machine.scopes.set(
            texts[-1] if apart and texts else name, unknown(f"list({operation} {name}), of too many cases")
        )
        return None
    if literal is not None and isinstance(machine.conditions.value(literal), Literal):
        options: list[tuple[Literal | None, Callable[[], Exit | None]]] = [
            (literal, lambda: machine.call(arguments.call)),
            (None, lambda: machine.call(arguments.call)),
        ]
        machine.branch(options)
        return None
    try:
        for variable, result in _operate(operation, name, value, texts, arguments).items():
            machine.scopes.set(variable, result)
    except _Wrong as error:
        return machine.stop(arguments.call, f"list({operation}): {error}")
    except IndexError:
        return machine.stop(arguments.call, f"list({operation}): an argument is lacking")
    return None


def _joint(left: str | None, right: str | None) -> str:
    """Two lists as one. A semicolon that both need stays outside; one that only some cases need goes into these."""
    left, right = left or "", right or ""
    if right.startswith("\x01") and not has_choice(left):
        return joined([Element(left), *_elements(right)])
    if left.startswith("\x01") and not has_choice(right):
        return joined([*_elements(left), Element(right)])
    return f"{left};{right}" if left and right else left or right


def _elements(value: str) -> list[Element]:
    from rewarp.lang.cmake.values import elements

    return elements(value)


def _operate(
    operation: str, name: str, value: str | None, texts: list[str], arguments: Arguments
) -> dict[str, str | None]:
    """The variables that an operation sets."""
    if not is_known(value or "") or not arguments.is_known:
        return _of_unknown(operation, name, value or "", texts)
    items = split(value or "", keep_empty=True)
    read = _READING.get(operation)
    if read:
        return read(items, texts)
    change = _CHANGING.get(operation)
    if change is None:
        raise _Wrong("no such operation")
    if operation == "TRANSFORM" and "OUTPUT_VARIABLE" in texts:
        at = texts.index("OUTPUT_VARIABLE")
        return {texts[at + 1]: ";".join(_transform(items, texts[:at]))}
    if operation in ("POP_BACK", "POP_FRONT"):
        return _pop(operation, name, items, texts)
    if value is None and operation in ("INSERT", "REMOVE_ITEM", "REMOVE_DUPLICATES", "FILTER", "SORT", "REVERSE"):
        return {} if operation != "INSERT" else {name: ";".join(change(items, texts))}
    return {name: ";".join(change(items, texts))}


def _of_unknown(operation: str, name: str, value: str, texts: list[str]) -> dict[str, str | None]:
    """Elements that are known stay in lists of which a part is not."""
    if operation in ("REMOVE_ITEM", "REMOVE_DUPLICATES") and all(map(is_known, texts)):
        change = _CHANGING[operation]
        return {name: ";".join(change(split(value, keep_empty=True), texts))}
    if operation in _READING:
        return {texts[-1]: unknown(f"list({operation} {name})")} if texts else {}
    if operation == "TRANSFORM" and "OUTPUT_VARIABLE" in texts:
        return {texts[-1]: unknown(f"list(TRANSFORM {name})")}
    if operation in ("FILTER", "SORT", "REVERSE", "TRANSFORM", "INSERT", "REMOVE_AT", "REMOVE_ITEM"):
        return {name: unknown(f"list({operation} {name})")}
    return {target: unknown(f"list({operation} {name})") for target in (name, *texts)}


def _index(text: str, length: int, *, end: bool = False) -> int:
    if not _NUMBER.fullmatch(text):
        raise _Wrong(f"index: {text} is not a number")
    at = int(text)
    at = at + length if at < 0 else at
    if not 0 <= at < length + end:
        raise _Wrong(f"index: {text} out of range")
    return at


# --- operations that read -------------------------------------------------------------------


def _length(items: list[str], texts: list[str]) -> dict[str, str | None]:
    return {texts[0]: str(len(items))}


def _get(items: list[str], texts: list[str]) -> dict[str, str | None]:
    if not items:
        return {texts[-1]: "NOTFOUND"}
    return {texts[-1]: ";".join(items[_index(text, len(items))] for text in texts[:-1])}


def _join(items: list[str], texts: list[str]) -> dict[str, str | None]:
    return {texts[1]: texts[0].join(items)}


def _sublist(items: list[str], texts: list[str]) -> dict[str, str | None]:
    begin, length = (int(text) if _NUMBER.fullmatch(text) else -2 for text in texts[:2])
    if not items:
        return {texts[2]: ""}
    if not 0 <= begin < len(items) or length < -1:
        raise _Wrong(f"index: {texts[0]} out of range")
    return {texts[2]: ";".join(items[begin:] if length == -1 else items[begin : begin + length])}


def _find(items: list[str], texts: list[str]) -> dict[str, str | None]:
    return {texts[1]: str(items.index(texts[0]) if texts[0] in items else -1)}


_READING: dict[str, Callable[[list[str], list[str]], dict[str, str | None]]] = {
    "LENGTH": _length,
    "GET": _get,
    "JOIN": _join,
    "SUBLIST": _sublist,
    "FIND": _find,
}

# --- operations that change -----------------------------------------------------------------


def _insert(items: list[str], texts: list[str]) -> list[str]:
    at = _index(texts[0], len(items), end=True)
    return [*items[:at], *texts[1:], *items[at:]]


def _remove_item(items: list[str], texts: list[str]) -> list[str]:
    return [item for item in items if item not in texts]


def _remove_at(items: list[str], texts: list[str]) -> list[str]:
    gone = {_index(text, len(items)) for text in texts}
    return [item for at, item in enumerate(items) if at not in gone]


def _pop(operation: str, name: str, items: list[str], texts: list[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    had = bool(items)
    for text in texts or [""]:
        taken = items.pop(-1 if operation == "POP_BACK" else 0) if items else None
        if text:
            found[text] = taken
    return {**{key: value for key, value in found.items() if key != name}, name: ";".join(items)} if had else found


def _filter(items: list[str], texts: list[str]) -> list[str]:
    if len(texts) < 3 or texts[0] not in ("INCLUDE", "EXCLUDE") or not (pattern := compiled(texts[2])):
        raise _Wrong("FILTER needs INCLUDE or EXCLUDE, and REGEX with an expression")
    return [item for item in items if bool(pattern.search(item)) is (texts[0] == "INCLUDE")]


def _sort(items: list[str], texts: list[str]) -> list[str]:
    given = dict(zip(texts[::2], texts[1::2]))
    case, compare = given.get("CASE", "SENSITIVE"), given.get("COMPARE", "STRING")

    def key(item: str) -> list[Any]:
        text = item.rpartition("/")[2] if compare == "FILE_BASENAME" else item
        text = text.lower() if case == "INSENSITIVE" else text
        if compare == "NATURAL":
            return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D", text)]
        return [text.encode()]

    return sorted(items, key=key, reverse=given.get("ORDER") == "DESCENDING")


def _transform(items: list[str], texts: list[str]) -> list[str]:
    action, *rest = texts
    count = {"APPEND": 1, "PREPEND": 1, "REPLACE": 2}.get(action, 0)
    values, selector = rest[:count], rest[count:]
    chosen = _selected(items, selector)
    return [_transformed(item, action, values) if at in chosen else item for at, item in enumerate(items)]


def _selected(items: Sequence[str], selector: Sequence[str]) -> set[int]:
    if not selector:
        return set(range(len(items)))
    kind, *words = selector
    if kind == "AT":
        return {_index(word, len(items)) for word in words}
    if kind == "FOR":
        start, stop = _index(words[0], len(items)), _index(words[1], len(items))
        return set(range(start, stop + 1, int(words[2]) if len(words) > 2 else 1))
    pattern = compiled(words[0]) if kind == "REGEX" and words else None
    if not pattern:
        raise _Wrong(f"selector {kind}")
    return {at for at, item in enumerate(items) if pattern.search(item)}


def _transformed(item: str, action: str, values: Sequence[str]) -> str:
    if action in ("APPEND", "PREPEND"):
        return item + values[0] if action == "APPEND" else values[0] + item
    if action == "REPLACE":
        found = replaced(values[0], values[1], item)
        if found is None:
            raise _Wrong(f"expression {values[0]!r}")
        return found
    if action in ("TOLOWER", "TOUPPER"):
        return item.lower() if action == "TOLOWER" else item.upper()
    if action == "STRIP":
        return item.strip()
    if action == "GENEX_STRIP":
        from rewarp.lang.cmake.generators import without

        return without(item)
    raise _Wrong(f"sub-command {action}")


_CHANGING: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "INSERT": _insert,
    "REMOVE_ITEM": _remove_item,
    "REMOVE_AT": _remove_at,
    "REMOVE_DUPLICATES": lambda items, texts: list(dict.fromkeys(items)),
    "POP_BACK": lambda items, texts: items,
    "POP_FRONT": lambda items, texts: items,
    "FILTER": _filter,
    "REVERSE": lambda items, texts: items[::-1],
    "SORT": _sort,
    "TRANSFORM": _transform,
}
