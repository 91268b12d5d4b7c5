"""What pseudocode addresses: MEM[address], and VGPR[lane][number]."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from machine import pcode
from machine.single import LOADED
from machine.values import Value


class Registers:
    """VGPR[lane][number]: all lanes of a wave."""

    def __init__(self, words: np.ndarray, lane: int | None = None) -> None:
        self.words, self._lane = words, lane

    def at(self, number: int) -> Registers | Cell:
        return (
            Registers(self.words, number) if self._lane is None else Cell(self.words, number - LOADED.start, self._lane)
        )


class Cell:
    def __init__(self, words: np.ndarray, row: int, lane: int) -> None:
        self._words, self._row, self._lane = words, row, lane

    def load(self, width: int = 32) -> Value:
        return Value("b", 32, int(self._words[self._row, self._lane]))

    def store(self, env: pcode.Env, steps: list[Any], value: Value) -> None:
        new = pcode.replaced({**env, "halves_clear": False}, self.load(), steps, value) if steps else value
        self._words[self._row, self._lane] = new.bits & 0xFFFFFFFF


class Scalars:
    """SGPR[number]."""

    def __init__(self, values: dict[str, int]) -> None:
        self._values = values

    def at(self, number: int) -> ScalarCell:
        return ScalarCell(self._values, [f"s{number}", f"s{number + 1}"])


class ScalarCell:
    def __init__(self, values: dict[str, int], names: list[str]) -> None:
        self._values, self._names = values, names

    def load(self, width: int = 32) -> Value:
        low, high = (self._values[name] for name in self._names)
        return Value("b", 64, high << 32 | low)

    def store(self, env: pcode.Env, steps: list[Any], value: Value) -> None:
        words = int(re.sub(r"\D", "", steps[0][1])) // 32
        for number, name in enumerate(self._names[:words]):
            self._values[name] = value.bits >> 32 * number & 0xFFFFFFFF


class Bytes:
    """MEM[address]."""

    def __init__(self, content: np.ndarray) -> None:
        self.content = content

    def at(self, address: int) -> Place:
        return Place(self.content, address & 0xFFFFFFFF)


class Place:
    def __init__(self, content: np.ndarray, address: int) -> None:
        self._content, self._address = content, address

    def load(self, width: int = 32) -> Value:
        part = self._content[self._address : self._address + width // 8]
        return Value("b", width, int.from_bytes(part.tobytes(), "little"))

    def store(self, env: pcode.Env, steps: list[Any], value: Value) -> None:
        match = re.fullmatch(r"([a-z]+)(\d+)", steps[0][1]) if steps else None
        width = int(match[2]) if match else value.width
        bits = pcode.converted(value, match[1] if match else "b", width).bits
        new = np.frombuffer(bits.to_bytes(width // 8, "little"), np.uint8)
        self._content[self._address : self._address + width // 8] = new
