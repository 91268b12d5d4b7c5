"""What the machine sees: each mistake is caught, and its twin without the mistake raises nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rewarp import machine
from rewarp.findings import Severity
from rewarp.machine.launch import Memory
from rewarp.machine.watch import Kind, Watch

SOURCE = Path(__file__).parents[1] / "machine" / "watched.hip"
ORDERS = (0, 1, 5)
GROUPS, ITEMS = 4, 1024


@pytest.fixture(scope="module", params=["gfx942", "gfx1100"])
def program(request: pytest.FixtureRequest) -> machine.LoadedProgram:
    loaded = machine.compile_source(SOURCE, request.param, ("-O2",))
    assert loaded.unsupported == {}
    return loaded


def numbers(count: int = ITEMS) -> np.ndarray:
    return np.arange(count, dtype=np.int32) % 200


def zeros(count: int = ITEMS, kind: Any = np.int32) -> np.ndarray:
    return np.zeros(count, kind)


class Twins(NamedTuple):
    """A kernel, how it is launched, and what its wrong twin must raise."""

    name: str
    groups: int
    size: int
    arguments: Callable[[], tuple[Any, ...]]
    expected: set[Kind]
    only: str = ""
    """The one architecture on which the mistake is one; elsewhere the twin raises nothing."""


PAIRS = [
    Twins("tree", GROUPS, 256, lambda: (numbers(), zeros()), {Kind.LDS_RACE}),
    Twins("histogram", 1, 256, lambda: (numbers().astype(np.uint8), zeros(256)), {Kind.LDS_RACE}),
    Twins("unset", 1, 256, lambda: (numbers(), zeros()), {Kind.UNKNOWN_STORE}),
    Twins("unset_branch", 1, 256, lambda: (zeros(), 1), {Kind.UNKNOWN_BRANCH}),
    Twins("unset_address", 1, 256, lambda: (numbers(), zeros()), {Kind.UNKNOWN_ADDRESS}),
    Twins("lockstep", GROUPS, 128, lambda: (numbers(), zeros()), {Kind.LDS_RACE}, only="gfx1100"),
    Twins("narrow", 1, 256, lambda: (zeros(256, np.uint8),), {Kind.LDS_RACE, Kind.UNKNOWN_STORE}),
    Twins("shared_lock", 1, 256, lambda: (zeros(256),), {Kind.LDS_RACE}),
    Twins("diverged", 1, 256, lambda: (zeros(256),), {Kind.DIVERGED_BARRIER}),
    Twins("other_barrier", 1, 256, lambda: (zeros(256),), {Kind.OTHER_BARRIER}),
    Twins("left_early", 1, 256, lambda: (zeros(256), 100), {Kind.ENDED_BARRIER}),
    Twins("within_group", GROUPS, 256, lambda: (zeros(),), {Kind.GROUP_RACE}),
    Twins("between_groups", GROUPS, 256, lambda: (zeros(), zeros()), {Kind.GRID_RACE}),
    Twins("counted", GROUPS, 256, lambda: (zeros(1), zeros()), {Kind.GRID_RACE, Kind.GROUP_RACE}),
    Twins("last_group", GROUPS, 256, lambda: (numbers(), zeros(GROUPS), zeros(1), zeros(1)), {Kind.GRID_RACE}),
    Twins("look_back", GROUPS, 256, lambda: (numbers(), zeros(GROUPS), zeros(GROUPS), zeros()), {Kind.GRID_RACE}),
    Twins("taken_over", GROUPS, 256, lambda: (numbers(), zeros(GROUPS), zeros()), {Kind.GRID_RACE}),
    Twins("handed_on", GROUPS, 256, lambda: (zeros(), zeros(GROUPS), zeros()), {Kind.GRID_RACE}, only="gfx942"),
    # Where stores go through to the cache that all share, a barrier that waits for them is as good as a fence.
    Twins("handed_over", 2, 256, lambda: (zeros(1), zeros(256), zeros(256)), {Kind.GRID_RACE}, only="gfx942"),
    Twins("grid_barrier", GROUPS, 256, lambda: (zeros(1), zeros(), zeros()), {Kind.GRID_RACE}, only="gfx942"),
    Twins("whole_grid", GROUPS, 256, lambda: (zeros(), zeros()), {Kind.GRID_RACE}),
    Twins("global_lock", GROUPS, 64, lambda: (zeros(1), zeros(1)), {Kind.GRID_RACE}),
]


def seen(program: machine.LoadedProgram, name: str, twins: Twins, order: int) -> Watch:
    watch = Watch()
    shape = (twins.groups,), (twins.size,)
    program.launch(name, *shape, twins.arguments(), watch=watch, order=order, limit=1000, cooperative=True)
    return watch


@pytest.mark.parametrize("twins", PAIRS, ids=lambda twins: twins.name)
def test_a_mistake_is_seen_and_its_twin_raises_nothing(program: machine.LoadedProgram, twins: Twins) -> None:
    caught = not twins.only or program.program.arch == twins.only
    for order in ORDERS:
        assert seen(program, twins.name, twins, order).alarms == []
        assert seen(program, f"{twins.name}_wrong", twins, order).kinds == (twins.expected if caught else set())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("same_value", lambda: (zeros(1), numbers())),
        ("guessed", lambda: (zeros(1, np.float64), numbers())),
        ("padded", lambda: (zeros(3 * ITEMS), zeros(3 * ITEMS))),
        ("chosen", lambda: (numbers(), zeros(), 100)),
        ("through", lambda: (numbers(1024), 256, 2)),
        ("first_come", lambda: (zeros(1), zeros())),
        ("halves", lambda: (zeros(),)),
    ],
)
def test_what_is_no_mistake_raises_nothing(
    program: machine.LoadedProgram, name: str, arguments: Callable[[], tuple[Any, ...]]
) -> None:
    for order in ORDERS:
        watch = Watch()
        program.launch(name, (GROUPS,), (256,), arguments(), watch=watch, order=order)
        assert watch.alarms == []


def test_the_same_value_as_what_was_never_written_is_a_race_all_the_same(program: machine.LoadedProgram) -> None:
    twins = Twins("too_early", 1, 256, lambda: (zeros(), zeros()), set())
    for order in ORDERS:
        assert seen(program, "too_early", twins, order).alarms == []
        assert Kind.LDS_RACE in seen(program, "too_early_wrong", twins, order).kinds


def test_results_are_those_of_a_launch_that_nobody_watches(program: machine.LoadedProgram) -> None:
    a, expected = numbers(), np.cumsum(numbers())
    for order in (0, 1, 2, 3, 4):
        out = zeros()
        program.launch(
            "look_back", (GROUPS,), (256,), (a, zeros(GROUPS), zeros(GROUPS), out), watch=Watch(), order=order
        )
        assert np.array_equal(out, expected)


def test_a_race_names_both_sides(program: machine.LoadedProgram) -> None:
    watch = Watch()
    program.launch("within_group_wrong", (1,), (256,), (zeros(),), watch=watch)
    alarm = next(one for one in watch.alarms if one.other and "wrote" in one.other.does)
    lines = SOURCE.read_text().splitlines()
    assert alarm.side.place
    assert alarm.other
    assert alarm.other.place
    assert "int beside = a[ITEM ^ 128]" in lines[alarm.side.place.line - 1]
    assert "a[ITEM] = threadIdx.x" in lines[alarm.other.place.line - 1]
    assert alarm.side.wave != alarm.other.wave
    assert (alarm.memory, alarm.size, alarm.kernel) == ("argument 1", 4, "within_group_wrong")
    assert alarm.offset // 4 % 64 == alarm.lane % 64
    finding = alarm.finding()
    assert (finding.rule, finding.severity, Path(finding.path).name) == ("RUN-202", Severity.WRONG, SOURCE.name)
    assert finding.snippet == lines[alarm.side.place.line - 1].strip()
    assert "wrote at" in finding.message


def test_an_access_outside_names_the_memory_and_how_far(program: machine.LoadedProgram) -> None:
    with pytest.raises(
        machine.LaunchError, match=r"writes 4 bytes.*0 bytes behind the end of argument 1 \(4000 bytes\)"
    ):
        program.launch("outside_wrong", (GROUPS,), (256,), (zeros(1000), 1000), watch=Watch())
    a = zeros(1000)
    program.launch("outside", (GROUPS,), (256,), (a, 1000), watch=Watch())
    assert np.array_equal(a, np.arange(1000))


def test_waves_that_wait_for_ever(program: machine.LoadedProgram) -> None:
    watch = Watch()
    program.launch("forgotten_flag", (GROUPS,), (32,), (zeros(1), zeros()), watch=watch)
    assert watch.alarms == []
    with pytest.raises(machine.LaunchError, match="wait for ever"):
        program.launch("forgotten_flag_wrong", (GROUPS,), (32,), (zeros(1), zeros()), watch=watch)
    assert watch.kinds == {Kind.DEADLOCK}


def test_memory_that_nobody_wrote(program: machine.LoadedProgram) -> None:
    room, out, memory = np.zeros(ITEMS, np.int32), zeros(), Memory()
    address = room.ctypes.data
    memory.add_fresh(address, room.nbytes, "room")
    watch = Watch()
    pointer = ctypes.c_uint64(address).value
    program.launch("fresh", (GROUPS,), (256,), (pointer, out), memory=memory, watch=watch)
    assert watch.kinds == {Kind.UNKNOWN_STORE}
    # What a kernel writes is known to the next one.
    again = Watch()
    program.launch("outside", (GROUPS,), (256,), (pointer, ITEMS), memory=memory, watch=again)
    program.launch("fresh", (GROUPS,), (256,), (pointer, out), memory=memory, watch=again)
    assert again.alarms == []
    assert np.array_equal(out, np.arange(ITEMS) + 1)


def test_an_order_is_always_the_same_and_orders_differ(program: machine.LoadedProgram) -> None:
    def result(order: int) -> bytes:
        out = zeros()
        # The usual order is one only on one core.
        program.launch("first_come", (GROUPS,), (256,), (zeros(1), out), order=order, cores=1)
        return out.tobytes()

    orders = range(6)
    assert [result(order) for order in orders] == [result(order) for order in orders]
    assert len({result(order) for order in orders}) == len(orders)
