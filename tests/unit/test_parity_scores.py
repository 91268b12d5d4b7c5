"""Scores: the denominator is what A does, unknown scores nothing, the lowest kind counts, and sometimes there is none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parity_parts import OK, E, M, P, U, parity, result, side, unit

from rewarp.parity.scoring.priorities import commonness, priorities
from rewarp.parity.scoring.scores import GateVerdict, Judged, judge, percent, score
from rewarp.parity.units import Problem, Side, Status

pytestmark = pytest.mark.usefixtures("few_units_do")

S = Status


@pytest.mark.parametrize(
    ("a", "b", "verdict", "share"),
    [
        (OK, OK, GateVerdict.LEVEL, 1),
        (OK, M, GateVerdict.GAP, 0),
        (OK, E, GateVerdict.GAP, 0),
        (OK, S.STUB, GateVerdict.GAP, 0),
        (OK, S.NO_OP, GateVerdict.GAP, 0),
        (OK, S.DEFAULT, GateVerdict.UNKNOWN, 0),
        (OK, S.CPU_ONLY, GateVerdict.GAP, 0),
        (OK, S.CONDITIONAL_CPU, GateVerdict.GAP, 0),
        (OK, P, GateVerdict.GAP, Fraction(1, 2)),
        (OK, U, GateVerdict.UNKNOWN, 0),
        (P, OK, GateVerdict.LEVEL, 1),
        (P, P, GateVerdict.UNKNOWN, Fraction(0)),
        (S.CONDITIONAL_CPU, OK, GateVerdict.LEVEL, 1),
        (S.CONDITIONAL_CPU, S.CONDITIONAL_CPU, GateVerdict.GAP, Fraction(1, 2)),
        (S.CONDITIONAL_CPU, S.CPU_ONLY, GateVerdict.GAP, 0),
        (U, OK, GateVerdict.UNKNOWN, 0),
        (U, M, GateVerdict.UNKNOWN, 0),
        (E, M, GateVerdict.NEITHER, 0),
        (S.CPU_ONLY, S.CPU_ONLY, GateVerdict.NEITHER, 0),
        (S.DEFAULT, S.DEFAULT, GateVerdict.NEITHER, 0),
        (E, U, GateVerdict.NEITHER, 0),
        (M, OK, GateVerdict.ONLY_B, 0),
        (E, P, GateVerdict.ONLY_B, 0),
    ],
)
def test_verdicts(a: Status, b: Status, verdict: GateVerdict, share: Fraction | int) -> None:
    found = judge(unit(a=a, b=b))
    assert (found.verdict, found.share) == (verdict, share)


def judged(a: Side, b: Side) -> Judged:
    return judge(unit(a=a, b=b))


def test_partial_counts_by_the_data_types_of_a() -> None:
    # f64 fails on both sides and takes no part; i64 is B's alone.
    found = judged(
        side(P, dtypes={"f32": OK, "f16": OK, "bf16": OK, "f64": E}), side(P, dtypes={"f32": OK, "f16": E, "i64": OK})
    )
    assert found.share == Fraction(1, 3)
    assert found.lacking == ("f16", "bf16")
    assert not found.share_is_guess
    assert not judge(unit(b=M)).share_is_guess


def test_an_error_where_a_has_one_too_is_no_gap() -> None:
    assert (
        judged(side(P, dtypes={"f32": OK, "f64": E}), side(P, dtypes={"f32": OK, "f64": E})).verdict
        is GateVerdict.LEVEL
    )


def test_implemented_without_data_types_does_all_of_them() -> None:
    assert judged(side(OK, dtypes={"f32": OK, "f16": OK}), side(OK)).verdict is GateVerdict.LEVEL


def test_where_a_tells_no_data_types_apart_it_does_all() -> None:
    found = judged(side(OK), side(P, dtypes={"f32": OK, "f16": E}))
    assert (found.share, found.lacking) == (Fraction(1, 2), ("f16",))


def test_a_data_type_that_b_never_names_is_lacking() -> None:
    assert judged(side(OK, dtypes={"f32": OK, "f16": OK}), side(OK, dtypes={"f32": OK})).lacking == ("f16",)


def test_partial_in_branches_only_is_a_guess() -> None:
    found = judged(side(OK, dtypes={"f32": OK}), side(P, dtypes={"f32": OK}))
    assert found.share_is_guess
    assert found.share == Fraction(1, 2)


def test_data_types_are_compared_one_by_one() -> None:
    part, whole = side(P, dtypes={"f32": P, "f16": OK}), side(OK, dtypes={"f32": OK, "f16": OK})
    found = judged(whole, part)
    assert (found.share, found.share_is_guess, found.lacking) == (Fraction(3, 4), True, ())
    assert judged(part, part).verdict is GateVerdict.LEVEL
    assert judged(part, whole).verdict is GateVerdict.LEVEL


def test_data_types_on_the_cpu_score_nothing() -> None:
    found = judged(side(OK, dtypes={"f32": OK, "f16": OK}), side(P, dtypes={"f32": OK, "f16": S.CPU_ONLY}))
    assert found.share == Fraction(1, 2)


def test_missing_kernels_are_never_level() -> None:
    assert judged(side(OK), side(OK, kernels=("x", "y"), missing_kernels=("y",))).share == Fraction(1, 2)
    assert judged(side(OK), side(OK, missing_kernels=("y",))).share == 0
    found = judged(side(OK), side(P, kernels=("x", "y", "z"), missing_kernels=("y",)))
    assert (found.share, found.share_is_guess) == (Fraction(2, 3), False)
    dtypes = {"f32": OK, "f16": OK}
    found = judged(side(OK, dtypes=dtypes), side(P, "", (), dtypes, ("x", "y", "z"), ("z",)))
    assert found.share == Fraction(2, 3)
    found = judged(side(OK, dtypes=dtypes), side(P, "", (), {"f32": OK}, ("x", "y", "z"), ("z",)))
    assert found.share == Fraction(1, 2), "the lower of the two"


def test_kernels_missing_for_data_types_that_a_does_not_do_either() -> None:
    dtypes = {"f32": OK, "i16": E}
    found = judged(side(P, "", (), dtypes), side(P, "", (), dtypes, ("x_f32", "x_i16"), ("x_i16",)))
    assert found.verdict is GateVerdict.LEVEL


def test_all_that_b_fails_at_is_lacking() -> None:
    assert judged(side(OK, dtypes={"f32": OK, "f64": E}), side(M)).lacking == ("f32",)


def test_the_lowest_kind_counts() -> None:
    scores = result(
        unit("x"), unit("y", b=M), unit("k", kind="kernel"), unit("f", b=M, kind="field", scored=False)
    ).scores
    assert [(kind.kind, kind.share) for kind in scores.kinds] == [("kernel", 1), ("trait method", Fraction(1, 2))]
    assert scores.lowest is not None
    assert scores.lowest.kind == "trait method"
    assert [one.unit.name for one in scores.shown] == ["f"]


def test_nothing_at_all_is_the_lowest() -> None:
    lowest = result(
        unit("x", b=M, kind="z"), unit("y"), unit("y", b=P, kind="m"), unit("n", M, OK, kind="n")
    ).scores.lowest
    assert lowest is not None
    assert (lowest.kind, lowest.share) == ("z", 0)


def test_neither_and_only_b_are_shown_and_not_counted() -> None:
    (kind,) = result(unit("x"), unit("y", E, M), unit("z", M, OK), unit("u", OK, U)).scores.kinds
    assert kind.counted == 2
    assert kind.share == Fraction(1, 2)
    assert {name: count for name, count in kind.columns.items() if count} == {
        "level": 1,
        "unknown": 1,
        "neither": 1,
        "only B": 1,
    }


def test_columns_tell_partial_cpu_and_lacking_apart() -> None:
    statuses = (OK, P, S.CPU_ONLY, S.CONDITIONAL_CPU, M, E, S.STUB, S.NO_OP, S.DEFAULT)
    (kind,) = result(*(unit(str(at), b=status) for at, status in enumerate(statuses))).scores.kinds
    assert [kind.columns[name] for name in ("level", "partial", "CPU", "default", "lacking")] == [1, 1, 2, 1, 4]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (parity(unit(), problems=[Problem("x.rs", 7, "does not parse", True)]), "x.rs:7: does not parse"),
        (parity(unit(), problems=[Problem("", 0, "no implementation", True)]), "no implementation"),
        (parity(), "nothing was found that cuda and rocm both stand behind"),
        (parity(unit(a=E, b=OK)), "nothing was found that cuda does"),
        (parity(unit(scored=False)), "nothing was found that cuda does"),
    ],
)
def test_no_score(found: object, reason: str) -> None:
    scores = score(found)  # type: ignore[arg-type]
    assert scores.lowest is None
    assert scores.blocked_by == (reason,)


def test_a_problem_that_does_not_block() -> None:
    assert score(parity(unit(), problems=[Problem("x.rs", 7, "a macro")])).lowest is not None


def test_waived_gaps_leave_the_count() -> None:
    scores = score(parity(unit("x"), unit("y", b=M)), {"trait method:Backend::y", "trait method:Backend::x"})
    (kind,) = scores.kinds
    assert (kind.counted, kind.share, kind.columns["waived"]) == (1, 1, 1), "what is level needs no waiver"
    assert scores.gaps == []
    assert score(parity(unit("y", b=M)), {"trait method:Backend::y"}).blocked_by == (
        "everything that cuda does is waived",
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"),
        (Fraction(1), "100 %"),
        (Fraction(2, 3), "66.6 %"),
        (Fraction(9999, 10000), "99.9 %"),
        (Fraction(0), "0 %"),
    ],
)
def test_percent_rounds_down(share: Fraction | None, text: str) -> None:
    assert percent(share) == text


dtypes = st.dictionaries(st.sampled_from(["f32", "f16", "bf16", "u8"]), st.sampled_from(Status))
sides = st.builds(
    Side,
    st.sampled_from(Status),
    st.just(""),
    dtypes=dtypes,
    kernels=st.just(("k",)),
    missing_kernels=st.sampled_from([(), ("k",), ("x",)]),
)


@given(sides, sides)
def test_never_level_without_an_implementation(a: Side, b: Side) -> None:
    found = judge(unit(a=a, b=b))
    assert 0 <= found.share <= 1
    assert (found.verdict is GateVerdict.LEVEL) == (found.share == 1)
    if found.verdict is GateVerdict.LEVEL:
        assert a.status.does_something
        assert b.status.does_something
        assert not found.lacking
        if b.missing_kernels:
            # They are another data type's.
            assert any(status is not OK for status in b.dtypes.values())
    if not found.counts:
        assert not a.status.does_something
        assert a.status is not U


# --- priorities -----------------------------------------------------------------------------


def first(*gaps: Judged) -> list[str]:
    return [one.gap.unit.name for one in priorities(gaps)]


def test_what_users_reach_comes_first() -> None:
    assert first(judge(unit("rare", b=M, users=1)), judge(unit("often", b=M, users=30))) == ["often", "rare"]


def test_common_data_types_come_first() -> None:
    def lacks(name: str, dtype: str) -> Judged:
        return judge(unit(name, side(OK, dtypes={dtype: OK, "x": OK}), side(P, dtypes={dtype: E, "x": OK}), users=3))

    assert first(lacks("odd", "f64"), lacks("half", "f16"), lacks("float", "f32")) == ["float", "half", "odd"]
    assert commonness("Half") == commonness("f16") == commonness("ids: F16") > commonness("f64")


def test_silence_is_worse_than_an_error_and_the_cpu_is_better() -> None:
    gaps = [judge(unit(name, b=status)) for name, status in (("cpu", S.CPU_ONLY), ("loud", E), ("silent", S.NO_OP))]
    assert first(*gaps) == ["silent", "loud", "cpu"]


def test_reasons_are_said() -> None:
    (one,) = priorities(
        [judge(unit("x", side(OK, dtypes={"f64": OK, "f16": OK, "f32": OK}), side(P, dtypes={"f32": OK}), users=1))]
    )
    assert one.reason == "reached from 1 place; not for f16, f64"
    many = dict.fromkeys(["f8", "u8", "f64", "f16", "f32", "i64"], OK)
    (one,) = priorities([judge(unit("x", side(OK, dtypes=many), E))])
    assert one.reason == "not for f32, f16, i64, u8 and 2 more"
    (one,) = priorities([judge(unit("x", side(OK, dtypes=dict.fromkeys(list(many)[:4], OK)), E))])
    assert one.reason == "not for f16, u8, f64, f8"
    (one,) = priorities([judge(unit("x", b=side(E, missing_kernels=("k_f32",))))])
    assert one.reason == "asks for kernels that do not exist (k_f32)"


def test_a_default_that_works_comes_after_every_real_gap() -> None:
    default = judge(unit("base", OK, side(Status.DEFAULT, "only the base's"), users=9_000))
    on_cpu = judge(unit("slow", OK, Status.CPU_ONLY))
    first, last = priorities([default, on_cpu])
    assert (first.gap.unit.name, last.gap.unit.name) == ("slow", "base")
    assert "by default" in last.reason


def test_only_what_does_nothing_is_silent() -> None:
    (loud,) = priorities([judge(unit("x", OK, side(Status.STUB, "is not written yet: todo!()")))])
    (quiet,) = priorities([judge(unit("x", OK, side(Status.STUB, "does nothing, beside a TODO")))])
    assert loud.reason == "is not written yet"
    assert quiet.reason == "says nothing and does nothing"
    assert quiet.weight > loud.weight
