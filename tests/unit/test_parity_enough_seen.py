"""No headline from a handful: what a score needs, and what is said where there is none."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from parity_parts import OK, E, U, unit
from parity_parts import parity as compared

from rewarp.parity import deadline
from rewarp.parity.cpp import analyse
from rewarp.parity.scoring.result import Result
from rewarp.parity.scoring.scores import ALL_KINDS, FEWEST, GateVerdict, judge, score
from rewarp.parity.units import Coverage, Parity, Side, Status
from rewarp.report.parity import headline


def _many(count: int, **more: object) -> list[object]:
    return [unit(f"op{n}", **more) for n in range(count)]


def test_three_units_make_no_score() -> None:
    found = compared(*_many(3))
    assert score(found).lowest is None
    assert headline(Result(found, score(found))) == "Too little seen to score"


def test_ten_units_do() -> None:
    assert score(compared(*_many(FEWEST - 1))).lowest is None
    lowest = score(compared(*_many(FEWEST))).lowest
    assert lowest is not None
    assert lowest.share == 1


def _seen(total: int, seen: int) -> Parity:
    found = compared(*_many(20))
    names = tuple(f"k{n}" for n in range(total - seen))
    return Parity(found.root, "cuda", "rocm", found.units, coverage=(Coverage("kernels", total, seen, names),))


@pytest.mark.parametrize(
    ("total", "seen", "is_enough"), [(84, 0, False), (84, 41, False), (84, 42, True), (4, 0, True)]
)
def test_units_must_stand_for_half_of_what_there_is(total: int, seen: int, is_enough: bool) -> None:
    scores = score(_seen(total, seen))
    assert (scores.lowest is not None) == is_enough
    if not is_enough:
        (reason,) = scores.blocked_by
        assert f"{seen} of {total} kernels" in reason
        assert "k0" in reason


def test_unknown_counts_against_the_score_and_above_15_percent_removes_it() -> None:
    some = score(compared(*_many(17), *(unit(f"x{n}", b=U) for n in range(3))))
    assert some.lowest is not None
    assert some.lowest.share == Fraction(17, 20)
    more = score(compared(*_many(16), *(unit(f"x{n}", b=U) for n in range(4))))
    assert more.lowest is None
    assert "4 of 20 units could not be told" in more.blocked_by[0]


@pytest.mark.parametrize(("unknown", "is_enough"), [(2, True), (4, True), (5, False)])
def test_the_lowest_kind_counts_what_could_not_be_told_up_to_a_third(unknown: int, is_enough: bool) -> None:
    kind = [unit(f"k{n}", b=U if n < unknown else OK, kind="kernel") for n in range(12)]
    found = score(compared(*_many(40), *kind))
    assert (found.lowest is not None) == is_enough
    if found.lowest is not None:
        assert (found.lowest.kind, found.lowest.share) == ("kernel", Fraction(12 - unknown, 12))
    else:
        assert "lowest kind (kernel) 5 of 12" in found.blocked_by[0]


def test_a_kind_of_a_handful_is_scored_with_the_others_and_hides_nothing() -> None:
    found = score(compared(*_many(18), unit("one", b=E, kind="class"), unit("two", b=E, kind="class")))
    assert found.lowest is not None
    assert (found.lowest.kind, found.lowest.share) == (ALL_KINDS, Fraction(18, 20))


def test_a_limit_ends_in_what_was_found_by_then() -> None:
    kernels = b"__global__ void k(int *x) { x[0] = 1; }"
    files = {"src/cuda/a.cu": kernels, "src/hip/a.hip": kernels, "src/cuda/b.cpp": b"void f() { k<<<1, 1>>>(0); }"}
    with deadline.limited(0):
        time.sleep(0.001)
        found = analyse(files, "cuda", "rocm")
    assert any(problem.blocks_score and problem.is_time for problem in found.problems)
    assert not any(problem.is_time for problem in analyse(files, "cuda", "rocm").problems)


def test_an_inner_limit_never_outlasts_the_outer() -> None:
    with deadline.limited(0), deadline.limited(1_000):
        left = deadline.left()
        assert left is not None
        assert left < 1
    assert deadline.left() is None


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("T::Ptr, T::Unknown", "T::Unknown", GateVerdict.LEVEL),
        ("T::A, T::B and 17 more", "T::A, T::B and 17 more", GateVerdict.LEVEL),
        ("T::Unknown", "T::Ptr, T::Unknown", GateVerdict.UNKNOWN),
        ("T::A and 3 more", "T::A and 4 more", GateVerdict.UNKNOWN),
    ],
)
def test_two_that_fail_for_some_inputs_are_level_where_the_second_names_no_more(
    a: str, b: str, verdict: GateVerdict
) -> None:
    sides = [Side(Status.PARTIAL, f"ends in an error for {names}") for names in (a, b)]
    assert judge(unit("run", *sides)).verdict is verdict
