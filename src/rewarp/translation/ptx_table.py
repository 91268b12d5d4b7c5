"""The idioms of PTX as the table ``ptx.csv`` has them, and which row speaks of an instruction.

A row's ``modifiers`` are separated by blanks and come in any order: ``sync``, ``cs|lu`` (one of them), ``ftz?`` (may be
absent), ``scope=cta|gpu|sys?gpu`` (``{scope}`` in the form; ``gpu`` when absent). Its ``types`` are in PTX's order, each
with its alternatives; ``{T}`` is the last one in C++, ``{T0}`` the first. Its ``operands`` are ``d`` (written), ``a``
(read), ``[a]`` (an address), ``{d}`` and ``{a}`` (vectors), ``d|p`` (with a predicate) or a number; ``a:u32`` is read as
that type, all others as ``T``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from rewarp.tables import rows
from rewarp.translation.ptx_reader import Instruction

_MODIFIER = re.compile(r"(?:(\w+)=)?([^?=]+)(\?)?(.*)")
_VECTOR = re.compile(r"v([248])\Z")
_OF_CLUSTERS = re.compile(r"(?:n?clusterid|cluster_\w+|is_explicit_cluster)\b")
_HINT = re.compile(r"L[12]::\w+\Z")


class Modifier(NamedTuple):
    group: str
    words: frozenset[str]
    optional: bool
    default: str


class Slot(NamedTuple):
    """One operand of a row."""

    shape: str
    """``written``, ``read``, ``address``, ``vector``, ``pair`` or ``number``."""
    name: str
    type: str


class Row(NamedTuple):
    modifiers: tuple[Modifier, ...]
    types: tuple[frozenset[str], ...]
    slots: tuple[Slot, ...]
    hip: str
    differs: str
    """What is not the same on AMD, in a sentence; empty where nothing is."""


class Match(NamedTuple):
    row: Row
    words: Mapping[str, str]
    """The modifier that stands for each group."""


class Family(NamedTuple):
    """Instructions that AMD's hardware does in another way, if at all."""

    name: str
    way: str


def find(instruction: Instruction) -> Match | None:
    """The row for an instruction."""
    for row in _table()["instruction"].get(instruction.opcode, ()):
        words = _words(row, instruction)
        if words is not None and _types_fit(row, instruction.types) and _shapes_fit(row, instruction.operands):
            return Match(row, words)
    return None


def family(instruction: Instruction) -> Family | None:
    """Whose work has to be designed anew; the longest name of the table goes first."""
    if find(instruction) and not _reads_clusters(instruction):
        return None
    parts = instruction.name.replace("::", ".").split(".")
    for length in range(len(parts), 0, -1):
        found = _families().get(".".join(parts[:length]))
        if found:
            return found
    return _families()["cluster"] if _reads_clusters(instruction) else None


def _reads_clusters(instruction: Instruction) -> bool:
    return any(_OF_CLUSTERS.match(operand.lstrip("%")) for operand in instruction.operands)


@lru_cache(maxsize=1)
def registers() -> Mapping[str, Row]:
    """PTX's special registers."""
    return {name: found[0] for name, found in _table()["register"].items()}


@lru_cache(maxsize=1)
def meanings() -> Mapping[str, str]:
    """What a modifier is called in C++."""
    return {name: found[0].hip for name, found in _table()["word"].items()}


@lru_cache(maxsize=1)
def _families() -> Mapping[str, Family]:
    return {name: Family(found[0].differs, found[0].hip) for name, found in _table()["rewrite"].items()}


@lru_cache(maxsize=1)
def _table() -> Mapping[str, dict[str, list[Row]]]:
    table: dict[str, dict[str, list[Row]]] = {}
    for row in rows("ptx.csv"):
        read = Row(
            tuple(map(_modifier, row["modifiers"].split())),
            tuple(frozenset(kinds.split("|")) for kinds in row["types"].split()),
            tuple(map(_slot, row["operands"].split())),
            row["hip"],
            row["differs"],
        )
        for name in row["name"].split():
            table.setdefault(row["kind"], {}).setdefault(name, []).append(read)
    return table


def _modifier(text: str) -> Modifier:
    read = _MODIFIER.fullmatch(text)
    assert read, text
    return Modifier(read[1] or "", frozenset(read[2].split("|")), bool(read[3]), read[4])


def _slot(text: str) -> Slot:
    text, _, kind = text.partition(":")
    for opening, shape in (("[", "address"), ("{", "vector")):
        if text.startswith(opening):
            return Slot(shape, text[1:-1], kind or "T")
    if "|" in text:
        return Slot("pair", text, kind or "T")
    if text[0].isdigit():
        return Slot("number", text, "")
    return Slot("written" if text == "d" else "read", text, kind or "T")


def _words(row: Row, instruction: Instruction) -> dict[str, str] | None:
    """The modifiers by group; None where one is missing or too many."""
    left = list(instruction.modifiers)
    words: dict[str, str] = {}
    for modifier in row.modifiers:
        found = next((word for word in left if word in modifier.words), None)
        if found:
            left.remove(found)
        elif not modifier.optional:
            return None
        if modifier.group:
            words[modifier.group] = found or modifier.default
    # The number of elements says what the operands say; a hint to the caches changes no result.
    rest = [word for word in left if not _VECTOR.match(word) and not _is_hint(word)]
    return None if rest else words


def _is_hint(word: str) -> bool:
    return bool(_HINT.match(word)) and word != "L2::cache_hint"


def _types_fit(row: Row, types: tuple[str, ...]) -> bool:
    return len(row.types) == len(types) and all(kind in kinds for kinds, kind in zip(row.types, types))


def _shapes_fit(row: Row, operands: tuple[str, ...]) -> bool:
    return len(row.slots) == len(operands) and all(map(_shape_fits, row.slots, operands))


def _shape_fits(slot: Slot, operand: str) -> bool:
    if slot.shape == "number":
        return operand.lower() == slot.name
    is_vector = operand.startswith("{") and "," in operand
    if slot.shape in ("address", "vector"):
        return operand.startswith("[") if slot.shape == "address" else is_vector
    return ("|" in operand) == (slot.shape == "pair") and not is_vector and not operand.startswith("[")
