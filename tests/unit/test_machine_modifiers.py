"""SDWA, DPP, and what stands before and behind operands, each combination beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from machine import modifiers, single
from machine.inputs import inputs
from machine.single import Case

LANES = {"gfx942": 64, "gfx1100": 32}


def run(
    arch: str, texts: list[str], kinds: tuple[str, ...] = ("u32",) * 4, full: bool = False
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """What v16 holds after each, in all groups; the registers before (groups, v4 to v19, lanes); which lanes are on."""
    lanes = LANES[arch]
    given = inputs(lanes, kinds, 11, full=full)
    found = single.after(arch, [Case(text, 0) for text in texts], [given])
    masks = given.scalars[:, -4].astype(np.uint64) | given.scalars[:, -3].astype(np.uint64) << np.uint64(32)
    on = (masks[:, None] >> np.arange(lanes, dtype=np.uint64) & np.uint64(1)).astype(bool)
    return [one.vectors[:, 12] for one in found], given.vectors, on


def test_sdwa_selects_and_places() -> None:
    names, unused = ("BYTE_0", "BYTE_3", "WORD_0", "WORD_1", "DWORD"), ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
    cases = [
        (to, rest, a, b, sign)
        for (to, rest), (a, b), sign in zip(
            itertools.cycle(itertools.product((*names, "BYTE_1", "BYTE_2"), unused)),
            itertools.cycle(itertools.product((*names, "BYTE_1", "BYTE_2"), names)),
            [False, True] * 40,
        )
    ]
    texts = [
        f"v_add_u32_sdwa v16, {'sext(v4)' if sign else 'v4'}, v8 dst_sel:{to} dst_unused:{rest} src0_sel:{a} src1_sel:{b}"
        for to, rest, a, b, sign in cases
    ]
    found, before, on = run("gfx942", texts)
    for (to, rest, a, b, sign), text, got in zip(cases, texts, found):
        total = modifiers.selected(before[:, 0], a, sign) + modifiers.selected(before[:, 4], b)
        want = np.where(on, modifiers.placed(total, before[:, 12], to, rest), before[:, 12])
        assert np.array_equal(got, want), text


@pytest.mark.parametrize("arch", LANES)
def test_dpp_moves_lanes(arch: str) -> None:
    controls = modifiers.GFX9_CONTROLS if arch == "gfx942" else modifiers.GFX11_CONTROLS
    masks = [(15, 15, False, False), (15, 15, True, False), (5, 15, False, False), (15, 6, True, False)]
    masks += [(15, 15, False, True)] if arch == "gfx1100" else []
    cases = list(itertools.product(controls, masks))
    texts = [
        f"v_mov_b32_dpp v16, v4 {control} row_mask:{rows:#x} bank_mask:{banks:#x}{' bound_ctrl:1' if bound else ''}"
        f"{' fi:1' if inactive else ''}"
        for control, (rows, banks, bound, inactive) in cases
    ]
    found, before, on = run(arch, texts)
    for (control, chosen), text, got in zip(cases, texts, found):
        for group in range(len(on)):
            want = modifiers.moved(before[group, 0], before[group, 12], on[group], controls[control], *chosen)
            assert np.array_equal(got[group], want), text


def test_dpp8_moves_lanes_among_eight() -> None:
    found, before, on = run("gfx1100", ["v_mov_b32_dpp v16, v4 dpp8:[7,6,5,4,3,2,1,0]"], full=True)
    lanes = np.arange(32)
    assert on.all()
    assert np.array_equal(found[0], before[:, 0][:, lanes ^ 7])


@pytest.mark.parametrize("arch", LANES)
def test_signs_and_clamp_of_floats(arch: str) -> None:
    texts = [
        f"v_mul_f32_e64 v16, {a}, {b}{clamp}"
        for a, b, clamp in itertools.product(("v4", "-v4", "|v4|", "-|v4|"), ("v8", "-|v8|"), ("", " clamp"))
    ]
    found, before, on = run(arch, texts, ("f32",) * 4)
    x, y = before[:, 0].view(np.float32), before[:, 4].view(np.float32)
    signs = {"v": lambda z: z, "-v": lambda z: -z, "|v": np.abs, "-|v": lambda z: -np.abs(z)}
    for text, got in zip(texts, found):
        first, second = (part.strip().partition("4")[0].partition("8")[0] for part in text.split(",")[1:3])
        with np.errstate(all="ignore"):
            want = signs[first](x) * signs[second](y)
        if "clamp" in text:
            want = np.where(want > 0, np.minimum(want, np.float32(1)), np.float32(0))
        assert np.array_equal(got.view(np.float32)[on], want[on], equal_nan=True), text
        assert np.array_equal(got[~on], before[:, 12][~on])


@pytest.mark.parametrize("arch", LANES)
def test_integers_that_saturate(arch: str) -> None:
    new = "nc_" if arch == "gfx1100" else ""
    names = {
        f"v_add_{new}u32": (0, 2**32 - 1, 1),
        f"v_sub_{new}u32": (0, 2**32 - 1, -1),
        f"v_add_{new}i32": (-(2**31), 2**31 - 1, 1),
    }
    names[f"v_sub_{new}i32"] = (-(2**31), 2**31 - 1, -1)
    texts = [f"{name}{'_e64' if 'u32' in name else ''} v16, v4, v8 clamp" for name in names]
    found, before, on = run(arch, texts)
    for name, got in zip(names, found):
        low, high, sign = names[name]
        kind = np.uint32 if low == 0 else np.int32
        x, y = before[:, 0].view(kind).astype(np.int64), before[:, 4].view(kind).astype(np.int64)
        want = np.clip(x + sign * y, low, high).astype(kind).view(np.uint32)
        assert np.array_equal(got[on], want[on]), name


@pytest.mark.parametrize("arch", LANES)
def test_packed_halves_choose_their_sources(arch: str) -> None:
    choices = list(itertools.product((0, 1), repeat=4))
    texts = [f"v_pk_add_u16 v16, v4, v8 op_sel:[{a},{b}] op_sel_hi:[{c},{d}]" for a, b, c, d in choices]
    signs = [(1, 0, 0, 0), (0, 1, 1, 0), (1, 1, 1, 1)]
    texts += [f"v_pk_mul_f16 v16, v4, v8 neg_lo:[{a},{b}] neg_hi:[{c},{d}]" for a, b, c, d in signs]
    found, before, on = run(arch, texts, ("f16",) * 4)

    def half(words: np.ndarray, high: int) -> np.ndarray:
        return (words >> np.uint32(16 * high) & np.uint32(0xFFFF)).astype(np.uint16)

    x, y = before[:, 0], before[:, 4]
    for (a, b, c, d), text, got in zip(choices, texts, found):
        low, high = half(x, a) + half(y, b), half(x, c) + half(y, d)
        want = low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)
        assert np.array_equal(got[on], want[on]), text
    for (a, b, c, d), text, got in zip(signs, texts[len(choices) :], found[len(choices) :]):
        for place, negative in ((0, a ^ b), (1, c ^ d)):
            with np.errstate(all="ignore"):
                product = half(x, place).view(np.float16) * half(y, place).view(np.float16)
            want = -product if negative else product
            assert np.array_equal(half(got, place).view(np.float16)[on], want[on], equal_nan=True), text
