"""`#if` is decided as a compiler decides it: random conditions, asked of clang and of rewarp."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from rewarp.lang.cpp.conditions import Macro, fold, number
from rewarp.toolchain import find

DEFINED = {"A": 1, "B": 0, "C": 7, "D": -3, "ARCH": 942, "BIG": 1 << 40}
UNDEFINED = ("X", "Y")
_BINARY = "|| && | ^ & == != < <= > >= << >> + - * / %".split()
_LITERALS = ("0", "1", "2", "7", "0x10", "017", "3u", "5UL", "0b101", "1'000", "9223372036854775807", "18446744073709551615u", "'a'", r"'\n'", "true", "false")  # fmt: skip


def macros(name: str) -> Macro:
    return DEFINED.get(name, False)


def expression(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.2:
        return chance.choice(
            (*_LITERALS, *DEFINED, *UNDEFINED, f"defined({chance.choice((*DEFINED, *UNDEFINED))})", "defined A")
        )
    if kind < 0.35:
        return f"{chance.choice('!-+~')} {expression(chance, depth - 1)}"
    if kind < 0.5:
        return f"({expression(chance, depth - 1)})"
    if kind < 0.62:
        return " ".join(("(", expression(chance, depth - 1), "?", expression(chance, depth - 1), ":", expression(chance, depth - 1), ")"))  # fmt: skip
    return f"{expression(chance, depth - 1)} {chance.choice(_BINARY)} {expression(chance, depth - 1)}"


def asked_of_clang(conditions: list[str], folder: Path) -> list[bool | None]:
    """What clang's preprocessor decides; None where it refuses."""
    lines = [f"#define {name} ({value})" for name, value in DEFINED.items()]
    for at, condition in enumerate(conditions):
        lines += [f"#if {condition}", f"yes {at}", "#else", f"no {at}", "#endif"]
    file = folder / "conditions.cpp"
    file.write_text("\n".join(lines) + "\n")
    # An error in one condition does not keep clang from the others.
    done = subprocess.run(
        [*find().clang, "-E", "-P", "-std=c++17", "-w", "-ferror-limit=0", str(file)], capture_output=True, text=True
    )
    said = dict(reversed(line.split()) for line in done.stdout.splitlines() if line.startswith(("yes ", "no ")))
    refused = {
        int(line.split(":")[1]) for line in done.stderr.splitlines() if ": error:" in line and "conditions.cpp" in line
    }
    first = len(DEFINED) + 1
    return [None if first + 5 * at in refused else said.get(str(at)) == "yes" for at in range(len(conditions))]


def test_conditions_are_decided_as_clang_decides_them(tmp_path: Path) -> None:
    chance = random.Random(17)
    conditions = [expression(chance, chance.randint(1, 5)) for _ in range(4000)]
    answers = asked_of_clang(conditions, tmp_path)
    decided = 0
    for condition, answer in zip(conditions, answers):
        ours = fold(condition, macros)
        if ours is not None and answer is not None:
            decided += 1
            assert ours == answer, condition
    assert decided > 2500, "most conditions are decided by both"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(-7)/2 == -3", True),
        ("-7 % 3 == -1", True),
        ("7 / -2 == -3", True),
        ("-1 < 0u", False),
        ("1 ? 2 : 0", True),
        ("0 ? 1 : 0 ? 1 : 2", True),
        ("UNKNOWN ? 1 : 2", True),
        ("UNKNOWN ? 1 : 0", None),
        ("UNKNOWN ? 0 : 0", False),
        ("1 ? 1", None),
        ("1 / 0", None),
        ("'A' == 65", True),
        ("1 << 63 < 0", True),
        ("1 << 64", None),
        ("A not_eq 2", True),
    ],
)
def test_arithmetic(text: str, value: bool | None) -> None:
    known = {"A": 1}

    def given(name: str) -> Macro:
        return None if name == "UNKNOWN" else known.get(name, False)

    assert fold(text, given) is value


def test_deep_choices_end() -> None:
    assert fold("1 ? " * 5000 + "1" + " : 0" * 5000, macros) is None


def test_numbers() -> None:
    assert number("(-7) / 2 * 4 + (ARCH > 900 ? 8 : 0)", macros) == -4
