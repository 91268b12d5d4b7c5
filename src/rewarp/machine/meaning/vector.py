"""Instructions that compute lane by lane.

A row: mnemonic, the type of the result, those of the sources, the result as an expression over ``a``, ``b``, ``c`` (and ``d``,
what the destination held). Types: ``u i f`` 32 bits, ``U I F`` 64 bits, ``w x h`` 16 bits, unsigned, signed, floating.
"""

from __future__ import annotations

from typing import NamedTuple


class Vector(NamedTuple):
    result: str
    sources: str
    expression: str
    keeps_half: bool = False
    """16 bits that leave the other half of the register as it was."""


_ROWS = """
v_mov_b32 u u | a
v_accvgpr_read_b32 u u | a
v_accvgpr_write_b32 u u | a
v_accvgpr_mov_b32 u u | a
v_mov_b64 U U | a
v_not_b32 u u | ~a
v_bfrev_b32 u u | __builtin_elementwise_bitreverse(a)
v_ffbh_u32 i u | CONVERT(a == 0, vi32) ? (vi32)(-1) : AS(leading(a), vi32)
v_ffbl_b32 i u | CONVERT(a == 0, vi32) ? (vi32)(-1) : AS(trailing(a), vi32)
v_ffbh_i32 i i | same_bits(a)
v_bcnt_u32_b32 u uu | __builtin_elementwise_popcount(a) + b
v_and_b32 u uu | a & b
v_or_b32 u uu | a | b
v_xor_b32 u uu | a ^ b
v_xnor_b32 u uu | ~(a ^ b)
v_add_u32 u uu | a + b
v_sub_u32 u uu | a - b
v_subrev_u32 u uu | b - a
v_add_i32 i ii | a + b
v_sub_i32 i ii | a - b
v_add3_u32 u uuu | a + b + c
v_lshl_add_u32 u uuu | (a << (b & 31)) + c
v_add_lshl_u32 u uuu | (a + b) << (c & 31)
v_lshl_or_b32 u uuu | (a << (b & 31)) | c
v_and_or_b32 u uuu | (a & b) | c
v_or3_b32 u uuu | a | b | c
v_xad_u32 u uuu | (a ^ b) + c
v_lshl_add_u64 U UuU | (a << (CONVERT(b, vu64) & 7)) + c
v_lshlrev_b32 u uu | b << (a & 31)
v_lshrrev_b32 u uu | b >> (a & 31)
v_ashrrev_i32 i ui | b >> AS(a & 31, vi32)
v_lshlrev_b64 U uU | b << (CONVERT(a, vu64) & 63)
v_lshrrev_b64 U uU | b >> (CONVERT(a, vu64) & 63)
v_ashrrev_i64 I uI | b >> AS(CONVERT(a, vu64) & 63, vi64)
v_mul_lo_u32 u uu | a * b
v_mul_hi_u32 u uu | CONVERT(CONVERT(a, vu64) * CONVERT(b, vu64) >> 32, vu32)
v_mul_hi_i32 i ii | CONVERT(CONVERT(a, vi64) * CONVERT(b, vi64) >> 32, vi32)
v_mul_u32_u24 u uu | (a & 0xffffff) * (b & 0xffffff)
v_mul_i32_i24 i ii | CONVERT(CONVERT(a << 8 >> 8, vi64) * CONVERT(b << 8 >> 8, vi64), vi32)
v_mul_hi_u32_u24 u uu | CONVERT(CONVERT(a & 0xffffff, vu64) * CONVERT(b & 0xffffff, vu64) >> 32, vu32)
v_mul_hi_i32_i24 i ii | CONVERT(CONVERT(a << 8 >> 8, vi64) * CONVERT(b << 8 >> 8, vi64) >> 32, vi32)
v_mad_u32_u24 u uuu | (a & 0xffffff) * (b & 0xffffff) + c
v_mad_i32_i24 u iiu | AS(CONVERT(CONVERT(a << 8 >> 8, vi64) * CONVERT(b << 8 >> 8, vi64), vi32), vu32) + c
v_min_u32 u uu | __builtin_elementwise_min(a, b)
v_max_u32 u uu | __builtin_elementwise_max(a, b)
v_min_i32 i ii | __builtin_elementwise_min(a, b)
v_max_i32 i ii | __builtin_elementwise_max(a, b)
v_min3_u32 u uuu | __builtin_elementwise_min(__builtin_elementwise_min(a, b), c)
v_max3_u32 u uuu | __builtin_elementwise_max(__builtin_elementwise_max(a, b), c)
v_min3_i32 i iii | __builtin_elementwise_min(__builtin_elementwise_min(a, b), c)
v_max3_i32 i iii | __builtin_elementwise_max(__builtin_elementwise_max(a, b), c)
v_med3_i32 i iii | MEDIAN(a, b, c, __builtin_elementwise_min, __builtin_elementwise_max)
v_med3_u32 u uuu | MEDIAN(a, b, c, __builtin_elementwise_min, __builtin_elementwise_max)
v_bfe_u32 u uuu | field(a, b, c)
v_bfe_i32 i iuu | signed_field(a, b, c)
v_xor3_b32 u uuu | a ^ b ^ c
v_maxmin_f32 f fff | least(greatest(a, b), c)
v_minmax_f32 f fff | greatest(least(a, b), c)
v_maxmin_i32 i iii | __builtin_elementwise_min(__builtin_elementwise_max(a, b), c)
v_minmax_i32 i iii | __builtin_elementwise_max(__builtin_elementwise_min(a, b), c)
v_maxmin_u32 u uuu | __builtin_elementwise_min(__builtin_elementwise_max(a, b), c)
v_minmax_u32 u uuu | __builtin_elementwise_max(__builtin_elementwise_min(a, b), c)
v_mov_b16 w w | a
v_not_b16 w w | ~a
v_and_b16 w ww | a & b
v_or_b16 w ww | a | b
v_xor_b16 w ww | a ^ b
v_cvt_i32_i16 i x | CONVERT(a, vi32)
v_cvt_u32_u16 u w | CONVERT(a, vu32)
v_bfi_b32 u uuu | (a & b) | (~a & c)
v_bfm_b32 u uu | (((vu32)1 << (a & 31)) - 1) << (b & 31)
v_alignbit_b32 u uuu | CONVERT((CONVERT(a, vu64) << 32 | CONVERT(b, vu64)) >> CONVERT(c & 31, vu64), vu32)
v_alignbyte_b32 u uuu | CONVERT((CONVERT(a, vu64) << 32 | CONVERT(b, vu64)) >> CONVERT((c & 3) * 8, vu64), vu32)
v_perm_b32 u uuu | permuted(a, b, c)
v_sad_u8 u uuu | c + absolute_bytes(a, b)
v_sad_u32 u uuu | c + (CONVERT(a > b, vi32) ? a - b : b - a)
v_mbcnt_lo_u32_b32 u uu | b + counted_below(a, 0)
v_mbcnt_hi_u32_b32 u uu | b + counted_below(a, 32)
v_cvt_f32_u32 f u | CONVERT(a, vf32)
v_cvt_f32_i32 f i | CONVERT(a, vf32)
v_cvt_u32_f32 u f | to_u32(a)
v_cvt_i32_f32 i f | to_i32(a)
v_cvt_rpi_i32_f32 i f | to_i32(__builtin_elementwise_floor(a + 0.5f))
v_cvt_flr_i32_f32 i f | to_i32(__builtin_elementwise_floor(a))
v_cvt_f64_f32 F f | CONVERT(a, vf64)
v_cvt_f32_f64 f F | CONVERT(a, vf32)
v_cvt_f64_i32 F i | CONVERT(a, vf64)
v_cvt_f64_u32 F u | CONVERT(a, vf64)
v_cvt_i32_f64 i F | double_to_i32(a)
v_cvt_u32_f64 u F | double_to_u32(a)
v_cvt_f16_f32 h f | CONVERT(a, vf16)
v_cvt_f32_f16 f h | CONVERT(a, vf32)
v_cvt_f16_u16 h w | CONVERT(a, vf16)
v_cvt_f16_i16 h x | CONVERT(a, vf16)
v_cvt_u16_f16 w h | CONVERT(__builtin_elementwise_min(to_u32(CONVERT(a, vf32)), (vu32)65535), vu16)
v_cvt_i16_f16 x h | CONVERT(clamped(to_i32(CONVERT(a, vf32)), -32768, 32767), vi16)
v_cvt_f32_ubyte0 f u | CONVERT(a & 255, vf32)
v_cvt_f32_ubyte1 f u | CONVERT(a >> 8 & 255, vf32)
v_cvt_f32_ubyte2 f u | CONVERT(a >> 16 & 255, vf32)
v_cvt_f32_ubyte3 f u | CONVERT(a >> 24, vf32)
v_cvt_off_f32_i4 f u | CONVERT(AS(a << 28, vi32) >> 28, vf32) * 0.0625f
v_cvt_pkrtz_f16_f32 u ff | packed(half_toward_zero(a), half_toward_zero(b))
v_cvt_pk_u16_u32 u uu | packed(CONVERT(__builtin_elementwise_min(a, (vu32)65535), vu16), CONVERT(__builtin_elementwise_min(b, (vu32)65535), vu16))
v_cvt_pk_i16_i32 u ii | packed(AS(CONVERT(clamped(a, -32768, 32767), vi16), vu16), AS(CONVERT(clamped(b, -32768, 32767), vi16), vu16))
v_cvt_pknorm_i16_f32 u ff | packed(CONVERT(to_norm(a, -1.0f, 32767.0f), vu16), CONVERT(to_norm(b, -1.0f, 32767.0f), vu16))
v_cvt_pknorm_u16_f32 u ff | packed(CONVERT(to_norm(a, 0.0f, 65535.0f), vu16), CONVERT(to_norm(b, 0.0f, 65535.0f), vu16))
v_pack_b32_f16 u hh | packed(AS(a, vu16), AS(b, vu16))
v_add_f32 f ff | a + b
v_sub_f32 f ff | a - b
v_subrev_f32 f ff | b - a
v_mul_f32 f ff | a * b
v_mul_legacy_f32 f ff | CONVERT((a == 0) | (b == 0), vi32) ? (vf32)0.0f : a * b
v_fma_f32 f fff | __builtin_elementwise_fma(a, b, c)
v_fmac_f32 f ff | __builtin_elementwise_fma(a, b, d)
v_mad_f32 f fff | a * b + c
v_mac_f32 f ff | a * b + d
v_fmaak_f32 f fff | __builtin_elementwise_fma(a, b, c)
v_fmamk_f32 f fff | __builtin_elementwise_fma(a, b, c)
v_min_f32 f ff | least(a, b)
v_max_f32 f ff | greatest(a, b)
v_min3_f32 f fff | least(least(a, b), c)
v_max3_f32 f fff | greatest(greatest(a, b), c)
v_med3_f32 f fff | median(a, b, c)
v_minimum3_f32 f fff | minimum(minimum(a, b), c)
v_maximum3_f32 f fff | maximum(maximum(a, b), c)
v_minimum_f32 f ff | minimum(a, b)
v_maximum_f32 f ff | maximum(a, b)
v_minimum_f64 F FF | minimum64(a, b)
v_maximum_f64 F FF | maximum64(a, b)
v_minimummaximum_f32 f fff | maximum(minimum(a, b), c)
v_maximumminimum_f32 f fff | minimum(maximum(a, b), c)
v_minimum_f16 =h hh | CONVERT(minimum(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_maximum_f16 =h hh | CONVERT(maximum(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_minimum3_f16 =h hhh | CONVERT(minimum(minimum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_maximum3_f16 =h hhh | CONVERT(maximum(maximum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_minimummaximum_f16 =h hhh | CONVERT(maximum(minimum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_maximumminimum_f16 =h hhh | CONVERT(minimum(maximum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_cubeid_f32 f fff | cube_face(a, b, c)
v_cubesc_f32 f fff | cube_across(a, b, c)
v_cubetc_f32 f fff | cube_down(a, b, c)
v_cubema_f32 f fff | cube_axis(a, b, c)
v_prng_b32 u u | (a << 1) ^ (AS(AS(a, vi32) >> 31, vu32) & 197)
v_ashr_pk_i8_i32 =w iiu | CONVERT((AS(clamped(a >> AS(c & 31, vi32), -128, 127), vu32) & 255) | (AS(clamped(b >> AS(c & 31, vi32), -128, 127), vu32) & 255) << 8, vu16)
v_ashr_pk_u8_i32 =w iiu | CONVERT(AS(clamped(a >> AS(c & 31, vi32), 0, 255) | clamped(b >> AS(c & 31, vi32), 0, 255) << 8, vu32), vu16)
v_dot2c_f32_bf16 f uu | dot2_bf16(a, b, d)
v_rcp_f32 f f | 1.0f / a
v_rcp_iflag_f32 f f | 1.0f / a
v_rsq_f32 f f | CONVERT(1.0 / __builtin_elementwise_sqrt(CONVERT(a, vf64)), vf32)
v_sqrt_f32 f f | __builtin_elementwise_sqrt(a)
v_exp_f32 f f | CONVERT(power_of_two(CONVERT(a, vf64)), vf32)
v_exp_legacy_f32 f f | CONVERT(power_of_two(CONVERT(a, vf64)), vf32)
v_log_f32 f f | CONVERT(binary_logarithm(CONVERT(a, vf64)), vf32)
v_log_legacy_f32 f f | CONVERT(binary_logarithm(CONVERT(a, vf64)), vf32)
v_sin_f32 f f | CONVERT(sine_of_turns(CONVERT(a, vf64)), vf32)
v_cos_f32 f f | CONVERT(sine_of_turns(CONVERT(a, vf64) + 0.25), vf32)
v_fract_f32 f f | fraction(a)
v_trunc_f32 f f | __builtin_elementwise_trunc(a)
v_ceil_f32 f f | __builtin_elementwise_ceil(a)
v_floor_f32 f f | __builtin_elementwise_floor(a)
v_rndne_f32 f f | __builtin_elementwise_roundeven(a)
v_ldexp_f32 f fi | scaled(a, b)
v_frexp_mant_f32 f f | mantissa(a)
v_frexp_exp_i32_f32 i f | exponent(a)
v_div_fixup_f32 f fff | fixed_quotient(a, b, c)
v_add_f64 F FF | a + b
v_mul_f64 F FF | a * b
v_fma_f64 F FFF | __builtin_elementwise_fma(a, b, c)
v_fmac_f64 F FF | __builtin_elementwise_fma(a, b, d)
v_min_f64 F FF | least64(a, b)
v_max_f64 F FF | greatest64(a, b)
v_rcp_f64 F F | 1.0 / a
v_rsq_f64 F F | 1.0 / __builtin_elementwise_sqrt(a)
v_sqrt_f64 F F | __builtin_elementwise_sqrt(a)
v_fract_f64 F F | fraction64(a)
v_trunc_f64 F F | __builtin_elementwise_trunc(a)
v_ceil_f64 F F | __builtin_elementwise_ceil(a)
v_floor_f64 F F | __builtin_elementwise_floor(a)
v_rndne_f64 F F | __builtin_elementwise_roundeven(a)
v_ldexp_f64 F Fi | scaled64(a, b)
v_frexp_mant_f64 F F | mantissa64(a)
v_frexp_exp_i32_f64 i F | exponent64(a)
v_div_fixup_f64 F FFF | fixed_quotient64(a, b, c)
v_trig_preop_f64 F Fu | two_over_pi(a, b)
v_add_f16 h hh | a + b
v_sub_f16 h hh | a - b
v_subrev_f16 h hh | b - a
v_mul_f16 h hh | a * b
v_fma_f16 =h hhh | half_fma(a, b, c)
v_fmac_f16 h hh | half_fma(a, b, d)
v_mad_f16 =h hhh | half_mad(a, b, c)
v_mac_f16 h hh | half_mad(a, b, d)
v_min_f16 h hh | CONVERT(least(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_max_f16 h hh | CONVERT(greatest(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_min3_f16 =h hhh | CONVERT(least(least(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_max3_f16 =h hhh | CONVERT(greatest(greatest(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_med3_f16 =h hhh | CONVERT(median(CONVERT(a, vf32), CONVERT(b, vf32), CONVERT(c, vf32)), vf16)
v_rcp_f16 h h | CONVERT(1.0f / CONVERT(a, vf32), vf16)
v_rsq_f16 h h | CONVERT(1.0f / __builtin_elementwise_sqrt(CONVERT(a, vf32)), vf16)
v_sqrt_f16 h h | CONVERT(__builtin_elementwise_sqrt(CONVERT(a, vf32)), vf16)
v_exp_f16 h h | CONVERT(CONVERT(power_of_two(CONVERT(a, vf64)), vf32), vf16)
v_log_f16 h h | CONVERT(CONVERT(binary_logarithm(CONVERT(a, vf64)), vf32), vf16)
v_sin_f16 h h | CONVERT(CONVERT(sine_of_turns(CONVERT(a, vf64)), vf32), vf16)
v_cos_f16 h h | CONVERT(CONVERT(sine_of_turns(CONVERT(a, vf64) + 0.25), vf32), vf16)
v_fract_f16 h h | half_fraction(a)
v_trunc_f16 h h | CONVERT(__builtin_elementwise_trunc(CONVERT(a, vf32)), vf16)
v_ceil_f16 h h | CONVERT(__builtin_elementwise_ceil(CONVERT(a, vf32)), vf16)
v_floor_f16 h h | CONVERT(__builtin_elementwise_floor(CONVERT(a, vf32)), vf16)
v_rndne_f16 h h | CONVERT(__builtin_elementwise_roundeven(CONVERT(a, vf32)), vf16)
v_ldexp_f16 h hx | CONVERT(scaled(CONVERT(a, vf32), CONVERT(b, vi32)), vf16)
v_frexp_mant_f16 h h | CONVERT(mantissa(CONVERT(a, vf32)), vf16)
v_frexp_exp_i16_f16 x h | CONVERT(exponent(CONVERT(a, vf32)), vi16)
v_div_fixup_f16 =h hhh | CONVERT(fixed_quotient(CONVERT(a, vf32), CONVERT(b, vf32), CONVERT(c, vf32)), vf16)
v_add_u16 w ww | a + b
v_sub_u16 w ww | a - b
v_subrev_u16 w ww | b - a
v_add_i16 =x xx | a + b
v_sub_i16 =x xx | a - b
v_mul_lo_u16 w ww | a * b
v_mad_u16 =w www | a * b + c
v_mad_legacy_u16 w www | a * b + c
v_mad_i16 =x xxx | a * b + c
v_lshlrev_b16 w ww | b << (a & 15)
v_lshrrev_b16 w ww | b >> (a & 15)
v_ashrrev_i16 x wx | b >> AS(a & 15, vi16)
v_min_u16 w ww | __builtin_elementwise_min(a, b)
v_max_u16 w ww | __builtin_elementwise_max(a, b)
v_min_i16 x xx | __builtin_elementwise_min(a, b)
v_max_i16 x xx | __builtin_elementwise_max(a, b)
v_med3_i16 =x xxx | MEDIAN(a, b, c, __builtin_elementwise_min, __builtin_elementwise_max)
v_med3_u16 =w www | MEDIAN(a, b, c, __builtin_elementwise_min, __builtin_elementwise_max)
v_mad_u32_u16 u wwu | CONVERT(a, vu32) * CONVERT(b, vu32) + c
v_mad_i32_i16 i xxi | CONVERT(a, vi32) * CONVERT(b, vi32) + c
v_dot2_f32_f16 f uuf | dot2_f16(a, b, c)
v_dot2c_f32_f16 f uu | dot2_f16(a, b, d)
v_dot2_f32_bf16 f uuf | dot2_bf16(a, b, c)
v_dot2_f32_bf16_last f uuf | dot2_bf16(a, b, (vf32)-0.0f) + c
v_dot4_i32_i8 i uui | dot4_signed(a, b, c)
v_dot4c_i32_i8 i uu | dot4_signed(a, b, d)
v_dot4_u32_u8 u uuu | dot4_unsigned(a, b, c)
v_dot8_i32_i4 i uui | dot8_signed(a, b, c)
v_dot8c_i32_i4 i uu | dot8_signed(a, b, d)
v_dot8_u32_u4 u uuu | dot8_unsigned(a, b, c)
v_dot2_i32_i16 i uui | dot2_signed(a, b, c)
v_dot2_u32_u16 u uuu | dot2_unsigned(a, b, c)
v_cvt_f32_fp8 f u | from_fp8(a & 255)
v_cvt_f32_bf8 f u | from_bf8(a & 255)
v_cvt_f32_bf16 f w | bf16_to_float(a)
v_min3_i16 =x xxx | __builtin_elementwise_min(__builtin_elementwise_min(a, b), c)
v_max3_i16 =x xxx | __builtin_elementwise_max(__builtin_elementwise_max(a, b), c)
v_min3_u16 =w www | __builtin_elementwise_min(__builtin_elementwise_min(a, b), c)
v_max3_u16 =w www | __builtin_elementwise_max(__builtin_elementwise_max(a, b), c)
v_maxmin_f16 =h hhh | CONVERT(least(greatest(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_minmax_f16 =h hhh | CONVERT(greatest(least(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_sad_hi_u8 u uuu | c + (absolute_bytes(a, b) << 16)
v_sad_u16 u uuu | c + absolute_halves(a, b)
v_msad_u8 u uuu | c + masked_bytes(a, b)
v_qsad_pk_u16_u8 U UuU | quad_differences(a, b, c, 0)
v_mqsad_pk_u16_u8 U UuU | quad_differences(a, b, c, 1)
v_lerp_u8 u uuu | averaged_bytes(a, b, c)
v_sat_pk_u8_i16 w u | CONVERT(AS(clamped(AS(a << 16, vi32) >> 16, 0, 255) | clamped(AS(a, vi32) >> 16, 0, 255) << 8, vu32), vu16)
v_cvt_norm_i16_f16 x h | CONVERT(to_norm(CONVERT(a, vf32), -1.0f, 32767.0f), vi16)
v_cvt_norm_u16_f16 w h | CONVERT(to_norm(CONVERT(a, vf32), 0.0f, 65535.0f), vu16)
v_cvt_pknorm_i16_f16 u hh | packed(CONVERT(to_norm(CONVERT(a, vf32), -1.0f, 32767.0f), vu16), CONVERT(to_norm(CONVERT(b, vf32), -1.0f, 32767.0f), vu16))
v_cvt_pknorm_u16_f16 u hh | packed(CONVERT(to_norm(CONVERT(a, vf32), 0.0f, 65535.0f), vu16), CONVERT(to_norm(CONVERT(b, vf32), 0.0f, 65535.0f), vu16))
v_cvt_pk_u8_f32 u fuu | placed_byte(to_byte(a), b, c)
v_cvt_pkaccum_u8_f32 u fu | placed_byte(to_byte(a), b, d)
v_cvt_pk_i16_f32 u ff | packed(CONVERT(clamped(to_i32(a), -32768, 32767), vu16), CONVERT(clamped(to_i32(b), -32768, 32767), vu16))
v_cvt_pk_u16_f32 u ff | packed(CONVERT(__builtin_elementwise_min(to_u32(a), (vu32)65535), vu16), CONVERT(__builtin_elementwise_min(to_u32(b), (vu32)65535), vu16))
v_mad_legacy_f16 h hhh | half_mad(a, b, c)
v_mad_legacy_i16 x xxx | a * b + c
v_fma_legacy_f16 h hhh | half_fma(a, b, c)
v_div_fixup_legacy_f16 h hhh | CONVERT(fixed_quotient(CONVERT(a, vf32), CONVERT(b, vf32), CONVERT(c, vf32)), vf16)
v_madak_f16 h hhh | half_mad(a, b, c)
v_madak_f32 f fff | a * b + c
v_madmk_f32 f fff | a * b + c
v_cvt_pk_bf16_f32 u ff | to_bf16(a) | to_bf16(b) << 16
v_cvt_pk_f16_f32 u ff | packed(AS(CONVERT(a, vf16), vu16), AS(CONVERT(b, vf16), vu16))
v_madmk_f16 h hhh | half_mad(a, b, c)
v_fmaak_f16 h hhh | half_fma(a, b, c)
v_fmamk_f16 h hhh | half_fma(a, b, c)
v_fma_dx9_zero_f32 f fff | CONVERT((a == 0) | (b == 0), vi32) ? c : __builtin_elementwise_fma(a, b, c)
v_fmac_dx9_zero_f32 f ff | CONVERT((a == 0) | (b == 0), vi32) ? d : __builtin_elementwise_fma(a, b, d)
v_mullit_f32 f fff | CONVERT((b == -__FLT_MAX__) | (b == -__builtin_inff()) | (b != b) | ~(c > 0), vi32) ? (vf32)-__FLT_MAX__ : a * b
v_dot2c_i32_i16 i uu | dot2_signed(a, b, d)
v_dot2_f16_f16 =h uuh | dot2_half(a, b, c)
v_dot2_bf16_bf16 =w uuw | dot2_short_bf16(a, b, c)
"""

_PACKED = """
v_pk_add_f16 h hh | a + b
v_pk_mul_f16 h hh | a * b
v_pk_fma_f16 h hhh | half_fma(a, b, c)
v_pk_min_f16 h hh | CONVERT(least(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_pk_max_f16 h hh | CONVERT(greatest(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_pk_minimum_f16 h hh | CONVERT(minimum(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_pk_maximum_f16 h hh | CONVERT(maximum(CONVERT(a, vf32), CONVERT(b, vf32)), vf16)
v_pk_minimum3_f16 h hhh | CONVERT(minimum(minimum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_pk_maximum3_f16 h hhh | CONVERT(maximum(maximum(CONVERT(a, vf32), CONVERT(b, vf32)), CONVERT(c, vf32)), vf16)
v_pk_add_u16 w ww | a + b
v_pk_sub_u16 w ww | a - b
v_pk_add_i16 x xx | a + b
v_pk_sub_i16 x xx | a - b
v_pk_mul_lo_u16 w ww | a * b
v_pk_mad_u16 w www | a * b + c
v_pk_mad_i16 x xxx | a * b + c
v_pk_min_u16 w ww | __builtin_elementwise_min(a, b)
v_pk_max_u16 w ww | __builtin_elementwise_max(a, b)
v_pk_min_i16 x xx | __builtin_elementwise_min(a, b)
v_pk_max_i16 x xx | __builtin_elementwise_max(a, b)
v_pk_lshlrev_b16 w ww | b << (a & 15)
v_pk_lshrrev_b16 w ww | b >> (a & 15)
v_pk_ashrrev_i16 x wx | b >> AS(a & 15, vi16)
v_pk_add_f32 f ff | a + b
v_pk_mul_f32 f ff | a * b
v_pk_fma_f32 f fff | __builtin_elementwise_fma(a, b, c)
v_pk_mov_b32 u uu | a
"""

_TYPES = {"f32": "f", "f64": "F", "f16": "h", "i32": "i", "u32": "u", "i64": "I", "u64": "U", "i16": "x", "u16": "w"}
_ORDERED = {"lt": "a < b", "eq": "a == b", "le": "a <= b", "gt": "a > b", "ge": "a >= b", "ne": "a != b"}
_FLOATING = {
    "lg": "(a < b) | (a > b)",
    "o": "(a == a) & (b == b)",
    "u": "(a != a) | (b != b)",
    "nge": "~(a >= b)",
    "nlg": "~((a < b) | (a > b))",
    "ngt": "~(a > b)",
    "nle": "~(a <= b)",
    "neq": "a != b",
    "nlt": "~(a < b)",
}


def _read(rows: str) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for row in rows.strip().splitlines():
        head, _, expression = row.partition(" | ")
        name, result, sources = head.split()
        found[name] = Vector(result.lstrip("="), sources, expression, result.startswith("="))
    return found


VECTOR = _read(_ROWS)
PACKED = _read(_PACKED)
"""Both halves of a register, or of a pair of registers for 32 bits."""


def _comparisons() -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for name, letter in _TYPES.items():
        tests = {**_ORDERED, **_FLOATING} if name[0] == "f" else _ORDERED
        for test, expression in tests.items():
            if name[0] == "f" and test == "ne":
                continue
            found[f"{test}_{name}"] = Vector("m", letter * 2, expression)
        constant = found[f"{'lt'}_{name}"]
        for test, value in (("f", "0"), ("t", "1"), ("tru", "1")):
            found[f"{test}_{name}"] = constant._replace(expression=f"({expression_of(letter)}){value} == 1")
        if name[0] == "f":
            found[f"class_{name}"] = Vector("m", letter + "u", f"is_class_{name}(a, b)")
    return found


def expression_of(letter: str) -> str:
    """The type of lanes that a letter stands for."""
    return {"f": "vi32", "F": "vi64", "h": "vi16", "u": "vi32", "i": "vi32", "U": "vi64", "I": "vi64"}.get(
        letter, "vi16"
    )


COMPARE = {f"v_cmp_{name}": row for name, row in _comparisons().items()}
COMPARE_AND_MASK = {name.replace("v_cmp_", "v_cmpx_"): row for name, row in COMPARE.items()}
