"""Instructions of the scalar unit: one value for the whole wave.

A row: mnemonic, the types of result and sources (``-`` for none), the result, and what SCC becomes (``r`` is the result).
"""

from __future__ import annotations

from typing import NamedTuple


class Scalar(NamedTuple):
    result: str
    sources: str
    expression: str
    scc: str
    """Empty: SCC stays."""


_ROWS = """
s_mov_b32 u u | a
s_mov_b64 U U | a
s_cmov_b32 u u | w->scc ? a : d
s_cmov_b64 U U | w->scc ? a : d
s_movk_i32 i i | (i32)(i16)a
s_cmovk_i32 i i | w->scc ? (i32)(i16)a : d
s_not_b32 u u | ~a | r != 0
s_not_b64 U U | ~a | r != 0
s_brev_b32 u u | __builtin_bitreverse32(a)
s_brev_b64 U U | __builtin_bitreverse64(a)
s_bcnt0_i32_b32 u u | (u32)__builtin_popcount(~a) | r != 0
s_bcnt1_i32_b32 u u | (u32)__builtin_popcount(a) | r != 0
s_bcnt0_i32_b64 u U | (u32)__builtin_popcountl(~a) | r != 0
s_bcnt1_i32_b64 u U | (u32)__builtin_popcountl(a) | r != 0
s_ff0_i32_b32 i u | ~a ? __builtin_ctz(~a) : -1
s_ff1_i32_b32 i u | a ? __builtin_ctz(a) : -1
s_ff0_i32_b64 i U | ~a ? __builtin_ctzl(~a) : -1
s_ff1_i32_b64 i U | a ? __builtin_ctzl(a) : -1
s_flbit_i32_b32 i u | a ? __builtin_clz(a) : -1
s_flbit_i32_b64 i U | a ? __builtin_clzl(a) : -1
s_flbit_i32 i i | a == 0 || a == -1 ? -1 : __builtin_clrsb(a) + 1
s_flbit_i32_i64 i I | a == 0 || a == -1 ? -1 : __builtin_clrsbl(a) + 1
s_sext_i32_i8 i i | (i32)(i8)a
s_sext_i32_i16 i i | (i32)(i16)a
s_bitset0_b32 u u | d & ~(1u << (a & 31))
s_bitset1_b32 u u | d | 1u << (a & 31)
s_bitset0_b64 U u | d & ~(1ul << (a & 63))
s_bitset1_b64 U u | d | 1ul << (a & 63)
s_abs_i32 i i | a < 0 ? (i32)(0u - (u32)a) : a | r != 0
s_wqm_b32 u u | quads32(a) | r != 0
s_wqm_b64 U U | quads64(a) | r != 0
s_quadmask_b32 u u | quad_bits(a) | r != 0
s_quadmask_b64 U U | quad_bits(a) | r != 0
s_bitreplicate_b64_b32 U u | twice_each(a)
s_add_u32 u uu | a + b | r < a
s_sub_u32 u uu | a - b | b > a
s_add_i32 i ii | (i32)((u32)a + (u32)b) | (~(a ^ b) & (a ^ r)) < 0
s_add_u64 U UU | a + b
s_sub_u64 U UU | a - b
s_mul_u64 U UU | a * b
s_sub_i32 i ii | (i32)((u32)a - (u32)b) | ((a ^ b) & (a ^ r)) < 0
s_addc_u32 u uu | a + b + w->scc | (u64)a + b + w->scc > 0xfffffffful
s_subb_u32 u uu | a - b - w->scc | (u64)b + w->scc > a
s_addk_i32 i ii | (i32)((u32)a + (u32)(i32)(i16)b) | (~(a ^ (i32)(i16)b) & (a ^ r)) < 0
s_mulk_i32 i ii | (i32)((u32)a * (u32)(i32)(i16)b)
s_mul_i32 i ii | (i32)((u32)a * (u32)b)
s_mul_hi_u32 u uu | (u32)((u64)a * b >> 32)
s_mul_hi_i32 i ii | (i32)((i64)a * b >> 32)
s_min_i32 i ii | a < b ? a : b | a < b
s_min_u32 u uu | a < b ? a : b | a < b
s_max_i32 i ii | a > b ? a : b | a > b
s_max_u32 u uu | a > b ? a : b | a > b
s_absdiff_i32 i ii | ({ u32 x = (u32)a - (u32)b; (i32)((i32)x < 0 ? 0u - x : x); }) | r != 0
s_cselect_b32 u uu | w->scc ? a : b
s_cselect_b64 U UU | w->scc ? a : b
s_and_b32 u uu | a & b | r != 0
s_and_b64 U UU | a & b | r != 0
s_or_b32 u uu | a | b | r != 0
s_or_b64 U UU | a | b | r != 0
s_xor_b32 u uu | a ^ b | r != 0
s_xor_b64 U UU | a ^ b | r != 0
s_andn2_b32 u uu | a & ~b | r != 0
s_andn2_b64 U UU | a & ~b | r != 0
s_orn2_b32 u uu | a | ~b | r != 0
s_orn2_b64 U UU | a | ~b | r != 0
s_nand_b32 u uu | ~(a & b) | r != 0
s_nand_b64 U UU | ~(a & b) | r != 0
s_nor_b32 u uu | ~(a | b) | r != 0
s_nor_b64 U UU | ~(a | b) | r != 0
s_xnor_b32 u uu | ~(a ^ b) | r != 0
s_xnor_b64 U UU | ~(a ^ b) | r != 0
s_lshl_b32 u uu | a << (b & 31) | r != 0
s_lshl_b64 U Uu | a << (b & 63) | r != 0
s_lshr_b32 u uu | a >> (b & 31) | r != 0
s_lshr_b64 U Uu | a >> (b & 63) | r != 0
s_ashr_i32 i iu | a >> (b & 31) | r != 0
s_ashr_i64 I Iu | a >> (b & 63) | r != 0
s_lshl1_add_u32 u uu | (a << 1) + b | ((u64)a << 1) + b > 0xfffffffful
s_lshl2_add_u32 u uu | (a << 2) + b | ((u64)a << 2) + b > 0xfffffffful
s_lshl3_add_u32 u uu | (a << 3) + b | ((u64)a << 3) + b > 0xfffffffful
s_lshl4_add_u32 u uu | (a << 4) + b | ((u64)a << 4) + b > 0xfffffffful
s_bfm_b32 u uu | ((1u << (a & 31)) - 1) << (b & 31)
s_bfm_b64 U uu | ((1ul << (a & 63)) - 1) << (b & 63)
s_bfe_u32 u uu | (u32)bits_u64(a, b & 31, b >> 16 & 127) | r != 0
s_bfe_i32 i iu | (i32)bits_i64(a, b & 31, b >> 16 & 127) | r != 0
s_bfe_u64 U Uu | bits_u64(a, b & 63, b >> 16 & 127) | r != 0
s_bfe_i64 I Iu | bits_i64(a, b & 63, b >> 16 & 127) | r != 0
s_pack_ll_b32_b16 u uu | (b << 16) | (a & 65535)
s_pack_lh_b32_b16 u uu | (b & 0xffff0000) | (a & 65535)
s_pack_hl_b32_b16 u uu | (b << 16) | a >> 16
s_pack_hh_b32_b16 u uu | (b & 0xffff0000) | a >> 16
"""
# gfx12's: numbers, with the functions that lanes have.
_FLOATING = """
s_add_{t} {l} {l}{l} | ({s})((f32)a + (f32)b)
s_sub_{t} {l} {l}{l} | ({s})((f32)a - (f32)b)
s_mul_{t} {l} {l}{l} | ({s})((f32)a * (f32)b)
s_min_{t} {l} {l}{l} | ({s})least((vf32)(f32)a, (vf32)(f32)b)[0]
s_max_{t} {l} {l}{l} | ({s})greatest((vf32)(f32)a, (vf32)(f32)b)[0]
s_minimum_{t} {l} {l}{l} | ({s})minimum((vf32)(f32)a, (vf32)(f32)b)[0]
s_maximum_{t} {l} {l}{l} | ({s})maximum((vf32)(f32)a, (vf32)(f32)b)[0]
s_ceil_{t} {l} {l} | ({s})__builtin_ceilf((f32)a)
s_floor_{t} {l} {l} | ({s})__builtin_floorf((f32)a)
s_trunc_{t} {l} {l} | ({s})__builtin_truncf((f32)a)
s_rndne_{t} {l} {l} | ({s})__builtin_roundevenf((f32)a)
"""
_CONVERSIONS = """
s_fmac_f32 f ff | __builtin_fmaf(a, b, d)
s_fmaak_f32 f fff | __builtin_fmaf(a, b, c)
s_fmamk_f32 f fff | __builtin_fmaf(a, b, c)
s_fmac_f16 h hh | half_fma((vf16)a, (vf16)b, (vf16)d)[0]
s_cvt_f32_i32 f i | (f32)a
s_cvt_f32_u32 f u | (f32)a
s_cvt_i32_f32 i f | to_i32((vf32)a)[0]
s_cvt_u32_f32 u f | to_u32((vf32)a)[0]
s_cvt_f16_f32 h f | (f16)a
s_cvt_f32_f16 f h | (f32)a
s_cvt_hi_f32_f16 f u | (f32)AS((u16)(a >> 16), f16)
s_cvt_pk_rtz_f16_f32 u ff | packed(half_toward_zero((vf32)a), half_toward_zero((vf32)b))[0]
"""
_FLOATING_TESTS = {
    "lt": "a < b", "eq": "a == b", "le": "a <= b", "gt": "a > b", "lg": "a < b || a > b", "ge": "a >= b",
    "o": "a == a && b == b", "u": "a != a || b != b", "nge": "!(a >= b)", "nlg": "!(a < b || a > b)", "ngt": "!(a > b)",
    "nle": "!(a <= b)", "neq": "a != b", "nlt": "!(a < b)",
}  # fmt: skip
_TESTS = {"eq": "==", "lg": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}
_SAVING = {
    "and": "a & x", "or": "a | x", "xor": "a ^ x", "andn2": "a & ~x", "orn2": "a | ~x", "nand": "~(a & x)",
    "nor": "~(a | x)", "xnor": "~(a ^ x)", "andn1": "~a & x", "orn1": "~a | x",
}  # fmt: skip


def _read() -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    floating = "".join(_FLOATING.format(t=t, l=t_letter, s=t) for t, t_letter in (("f32", "f"), ("f16", "h")))
    for row in f"{_ROWS}{floating}{_CONVERSIONS}".split("\n"):
        if not row:
            continue
        head, *rest = row.split(" | ")
        name, result, sources = head.split()
        # A vertical line is an operator too: what says nothing of SCC is all expression.
        scc = rest.pop() if len(rest) > 1 and _is_condition(rest[-1]) else ""
        found[name] = Scalar(result, sources, " | ".join(rest), scc)
    return found


def _is_condition(text: str) -> bool:
    return any(sign in text for sign in ("!= 0", " > ", " < ", ") < 0"))


SCALAR = _read()
COMPARE = {
    **{f"s_cmp_{name}_{kind}": Scalar("", kind[0] * 2, f"a {sign} b", "") for name, sign in _TESTS.items() for kind in ("i32", "u32")},
    **{f"s_cmp_{name}_u64": Scalar("", "UU", f"a {sign} b", "") for name, sign in list(_TESTS.items())[:2]},
    **{f"s_cmpk_{name}_i32": Scalar("", "ii", f"a {sign} (i32)(i16)b", "") for name, sign in _TESTS.items()},
    **{f"s_cmpk_{name}_u32": Scalar("", "uu", f"a {sign} (b & 65535)", "") for name, sign in _TESTS.items()},
    **{f"s_cmp_{name}_{kind}": Scalar("", letter * 2, test, "")
       for name, test in _FLOATING_TESTS.items() for kind, letter in (("f32", "f"), ("f16", "h"))},
    "s_bitcmp0_b32": Scalar("", "uu", "!(a >> (b & 31) & 1)", ""),
    "s_bitcmp1_b32": Scalar("", "uu", "a >> (b & 31) & 1", ""),
    "s_bitcmp0_b64": Scalar("", "Uu", "!(a >> (b & 63) & 1)", ""),
    "s_bitcmp1_b64": Scalar("", "Uu", "a >> (b & 63) & 1", ""),
}  # fmt: skip
"""What sets SCC alone."""
SAVE_MASK = {f"s_{name}_saveexec_b{size}": text for name, text in _SAVING.items() for size in (32, 64)}
"""EXEC becomes this, of the operand ``a`` and what it was, ``x``; the destination gets what it was."""
CHANGE_MASK = {f"s_{name}_wrexec_b{size}": _SAVING[name] for name in ("andn1", "andn2") for size in (32, 64)}
"""EXEC and the destination become this."""
NOTHING = frozenset(
    "s_nop s_waitcnt s_waitcnt_vscnt s_waitcnt_vmcnt s_waitcnt_expcnt s_waitcnt_lgkmcnt s_waitcnt_depctr s_delay_alu "
    "s_clause s_setprio s_inst_prefetch s_set_inst_prefetch_distance s_icache_inv s_dcache_inv s_dcache_wb buffer_wbl2 "
    "buffer_inv buffer_wbinvl1 buffer_wbinvl1_vol buffer_gl0_inv buffer_gl1_inv s_gl1_inv s_ttracedata s_ttracedata_imm s_wait_event s_incperflevel s_decperflevel "
    "s_sethalt s_version s_code_end v_nop s_set_gpr_idx_off".split()
)
BRANCHES = {
    "s_branch": "1",
    "s_cbranch_scc0": "!w->scc",
    "s_cbranch_scc1": "w->scc",
    "s_cbranch_vccz": "!get_mask(w, VCC)",
    "s_cbranch_vccnz": "get_mask(w, VCC)",
    "s_cbranch_execz": "!exec(w)",
    "s_cbranch_execnz": "exec(w)",
}
