"""Instructions whose pseudocode is missing, or is no code: beside NumPy, and beside what they must leave alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

from machine import second_source, single
from machine.inputs import inputs
from machine.single import ADDED, Case

LANES = {"gfx942": 64, "gfx1100": 32}


def run(
    arch: str, cases: list[Case], kinds: tuple[str, ...] = ("u32",) * 4
) -> tuple[list[single.After], single.Inputs]:
    given = inputs(LANES[arch], kinds, 23)
    return single.after(arch, cases, [given]), given


def on(given: single.Inputs) -> np.ndarray:
    """Which lanes of which groups are on."""
    masks = given.scalars[:, -4].astype(np.uint64) | given.scalars[:, -3].astype(np.uint64) << np.uint64(32)
    return (masks[:, None] >> np.arange(given.lanes, dtype=np.uint64) & np.uint64(1)).astype(bool)


def names(arch: str, pattern: str) -> list[str]:
    """Of the table, those that the machine has."""
    return [
        text for text in second_source.texts(arch) if re.match(pattern, text) and second_source.is_supported(arch, text)
    ]


# --- scratch --------------------------------------------------------------------------------

_PARTS = {"ubyte": (1, False), "sbyte": (1, True), "ushort": (2, False), "sshort": (2, True), "short": (2, False)}
_PARTS |= {"u8": (1, False), "i8": (1, True), "u16": (2, False), "i16": (2, True), "b16": (2, False), "b8": (1, False)}
_PARTS |= {"byte": (1, False)}


def part_of(name: str) -> tuple[int, bool]:
    return next(_PARTS[word] for word in re.split(r"_", name) if word in _PARTS)


@pytest.mark.parametrize("arch", LANES)
def test_scratch_loads_take_what_was_stored(arch: str) -> None:
    four = "scratch_store_dwordx4" if arch == "gfx942" else "scratch_store_b128"
    texts = names(arch, second_source.SCRATCH + "load")
    assert len(texts) == 14
    cases = []
    for text in texts:
        name, target = text.split()[0], text.split()[1].rstrip(",")
        cases.append(Case(f"{four} off, v[8:11], off offset:16\n{name} {target}, off, off offset:16", 0))
    found, given = run(arch, cases)
    lanes_on = on(given)
    for text, got in zip(texts, found):
        name = text.split()[0]
        want = given.vectors.copy()
        words = {"dword": 1, "dwordx2": 2, "dwordx3": 3, "dwordx4": 4, "b32": 1, "b64": 2, "b96": 3, "b128": 4}
        count = words.get(name.removeprefix("scratch_load_"), 0)
        if count:
            want[:, 12 : 12 + count] = given.vectors[:, 4 : 4 + count]
        else:
            size, signed = part_of(name)
            value = given.vectors[:, 4] & np.uint32((1 << 8 * size) - 1)
            if signed:
                top = np.uint32(1 << (8 * size - 1))
                value = (value ^ top) - top
            if "d16_hi" in name:
                value = given.vectors[:, 12] & np.uint32(0xFFFF) | value << np.uint32(16)
            elif "d16" in name:
                value = given.vectors[:, 12] & np.uint32(0xFFFF0000) | value & np.uint32(0xFFFF)
            want[:, 12] = value
        want = np.where(lanes_on[:, None], want, given.vectors)
        assert np.array_equal(got.vectors, want), text


@pytest.mark.parametrize("arch", LANES)
def test_scratch_stores_change_their_bytes_alone(arch: str) -> None:
    four, back = (
        ("scratch_store_dwordx4", "scratch_load_dwordx4")
        if arch == "gfx942"
        else ("scratch_store_b128", "scratch_load_b128")
    )
    texts = names(arch, second_source.SCRATCH + "store")
    assert len(texts) == 8
    cases = []
    for text in texts:
        name, data = text.split()[0], re.search(r"v\[?8(:\d+\])?", text)
        shown = data[0] if data else ""
        cases.append(
            Case(
                f"{four} off, v[12:15], off offset:32\n{name} off, {shown}, off offset:32\n{back} v[16:19], off, off offset:32",
                0,
            )
        )
    found, given = run(arch, cases)
    for text, got in zip(texts, found):
        name = text.split()[0]
        count = {"dwordx2": 2, "dwordx3": 3, "dwordx4": 4, "b64": 2, "b96": 3, "b128": 4}.get(name[14:], 1)
        want = given.vectors.copy()
        want[:, 12:16] = given.vectors[:, 8:12]
        if name[14:] in ("dword", "b32") or count > 1:
            want[:, 12 : 12 + count] = given.vectors[:, 4 : 4 + count]
        else:
            size = part_of(name)[0]
            value = given.vectors[:, 4] >> np.uint32(16 if "d16_hi" in name else 0)
            mask = np.uint32((1 << 8 * size) - 1)
            want[:, 12] = given.vectors[:, 8] & ~mask | value & mask
        want = np.where(on(given)[:, None], want, given.vectors)
        assert np.array_equal(got.vectors, want), text


@pytest.mark.parametrize("arch", LANES)
def test_scratch_addresses_add_up(arch: str) -> None:
    store, load = ("store_dword", "load_dword") if arch == "gfx942" else ("store_b32", "load_b32")
    text = (
        f"s_mov_b32 s20, 24\nv_mov_b32_e32 v5, 40\nscratch_{store} off, v8, off offset:72\n"
        f"scratch_{load} v16, v5, s20 offset:8\nscratch_{load} v17, v5, off offset:32\nscratch_{load} v18, off, s20 offset:48"
    )
    (got,), given = run(arch, [Case(text, 0)])
    want = np.where(on(given), given.vectors[:, 4], 0)
    for row in (12, 13, 14):
        assert np.array_equal(np.where(on(given), got.vectors[:, row], 0), want)


# --- LDS ------------------------------------------------------------------------------------


@pytest.mark.parametrize("arch", LANES)
def test_append_and_consume_count_the_lanes_that_are_on(arch: str) -> None:
    random = np.random.default_rng(1)
    groups = single.GROUPS[LANES[arch]]
    content = random.integers(0, 256, (groups, single.MEMORY), np.uint8)
    cases = [Case(f"{name} v16 offset:16", 0, content, "lds") for name in ("ds_append", "ds_consume")]
    found, given = run(arch, cases)
    at = (ADDED + 16) // 4
    before = content.view(np.uint32)[:, at]
    for got, sign in zip(found, (1, -1)):
        want = content.copy()
        want.view(np.uint32)[:, at] = before + np.uint32(1) * (sign * on(given).sum(1)).astype(np.uint32)
        assert np.array_equal(got.memory, want)
        returned = np.where(on(given), before[:, None], given.vectors[:, 12])
        assert np.array_equal(got.vectors[:, 12], returned)


SWIZZLES = {
    "swizzle(QUAD_PERM, 1,3,0,2)": lambda lane: lane & ~3 | (1, 3, 0, 2)[lane & 3],
    'swizzle(BITMASK_PERM, "01pi0")': lambda lane: lane & 32 | 8 | lane & 4 | ~lane & 2,
    "swizzle(BROADCAST,8,5)": lambda lane: lane & ~7 | 5,
    "swizzle(SWAP,16)": lambda lane: lane ^ 16,
    "swizzle(REVERSE,32)": lambda lane: lane & 32 | 31 - (lane & 31),
    "0x041f": lambda lane: lane ^ 1,
}


@pytest.mark.parametrize("arch", LANES)
def test_swizzles(arch: str) -> None:
    found, given = run(arch, [Case(f"ds_swizzle_b32 v16, v4 offset:{pattern}", 0) for pattern in SWIZZLES])
    lanes = range(LANES[arch])
    for (pattern, place), got in zip(SWIZZLES.items(), found):
        from_ = np.array([place(lane) for lane in lanes])
        here = on(given)
        moved = np.where(here[:, from_], given.vectors[:, 0][:, from_], 0)
        assert np.array_equal(got.vectors[:, 12], np.where(here, moved, given.vectors[:, 12])), pattern


# --- registers ------------------------------------------------------------------------------


def test_accumulators_are_registers_of_their_own() -> None:
    text = "v_accvgpr_write_b32 a16, v4\nv_accvgpr_mov_b32 a20, a16\nv_accvgpr_write_b32 a16, v8\nv_accvgpr_read_b32 v16, a20"
    (got,), given = run("gfx942", [Case(text, 0)])
    want = given.vectors.copy()
    want[:, 12] = np.where(on(given), given.vectors[:, 0], given.vectors[:, 12])
    assert np.array_equal(got.vectors, want)


def test_registers_by_number_between_on_and_off() -> None:
    """M0 adds to the operands that were chosen, and to those alone."""
    cases = [
        "s_set_gpr_idx_on s24, gpr_idx(SRC0)\nv_mov_b32_e32 v16, v4\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s24, gpr_idx(DST)\nv_mov_b32_e32 v16, v4\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s24, gpr_idx(SRC0,DST)\nv_mov_b32_e32 v16, v4\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s24, gpr_idx(SRC0)\ns_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32_e32 v16, v4\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_set_gpr_idx_idx s24\nv_mov_b32_e32 v16, v4\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s24, gpr_idx(SRC0)\ns_set_gpr_idx_off\nv_mov_b32_e32 v16, v4",
    ]
    moves = [(5, 16), (4, 17), (5, 17), (4, 17), (5, 16), (4, 16)]
    found, given = run("gfx942", [Case("s_mov_b32 s24, 1\n" + text, 0) for text in cases])
    for (from_, to), got, text in zip(moves, found, cases):
        want = given.vectors.copy()
        want[:, to - 4] = np.where(on(given), given.vectors[:, from_ - 4], given.vectors[:, to - 4])
        assert np.array_equal(got.vectors, want), text


@pytest.mark.parametrize("arch", LANES)
def test_what_only_waits_changes_nothing(arch: str) -> None:
    texts = names(arch, second_source.NOTHING[arch])
    assert len(texts) >= 6
    found, given = run(arch, [Case(text, 0) for text in texts])
    for text, got in zip(texts, found):
        assert np.array_equal(got.vectors, given.vectors), text
        for number, name in enumerate(single.SCALARS):
            if name in got.scalars:
                assert np.array_equal(got.scalars[name], given.scalars[:, number]), text


@pytest.mark.parametrize("arch", LANES)
def test_branches_go_where_their_condition_says(arch: str) -> None:
    mask, full = ("vcc", "exec") if LANES[arch] == 64 else ("vcc_lo", "exec_lo")
    size = "b64" if LANES[arch] == 64 else "b32"
    states = {
        "scc1": ("s_cmp_eq_u32 s20, s20", "s_cmp_lg_u32 s20, s20"), "scc0": ("s_cmp_lg_u32 s20, s20", "s_cmp_eq_u32 s20, s20"),
        "vccnz": (f"s_mov_{size} {mask}, 4", f"s_mov_{size} {mask}, 0"), "vccz": (f"s_mov_{size} {mask}, 0", f"s_mov_{size} {mask}, 4"),
        "execnz": (f"s_mov_{size} {full}, 4", f"s_mov_{size} {full}, 0"), "execz": (f"s_mov_{size} {full}, 0", f"s_mov_{size} {full}, 4"),
    }  # fmt: skip
    cases, taken = [], []
    for name, (yes, no) in states.items():
        for state in (yes, no):
            label = f"over_{len(cases)}"
            cases.append(Case(f"{state}\ns_mov_b32 s42, 1\ns_cbranch_{name} {label}\ns_mov_b32 s42, 2\n{label}:", 0))
            taken.append(state == yes)
    cases.append(Case("s_mov_b32 s42, 1\ns_branch over_all\ns_mov_b32 s42, 2\nover_all:", 0))
    found, _ = run(arch, cases)
    for case, went, got in zip(cases, [*taken, True], found):
        assert (got.scalars["s42"] == (1 if went else 2)).all(), case.text


@pytest.mark.parametrize("arch", LANES)
def test_code_is_called_and_comes_back(arch: str) -> None:
    by_distance = (
        "s_call_b64 s[46:47], there_1\ns_branch end_1\nthere_1:\ns_mov_b32 s42, 5\ns_setpc_b64 s[46:47]\nend_1:"
    )
    by_address = (
        "s_getpc_b64 s[44:45]\ns_add_u32 s44, s44, there_2@rel32@lo+4\ns_addc_u32 s45, s45, there_2@rel32@hi+12\n"
        "s_swappc_b64 s[46:47], s[44:45]\ns_branch end_2\nthere_2:\ns_mov_b32 s42, 7\ns_setpc_b64 s[46:47]\nend_2:"
    )
    found, _ = run(arch, [Case(by_distance, 0), Case(by_address, 0)])
    assert [set(got.scalars["s42"]) for got in found] == [{5}, {7}]


# --- functions that cards compute nearly ----------------------------------------------------


@pytest.mark.parametrize("arch", LANES)
def test_sines_of_halves(arch: str) -> None:
    found, given = run(arch, [Case("v_sin_f16_e32 v16, v4", 0), Case("v_cos_f16_e32 v16, v4", 0)], ("f16",) * 4)
    x = (given.vectors[:, 0] & np.uint32(0xFFFF)).astype(np.uint16).view(np.float16).astype(np.float64)
    inside = on(given) & (np.abs(x) <= 256)
    for got, function in zip(found, (np.sin, np.cos)):
        have = (got.vectors[:, 12] & np.uint32(0xFFFF)).astype(np.uint16).view(np.float16).astype(np.float64)
        finite = np.where(np.isfinite(x), x, 0)
        want = function(2 * np.pi * (finite - np.round(finite)))
        assert np.abs(have - want)[inside].max() <= 2**-11
        assert np.isnan(have[on(given) & ~np.isfinite(x)]).all()


def test_legacy_exponentials_are_those_of_today() -> None:
    for name in ("exp", "log"):
        texts = [f"v_{name}_legacy_f32_e32 v16, v4", f"v_{name}_f32_e32 v16, v4"]
        found, _ = run("gfx942", [Case(text, 0) for text in texts], ("f32",) * 4)
        assert np.array_equal(found[0].vectors, found[1].vectors)
