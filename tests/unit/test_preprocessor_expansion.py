"""Macros are expanded and files included as a compiler does it: random programs, asked of clang and of rewarp."""

from __future__ import annotations

import random
import re
import subprocess
from bisect import bisect_left
from pathlib import Path

from rewarp.lang.cpp.conditions import Macros
from rewarp.lang.cpp.preprocessor import Preprocessor
from rewarp.lang.cpp.tokens import Token, logical_lines
from rewarp.toolchain import find

_NAMES = ("a", "b", "c", "d", "e")
_FUNCTIONS = {"F": 1, "G": 2, "H": 0, "V": -1, "W": -2}
"""Macros with parameters; those with a list of any length have a negative number."""


class Kept:
    """Takes the code as it comes, with the conditions that nobody decided."""

    def __init__(self) -> None:
        self.code: list[tuple[str, str]] = []

    def feed(self, tokens: list[Token], path: str, condition: str) -> None:
        self.code += [(token.text, condition) for token in tokens]

    def state(self) -> object:
        return len(self.code)

    def restore(self, state: object) -> None:
        """All branches are kept."""


def ours(files: dict[str, bytes], platform: Macros = lambda name: False) -> list[tuple[str, str]] | None:
    """Each token of the code, with its condition; None for macros that grow too large."""
    sink = Kept()
    unit = Preprocessor(sink, platform, lambda _, name, __: name if name in files else None, files)
    unit.read("main.cpp")
    return None if unit.unread else sink.code


def split(text: str) -> list[str]:
    return [token.text for line in logical_lines(text.encode()) for token in line]


def of_clang(programs: list[str], folder: Path) -> list[list[str] | None]:
    """What clang makes of each program; None where it refuses it. One run: an error does not keep it from the rest."""
    ends, text = [], ""
    for at, one in enumerate(programs):
        text += one + "".join(f"#undef {name}\n" for name in (*_NAMES, *_FUNCTIONS)) + f"END_{at}\n"
        ends.append(text.count("\n"))
    file = folder / "programs.cpp"
    file.write_text(text)
    done = subprocess.run(
        [*find().clang, "-E", "-P", "-std=gnu++20", "-w", "-undef", "-nostdinc", "-ferror-limit=0", str(file)],
        capture_output=True,
        text=True,
    )
    refused = {
        bisect_left(ends, int(line.split(":")[1]))
        for line in done.stderr.splitlines()
        if line.startswith(str(file)) and ": error:" in line
    }
    parts = re.split(r"\bEND_\d+\b", done.stdout)
    return [None if at in refused else split(parts[at]) for at in range(len(programs))]


def body(chance: random.Random, parameters: list[str]) -> str:
    """A replacement. A parameter stands beside `#` and `##` only where that is one token for certain."""
    words = []
    for _ in range(chance.randint(0, 5)):
        kind = chance.random()
        if kind < 0.12 and parameters:
            words.append(f"#{chance.choice(parameters)}")
        elif kind < 0.24 and parameters:
            words.append(f"x ## {chance.choice(parameters)}")
        elif kind < 0.45 and parameters:
            words.append(chance.choice(parameters))
        elif kind < 0.6:
            words.append(use(chance, 1, parameters))
        else:
            words.append(chance.choice((*_NAMES, "1", "+", ",", "x", "y", "(", ")", '"s\\n"', "'q'", "->")))
    if words.count("(") != words.count(")"):
        words = [word for word in words if word not in "()"]
    return " ".join(words)


def use(chance: random.Random, depth: int, more: list[str]) -> str:
    name = chance.choice([*_FUNCTIONS])
    count = _FUNCTIONS[name]
    if count < 0:
        count = -count - 1 + chance.randint(0, 3)
        count = max(count, 1)
    return f"{name}({', '.join(argument(chance, depth, more) for _ in range(count))})"


def argument(chance: random.Random, depth: int, more: list[str]) -> str:
    if depth > 0 and chance.random() < 0.35:
        return use(chance, depth - 1, more)
    return chance.choice((*_NAMES, *more, "1", "x y", "(x, y)", "x  +\ty", "", "a b"))


def program(chance: random.Random) -> str:
    lines = []
    for name in _NAMES:
        if chance.random() < 0.7:
            lines.append(f"#define {name} {body(chance, [])}")
    heads = {"F": ("p", ["p"]), "G": ("p, q", ["p", "q"]), "H": ("", []), "V": ("...", ["__VA_ARGS__"]), "W": ("p, rest...", ["p", "rest"])}  # fmt: skip
    for name, (written, parameters) in heads.items():
        more = " __VA_OPT__(, z)" if name == "V" and chance.random() < 0.3 else ""
        more += " f(x, ## rest)" if name == "W" and chance.random() < 0.5 else ""
        lines.append(f"#define {name}({written}) {body(chance, parameters)}{more}")
    for at in range(6):
        kind = chance.random()
        if kind < 0.2:
            lines.append(f"#undef {chance.choice(_NAMES)}")
        elif kind < 0.45:
            lines += [f"#if {chance.choice(('defined a', 'defined(b) && !defined(c)', 'NONE', '1 + NONE', 'd == 1'))}"]
            lines += [f"yes{at} {use(chance, 2, [])}", "#else", f"no{at}", "#endif"]
        else:
            lines.append(f"{use(chance, 2, [])} ; {chance.choice(_NAMES)} F\n(1) F;")
    return "\n".join(lines) + "\n"


def test_macros_are_expanded_as_clang_expands_them(tmp_path: Path) -> None:
    chance = random.Random(23)
    programs = [program(chance) for _ in range(600)]
    compared = 0
    for text, expected in zip(programs, of_clang(programs, tmp_path)):
        found = ours({"main.cpp": text.encode()}) if expected is not None else None
        if found is not None:
            assert {condition for _, condition in found} <= {""}, text
            assert split(" ".join(word for word, _ in found)) == expected, text
            compared += 1
    assert compared > 300


def words(text: str, platform: Macros = lambda name: False, **files: str) -> list[tuple[str, str]]:
    found = ours({"main.cpp": text.encode(), **{f"{name}.h": code.encode() for name, code in files.items()}}, platform)
    assert found is not None
    return found


def unknown(name: str) -> None:
    return None


def test_a_condition_is_expanded_token_by_token() -> None:
    assert words("#define A 1 + 1\n#if A * 2 == 3\nyes\n#endif") == [("yes", "")]
    assert words("#define AT(a, b) ((a) * 10 + (b))\n#if AT(1, 2) == 12\nyes\n#endif") == [("yes", "")]
    assert words("#define A A\n#if A\nyes\n#endif\n#if defined(A)\nit is\n#endif") == [("it", ""), ("is", "")]


def test_what_nobody_decides_stays_with_its_condition() -> None:
    text = "#if ARCH >= 800\na\n#elif defined B\nb\n#else\nc\n#endif"
    assert words(text, unknown) == [
        ("a", "ARCH >= 800"),
        ("b", "!(ARCH >= 800) && defined B"),
        ("c", "!(ARCH >= 800) && !(defined B)"),
    ]


def test_a_macro_that_may_be_defined_is_not_taken_for_defined() -> None:
    text = "#if ARCH\n#define FAST 1\n#endif\n#ifdef FAST\nfast\n#else\nslow\n#endif\n#if FAST\nquick\n#endif"
    assert {condition for _, condition in words(text, unknown)} == {"defined(FAST)", "!(defined(FAST))", "FAST"}
    text = "#define FAST\n#if ARCH\n#undef FAST\n#endif\n#ifdef FAST\nfast\n#endif"
    assert words(text, unknown) == [("fast", "defined(FAST)")]


def test_a_value_that_is_given_goes_before_the_files_own() -> None:
    text = "#ifndef SIZE\n#define SIZE 32\n#endif\n#if SIZE == 64\nlarge\n#endif"
    assert words(text, lambda name: 64 if name == "SIZE" else False) == [("large", "")]
    assert words(text) == []


def test_headers_are_read_in_place_and_once() -> None:
    header = "#ifndef H\n#define H\nheader\n#define FROM_HEADER 1\n#endif"
    text = '#include "h.h"\n#define NAME "h.h"\n#include NAME\n#if FROM_HEADER\nmain\n#endif\n#include "o.h"\n#include "o.h"'
    assert [word for word, _ in words(text, h=header, o="#pragma once\nonce")] == ["header", "main", "once"]


def test_includes_without_end_are_said() -> None:
    sink = Kept()
    unit = Preprocessor(sink, unknown, lambda _, name, __: name, {"a.h": b'code\n#include "a.h"\n'})
    unit.read("a.h")
    assert unit.unread
    assert unit.has_unknown_names
