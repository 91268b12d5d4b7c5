"""What the tree of a file's conditionals answers."""

from __future__ import annotations

import pytest

from rewarp.lang.cpp.conditions import fold_directive
from rewarp.lang.cpp.directives import every_branch, parse
from rewarp.lang.cpp.file import CodeFile, Conditional, Directive, Truth
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.lang.cpp.tokens import tokenize
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile

NESTED = b"""#ifdef A
one
#  if B > 1 // why
two
#  endif
#elif defined(C) || \\
  defined(D)
three
#else
four
#endif
"""


def read(text: bytes) -> CodeFile:
    return CodeFile(SourceFile("a.cu", text), Kind.CUDA)


def known(**macros: int | bool | None) -> Truth:
    return lambda test: fold_directive(test.word, test.condition, macros.get)


@pytest.mark.parametrize(
    ("macros", "compiled"),
    [
        ({"A": True}, [True, False, False]),
        ({"A": False, "C": False, "D": True}, [False, True, False]),
        ({"A": False, "C": False, "D": False}, [False, False, True]),
        ({"C": True}, [None, None, False]),
        ({"C": False, "D": False}, [None, False, None]),
        ({}, [None, None, None]),
    ],
)
def test_which_arms_are_compiled(macros: dict[str, bool], compiled: list[bool | None]) -> None:
    (conditional,) = read(NESTED).conditionals
    assert conditional.compiled(known(**macros)) == compiled


def test_an_include_guard_says_nothing() -> None:
    def refuse(test: Directive) -> bool:
        raise AssertionError(test)

    (guard,) = read(b"#ifndef A_H\n#define A_H\n#endif\n").conditionals
    assert guard.compiled(refuse) == [None]


def test_branches_by_what_is_known() -> None:
    document = read(NESTED)
    branches = document.branches_by(known(A=True, B=0))
    assert [(one.test.condition.split()[0], one.compiled) for one in branches if one.test.condition] == [
        ("A", True),
        ("defined(C)", False),
        ("B", False),
    ]


@pytest.mark.parametrize(
    ("word", "around"),
    [(b"one", ["A"]), (b"two", ["A", "B > 1"]), (b"three", ["defined(C) || \\\n  defined(D)"]), (b"four", [""])],
)
def test_what_a_place_stands_in(word: bytes, around: list[str]) -> None:
    found = read(NESTED).around(NESTED.index(word))
    assert [arm.test.condition for _, arm in found] == around
    assert all(arm in one.arms for one, arm in found)


def test_nothing_is_around_what_stands_outside() -> None:
    text = b"before\n" + NESTED + b"after\n"
    assert read(text).around(0) == read(text).around(text.index(b"after")) == []


def test_where_a_conditional_is() -> None:
    outer, inner = read(NESTED).every_conditional()
    assert NESTED[slice(*outer.where)] == NESTED[: NESTED.rindex(b"#endif")]
    assert NESTED[slice(*inner.where)].split() == [b"#", b"if", b"B", b">", b"1", b"//", b"why", b"two"]


def test_two_that_read_the_same_are_two() -> None:
    first, second = read(b"#if A\n#endif\n#if A\n#endif\n").conditionals
    assert len({first, second}) == 2
    assert first != Conditional(first.arms, first.end)


def test_every_branch_of_exact_tokens() -> None:
    found = [branch.word for branch in every_branch(parse(list(tokenize(NESTED))))]
    assert found == ["ifdef", "if", "elif", "else"]


def test_lines_of_conditions() -> None:
    found = [(one["word"], one["asked"].split()) for one in CONDITION_LINE.finditer(NESTED + b"#iffy\n#ifndef X\n")]
    assert found == [
        (b"ifdef", [b"A"]),
        (b"if", [b"B", b">", b"1", b"//", b"why"]),
        (b"elif", [b"defined(C)", b"||", b"\\", b"defined(D)"]),
        (b"ifndef", [b"X"]),
    ]
