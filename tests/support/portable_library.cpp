// The plain C++ functions of rewarp_hip.h as a library for Python: each works through arrays of n inputs.
#include <stddef.h>
#define REWARP_HIP_PORTABLE_ONLY
#include "rewarp_hip.h"

#define EXPORT(NAME, CALL)                                                                                    \
  extern "C" void NAME(const unsigned* as, const unsigned* bs, const unsigned* cs, unsigned* out, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                                                                          \
      const unsigned a = as[i], b = bs[i], c = cs[i];                                                         \
      (void)a, (void)b, (void)c;                                                                              \
      out[i] = static_cast<unsigned>(CALL);                                                                   \
    }                                                                                                         \
  }
#define UNARY(NAME) EXPORT(NAME##_, rewarp::NAME(a))
#define BINARY(NAME) EXPORT(NAME##_, rewarp::NAME(a, b))
#define TERNARY(NAME) EXPORT(NAME##_, rewarp::NAME(a, b, c))
#include "portable_functions.inc"

static int as_int(unsigned x) { return static_cast<int>(x); }
EXPORT(rhadd_, static_cast<unsigned>(rewarp::rewarp_rhadd(as_int(a), as_int(b))))
EXPORT(uhadd_, rewarp::rewarp_uhadd(a, b))
EXPORT(urhadd_, rewarp::rewarp_urhadd(a, b))
EXPORT(sad_, rewarp::rewarp_sad(as_int(a), as_int(b), c))
EXPORT(dp4a_s, rewarp::__dp4a(as_int(a), as_int(b), as_int(c)))
EXPORT(dp4a_u, rewarp::__dp4a(a, b, c))
EXPORT(dp2a_lo_s, rewarp::__dp2a_lo(as_int(a), as_int(b), as_int(c)))
EXPORT(dp2a_lo_u, rewarp::__dp2a_lo(a, b, c))
EXPORT(dp2a_hi_s, rewarp::__dp2a_hi(as_int(a), as_int(b), as_int(c)))
EXPORT(dp2a_hi_u, rewarp::__dp2a_hi(a, b, c))
EXPORT(fns, rewarp::__fns(a, b, as_int(c)))
// a: how many of 16 bytes are copied, b: what they hold, c: the word that is wanted.
static unsigned copied_word(unsigned a, unsigned b, unsigned c) {
  const unsigned source[4] = {b, ~b, b * 3, b ^ 0x0F0F0F0F};
  unsigned target[4] = {b, b, b, b};
  rewarp::copy_and_fill(target, source, 16, a);
  return target[c];
}
EXPORT(copy_and_fill, copied_word(a, b, c))
EXPORT(ceil_div, rewarp::ceil_div(a, b))
EXPORT(round_up, rewarp::round_up(a, b))
EXPORT(round_down, rewarp::round_down(as_int(a >> 1), b >> 1 | 1))
EXPORT(is_power_of_two, rewarp::is_power_of_two(a))
EXPORT(is_power_of_two_of_char, rewarp::is_power_of_two(static_cast<signed char>(a & 127)))
EXPORT(ilog2, rewarp::ilog2(a))
EXPORT(ilog2_of_long, rewarp::ilog2(static_cast<unsigned long long>(a) << 32 | b))
EXPORT(ceil_ilog2, rewarp::ceil_ilog2(as_int(a >> 1)))
EXPORT(next_power_of_two, rewarp::next_power_of_two(a))
EXPORT(next_power_of_two_of_short, rewarp::next_power_of_two(static_cast<unsigned short>(a)))
EXPORT(prev_power_of_two, rewarp::prev_power_of_two(a))
static_assert(rewarp::round_up(5, 4) == 8 && rewarp::next_power_of_two(5u) == 8u, "in constant expressions");

// The chosen value, or with c = 1, 2 the flags (bit 0: low or only, bit 1: high).
template <typename Function>
static unsigned pick_one(Function function, unsigned a, unsigned b, unsigned c) {
  bool first = false;
  const unsigned chosen = static_cast<unsigned>(function(a, b, &first));
  return c ? first : chosen;
}
template <typename Function>
static unsigned pick_two(Function function, unsigned a, unsigned b, unsigned c) {
  bool high = false, low = false;
  const unsigned chosen = function(a, b, &high, &low);
  return c ? high * 2u + low : chosen;
}
#define PICKS(NAME)                                                              \
  EXPORT(__vib##NAME##_s32_, pick_one(rewarp::__vib##NAME##_s32<>, a, b, c))     \
  EXPORT(__vib##NAME##_u32_, pick_one(rewarp::__vib##NAME##_u32<>, a, b, c))     \
  EXPORT(__vib##NAME##_s16x2_, pick_two(rewarp::__vib##NAME##_s16x2<>, a, b, c)) \
  EXPORT(__vib##NAME##_u16x2_, pick_two(rewarp::__vib##NAME##_u16x2<>, a, b, c))
PICKS(max)
PICKS(min)

// a: the lane, b: the operand, c: the width.
EXPORT(shfl_lane, rewarp::shfl_lane(as_int(a), as_int(b), as_int(c)))
EXPORT(shfl_up_lane, rewarp::shfl_up_lane(as_int(a), b, as_int(c)))
EXPORT(shfl_down_lane, rewarp::shfl_down_lane(as_int(a), b, as_int(c)))
EXPORT(shfl_xor_lane, rewarp::shfl_xor_lane(as_int(a), as_int(b), as_int(c)))
EXPORT(own_warp, rewarp::own_warp(static_cast<unsigned long long>(b) << 32 | a, c))

// Numbers: b chooses the rounding (nearest, toward zero, down, up).
static float as_float(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
static rewarp::Rounding mode(unsigned b) { return static_cast<rewarp::Rounding>(b); }
EXPORT(float_to_bf16, rewarp::float_bits_to_bf16(a, mode(b)))
EXPORT(int_to_bf16, rewarp::integer_to_bf16(as_int(a), mode(b)))
EXPORT(uint_to_bf16, rewarp::integer_to_bf16(a, mode(b)))
EXPORT(ll_to_bf16,
       rewarp::integer_to_bf16(static_cast<long long>(static_cast<unsigned long long>(a) << 32 | c), mode(b)))
EXPORT(ull_to_bf16, rewarp::integer_to_bf16(static_cast<unsigned long long>(a) << 32 | c, mode(b)))
EXPORT(float_to_char, rewarp::float_to_integer<signed char>(as_float(a), mode(b)))
EXPORT(float_to_uchar, rewarp::float_to_integer<unsigned char>(as_float(a), mode(b)))
EXPORT(float_to_short, rewarp::float_to_integer<short>(as_float(a), mode(b)))
EXPORT(float_to_ushort, rewarp::float_to_integer<unsigned short>(as_float(a), mode(b)))
EXPORT(float_to_int, rewarp::float_to_integer<int>(as_float(a), mode(b)))
EXPORT(float_to_uint, rewarp::float_to_integer<unsigned>(as_float(a), mode(b)))
EXPORT(float_to_ll_high,
       static_cast<unsigned long long>(rewarp::float_to_integer<long long>(as_float(a), mode(b))) >> 32)
EXPORT(float_to_ll_low, rewarp::float_to_integer<long long>(as_float(a), mode(b)))
EXPORT(float_to_ull_high, rewarp::float_to_integer<unsigned long long>(as_float(a), mode(b)) >> 32)
EXPORT(float_to_ull_low, rewarp::float_to_integer<unsigned long long>(as_float(a), mode(b)))

// 8-bit floats: bit 0 of b chooses the saturation, the bits above it the format or, to E8M0, the rounding.
static rewarp_saturation_t saturation(unsigned b) { return b & 1u ? REWARP_SATFINITE : REWARP_NOSAT; }
static rewarp_fp8_interpretation_t format(unsigned b) { return b >> 1 ? REWARP_E5M2 : REWARP_E4M3; }
static rewarp_round_mode rounding(unsigned b) { return b >> 1 ? REWARP_ROUND_POS_INF : REWARP_ROUND_ZERO; }
static double as_double(unsigned high, unsigned low) {
  return rewarp::bits_as<double>(static_cast<unsigned long long>(high) << 32 | low);
}
static unsigned short as_ushort(unsigned x) { return static_cast<unsigned short>(x); }
EXPORT(float_to_fp8, rewarp_cvt_float_to_fp8(as_float(a), saturation(b), format(b)))
EXPORT(double_to_fp8, rewarp_cvt_double_to_fp8(as_double(a, c), saturation(b), format(b)))
EXPORT(half_to_fp8, rewarp::to_fp8<5>(as_ushort(a), saturation(b), format(b)))
EXPORT(bf16_to_fp8, rewarp::to_fp8<8>(as_ushort(a), saturation(b), format(b)))
EXPORT(fp8_to_float, rewarp::bits_as<unsigned>(rewarp::fp8_to_float(static_cast<unsigned char>(a), format(b))))
EXPORT(fp8_to_half, rewarp::fp8_to_half_bits(static_cast<unsigned char>(a), format(b)))
EXPORT(fp8_to_bf16, rewarp::fp8_to_bf16_bits(static_cast<unsigned char>(a), format(b)))
EXPORT(float_to_e8m0, rewarp_cvt_float_to_e8m0(as_float(a), saturation(b), rounding(b)))
EXPORT(double_to_e8m0, rewarp_cvt_double_to_e8m0(as_double(a, c), saturation(b), rounding(b)))
EXPORT(bf16_to_e8m0, rewarp::bf16_bits_to_e8m0(as_ushort(a), saturation(b), rounding(b)))
EXPORT(e8m0_to_bf16, rewarp::e8m0_to_bf16_bits(static_cast<unsigned char>(a)))

template <typename T>
static T from_fp8(unsigned code, unsigned b) {
  rewarp_fp8_e4m3 x;
  rewarp_fp8_e5m2 y;
  x.__x = y.__x = static_cast<rewarp_fp8_storage_t>(code);
  return b >> 1 ? static_cast<T>(y) : static_cast<T>(x);
}
template <typename T>
static unsigned to_fp8_type(T value, unsigned b) {
  return b >> 1 ? rewarp_fp8_e5m2(value).__x : rewarp_fp8_e4m3(value).__x;
}
#define BOTH_WAYS(NAME, T)                 \
  EXPORT(fp8_as_##NAME, from_fp8<T>(a, b)) \
  EXPORT(fp8_from_##NAME, to_fp8_type(static_cast<T>(a), b))
BOTH_WAYS(short, short)
BOTH_WAYS(ushort, unsigned short)
BOTH_WAYS(int, int)
BOTH_WAYS(uint, unsigned)
EXPORT(fp8_as_char, from_fp8<signed char>(a, b))
EXPORT(fp8_as_uchar, from_fp8<unsigned char>(a, b))
EXPORT(fp8_as_bool, from_fp8<bool>(a, b))
EXPORT(fp8_as_ll_high, static_cast<unsigned long long>(from_fp8<long long>(a, b)) >> 32)
EXPORT(fp8_as_ll_low, from_fp8<long long>(a, b))
EXPORT(fp8_as_ull_high, from_fp8<unsigned long long>(a, b) >> 32)
EXPORT(fp8_as_ull_low, from_fp8<unsigned long long>(a, b))
EXPORT(fp8_from_ll, to_fp8_type(static_cast<long long>(static_cast<unsigned long long>(a) << 32 | c), b))
EXPORT(fp8_from_double, to_fp8_type(as_double(a, c), b))
