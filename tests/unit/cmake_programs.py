"""Small CMake programs, made at random from a seed: every one is valid, and prints what its variables hold."""

from __future__ import annotations

import random

_NAMES = ["A", "B", "C", "LIST", "OTHER", "ON_X"]
_WORDS = [
    "a",
    "b",
    "x.cu",
    "y.cpp",
    "ON",
    "OFF",
    "0",
    "1",
    "12",
    "-3",
    "1.5",
    "FALSE",
    "A",
    "B",
    "NOTFOUND",
    "x-NOTFOUND",
]
_WORDS += ["3.10", "3.9.1", "q;r", "${A}", "${LIST}", "p${B}", "N", "Y", "no", "True", "ab12", "a;;b"]


class Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions: list[str] = []

    def text(self) -> str:
        lines = [f"set({name} {self.words(3)})" for name in _NAMES[:4]]
        lines += self.block(0, 8)
        lines += [f'message("{name}=[${{{name}}}]")' for name in _NAMES]
        return "\n".join(lines) + "\n"

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def name(self) -> str:
        return self.pick(*_NAMES)

    def word(self) -> str:
        word = self.pick(*_WORDS)
        return f'"{word}"' if self.random.random() < 0.35 else word.replace(";;", ";")

    def words(self, most: int) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(1, most)))

    def condition(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth < 3 and kind < 0.3:
            parts = [self.condition(depth + 1) for _ in range(self.random.randint(2, 4))]
            joined = parts[0]
            for part in parts[1:]:
                joined += f" {self.pick('AND', 'OR')} {part}"
            return joined if self.random.random() < 0.5 else f"({joined})"
        if depth < 3 and kind < 0.4:
            return f"NOT ({self.condition(depth + 1)})"
        if kind < 0.5:
            return f"DEFINED {self.name()}"
        if kind < 0.6:
            return f'{self.side()} MATCHES "{self.pick("^a", "b$", "[0-9]+", "x[.]cu", "(a|b)", "^(ON|OFF)$", ".")}"'
        if kind < 0.7:
            return f"{self.side()} IN_LIST {self.name()}"
        if kind < 0.9:
            order = self.pick("LESS", "GREATER", "EQUAL", "LESS_EQUAL", "GREATER_EQUAL")
            return f"{self.side()} {self.pick('', 'STR', 'VERSION_')}{order} {self.side()}"
        return self.pick(self.name(), f'"{self.pick("ON", "A", "0", "maybe")}"', "ON", "OFF", "1", "UNSET_NAME")

    def side(self) -> str:
        quoted = self.pick("a", "1", "12", "3.10", "A", "")
        return self.pick(self.name(), f'"{quoted}"', "1", "a", "3.9", "TRUE")

    def block(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.random.random()
        if depth < 3 and kind < 0.2:
            lines = [f"if({self.condition()})", *self.block(depth + 1, 3)]
            while self.random.random() < 0.4:
                lines += [f"elseif({self.condition()})", *self.block(depth + 1, 2)]
            if self.random.random() < 0.5:
                lines += ["else()", *self.block(depth + 1, 2)]
            return [*lines, "endif()"]
        if depth < 2 and kind < 0.3:
            over = self.pick(
                "a b c",
                "RANGE 3",
                "RANGE 5 1 -2",
                "RANGE 4 2",
                "RANGE 1 8 3",
                "IN LISTS LIST A",
                'IN ITEMS x "y;z"',
                "${LIST}",
                "IN LISTS B",
            )
            body = [*self.block(depth + 1, 2), 'message("I=${I}")', *self.left("break", "continue")]
            return [f"foreach(I {over})", *body, "endforeach()"]
        if depth == 0 and kind < 0.38:
            return self.function()
        if self.functions and depth < 2 and kind < 0.44:
            return [f"{self.pick(*self.functions)}({self.words(4)})"]
        return self.simple()

    def left(self, *kinds: str) -> list[str]:
        if self.random.random() < 0.6:
            return []
        return [f"if({self.condition()})", f"  {self.pick(*kinds)}()", "endif()", *self.simple()]

    def function(self) -> list[str]:
        name = f"f{len(self.functions)}"
        kind = self.pick("function", "macro")
        shown = 'message("P=${P} N=${ARGN} C=${ARGC} V=${ARGV}")'
        above = [f"set({self.name()} {self.words(2)} PARENT_SCOPE)"] if kind == "function" else []
        body = [shown, *self.block(2, 2), *(self.left("return") if kind == "function" else []), *above]
        self.functions.append(name)
        return [f"{kind}({name} P)", *body, f"end{kind}()"]

    def simple(self) -> list[str]:
        name, other = self.name(), self.name()
        options = [
            f"set({name} {self.words(3)})",
            f"unset({name})",
            f"list(APPEND {name} {self.words(3)})",
            f"list(PREPEND {name} {self.words(2)})",
            f"list(REMOVE_ITEM {name} {self.words(2)})",
            f"list(REMOVE_DUPLICATES {name})",
            f"list(LENGTH {name} {other})",
            f"list(FIND {name} {self.pick('a', 'x.cu', '1')} {other})",
            f"list(REVERSE {name})",
            f"list(SORT {name})",
            f"list(JOIN {name} {self.pick('+', '/')} {other})",
            f"list(FILTER {name} {self.pick('INCLUDE', 'EXCLUDE')} REGEX {self.pick('a', '[.]cu', '^[0-9]')})",
            f"list(TRANSFORM {name} {self.pick('APPEND _s', 'PREPEND p/', 'TOUPPER', 'REPLACE a Z')} OUTPUT_VARIABLE {other})",
            f"list(POP_BACK {name} {other})",
            f"list(POP_FRONT {name})",
            f'string(TOUPPER "${{{name}}}" {other})',
            f'string(LENGTH "${{{name}}}" {other})',
            f'string(REPLACE a bb {other} "${{{name}}}")',
            f'string(REGEX REPLACE "([a-z])([0-9])" "\\\\2\\\\1" {other} "${{{name}}}")',
            f'string(REGEX MATCH "[a-z]+" {other} "${{{name}}}")',
            f'string(REGEX MATCHALL "[a-z]" {other} "${{{name}}}")',
            f'string(FIND "${{{name}}}" b {other})',
            f'string(APPEND {name} "{self.pick("_t", ";u")}")',
            f'string(STRIP " ${{{name}}} " {other})',
            f'string(MAKE_C_IDENTIFIER "${{{name}}}" {other})',
            f'math(EXPR {name} "{self.pick("1 + 2 * 3", "7 / 2", "-7 / 2", "7 % 3", "1 << 4", "(2 + 3) * 4", "5 & 3 | 8", "~0")}")',
            f'get_filename_component({name} "{self.pick("/a/b.c.d", "x/y.cu", "z", "/r")}" {self.pick("NAME", "NAME_WE", "EXT", "DIRECTORY", "LAST_EXT", "NAME_WLE")})',
            f'message("{name}=[${{{name}}}]")',
        ]
        return [self.random.choice(options)]
