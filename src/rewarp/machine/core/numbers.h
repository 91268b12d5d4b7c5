// Arithmetic that C has no operator for, over all lanes.
#pragma once
#include "wave.h"

#define EACH_LANE for (int l = 0; l < LANES; l++)
#define MEDIAN(a, b, c, LOW, HIGH) HIGH(LOW(a, b), LOW(HIGH(a, b), c))

ALWAYS vf32 bf16_to_float(vu16 x) { return AS(CONVERT(x, vu32) << 16, vf32); }
ALWAYS vu32 packed(vu16 low, vu16 high) { return CONVERT(low, vu32) | CONVERT(high, vu32) << 16; }
ALWAYS vi32 clamped(vi32 x, i32 low, i32 high) {
    return __builtin_elementwise_max(__builtin_elementwise_min(x, (vi32)high), (vi32)low);
}
// Denormal numbers become zero, and keep their sign.
ALWAYS vf32 flushed(vf32 x) {
    vu32 bits = AS(x, vu32);
    return AS(((bits & 0x7f800000) == 0) ? bits & 0x80000000 : bits, vf32);
}
ALWAYS vu32 leading(vu32 a) {
    vu32 r;
    EACH_LANE r[l] = a[l] ? (u32)__builtin_clz(a[l]) : 32;
    return r;
}
ALWAYS vu32 trailing(vu32 a) {
    vu32 r;
    EACH_LANE r[l] = a[l] ? (u32)__builtin_ctz(a[l]) : 32;
    return r;
}
ALWAYS vi32 same_bits(vi32 a) {
    vi32 r;
    EACH_LANE r[l] = a[l] == 0 || a[l] == -1 ? -1 : __builtin_clrsb(a[l]) + 1;
    return r;
}
ALWAYS vu32 field(vu32 a, vu32 b, vu32 c) { return a >> (b & 31) & (((vu32)1 << (c & 31)) - 1); }
ALWAYS vi32 signed_field(vi32 a, vu32 b, vu32 c) {
    // Shifted with its sign: a field may reach beyond the register.
    vu32 width = c & 31, sign = ((vu32)1 << (width - 1 & 31));
    vu32 raw = AS(a >> AS(b & 31, vi32), vu32) & (((vu32)1 << width) - 1);
    return (width == 0) ? (vi32)0 : AS((raw ^ sign) - sign, vi32);
}
ALWAYS vu32 permuted(vu32 a, vu32 b, vu32 c) {
    vu32 r = 0;
    for (int byte = 0; byte < 4; byte++) {
        vu32 which = c >> (vu32)(byte * 8) & 255;
        vu64 both = CONVERT(a, vu64) << 32 | CONVERT(b, vu64);
        vu32 plain = CONVERT(both >> (CONVERT(which, vu64) * 8 & 63), vu32) & 255;
        vu32 sign = CONVERT(both >> (CONVERT(((which & 3) * 2 + 1) * 8 + 7, vu64) & 63), vu32) & 1;
        vu32 x = (which >= 13) ? (vu32)255 : (which == 12) ? (vu32)0 : (which >= 8) ? sign * 255 : plain;
        r |= x << (vu32)(byte * 8);
    }
    return r;
}
ALWAYS vu32 absolute_bytes(vu32 a, vu32 b) {
    vu32 r = 0;
    for (int at = 0; at < 32; at += 8) {
        vu32 x = a >> (vu32)at & 255, y = b >> (vu32)at & 255;
        r += (x > y) ? x - y : y - x;
    }
    return r;
}
ALWAYS vu32 absolute_halves(vu32 a, vu32 b) {
    vu32 x = a & 0xffff, y = b & 0xffff, z = a >> 16, t = b >> 16;
    return ((x > y) ? x - y : y - x) + ((z > t) ? z - t : t - z);
}
// Bytes of b that are zero do not count.
ALWAYS vu32 masked_bytes(vu32 a, vu32 b) {
    vu32 r = 0;
    for (int at = 0; at < 32; at += 8) {
        vu32 x = a >> (vu32)at & 255, y = b >> (vu32)at & 255;
        r += (y == 0) ? (vu32)0 : (x > y) ? x - y : y - x;
    }
    return r;
}
// Four windows of four bytes, each one byte further.
ALWAYS vu64 quad_differences(vu64 a, vu32 b, vu64 c, int masked) {
    vu64 r = 0;
    for (int n = 0; n < 4; n++) {
        vu32 window = CONVERT(a >> (vu64)(n * 8), vu32), old = CONVERT(c >> (vu64)(n * 16), vu32) & 0xffff;
        vu32 sum = (masked ? masked_bytes(window, b) : absolute_bytes(window, b)) + old;
        r |= CONVERT(sum & 0xffff, vu64) << (vu64)(n * 16);
    }
    return r;
}
ALWAYS vu32 averaged_bytes(vu32 a, vu32 b, vu32 c) {
    vu32 r = 0;
    for (int at = 0; at < 32; at += 8) r |= ((a >> (vu32)at & 255) + (b >> (vu32)at & 255) + (c >> (vu32)at & 1)) >> 1 << (vu32)at;
    return r;
}
ALWAYS vu32 counted_below(vu32 bits, int first) {
    vu32 below;
    EACH_LANE below[l] = l <= first ? 0 : l - first >= 32 ? ~0u : (1u << (l - first)) - 1;
    return __builtin_elementwise_popcount(bits & below);
}

// Conversions saturate, and a NaN becomes zero.
ALWAYS vi32 to_i32(vf32 a) {
    vf64 x = CONVERT(a, vf64);
    vi64 r = CONVERT((x >= 2147483647.0) ? (vf64)2147483647.0 : (x <= -2147483648.0) ? (vf64)-2147483648.0 : (x == x) ? x : (vf64)0.0, vi64);
    return CONVERT(r, vi32);
}
ALWAYS vu32 double_to_u32(vf64 x) {
    return CONVERT(CONVERT((x >= 4294967295.0) ? (vf64)4294967295.0 : (x > 0.0) ? x : (vf64)0.0, vi64), vu32);
}
ALWAYS vu32 to_u32(vf32 a) { return double_to_u32(CONVERT(a, vf64)); }
ALWAYS vi32 double_to_i32(vf64 x) {
    vi64 r = CONVERT((x >= 2147483647.0) ? (vf64)2147483647.0 : (x <= -2147483648.0) ? (vf64)-2147483648.0 : (x == x) ? x : (vf64)0.0, vi64);
    return CONVERT(r, vi32);
}
ALWAYS vf32 normalised(vf32 a, f32 low) {
    vf32 x = (a < low) ? (vf32)low : (a > 1.0f) ? (vf32)1.0f : a;
    return (a == a) ? x : (vf32)0.0f;
}
ALWAYS vi32 to_norm(vf32 a, f32 low, f32 most) {
    vf64 exact = CONVERT(normalised(a, low), vf64) * (f64)most;
    return CONVERT(__builtin_elementwise_roundeven(exact), vi32);
}
ALWAYS vu32 to_byte(vf32 a) { return __builtin_elementwise_min(to_u32(a), (vu32)255); }
ALWAYS vu32 placed_byte(vu32 byte, vu32 at, vu32 in) {
    vu32 shift = (at & 3) * 8;
    return (in & ~((vu32)255 << shift)) | byte << shift;
}
ALWAYS vu16 half_toward_zero(vf32 a) {
    vu16 near = AS(CONVERT(a, vf16), vu16);
    vf32 back = CONVERT(AS(near, vf16), vf32);
    vi32 away = (__builtin_elementwise_abs(back) > __builtin_elementwise_abs(a));
    return CONVERT(away, vi16) ? near - 1 : near;
}

// A number beats a NaN; -0 is less than +0.
ALWAYS vf32 least(vf32 a, vf32 b) {
    vf32 zero = AS(AS(a, vu32) | AS(b, vu32), vf32);
    vf32 r = (a < b) ? a : (a == b) ? zero : b;
    return (a != a) ? b : (b != b) ? a : r;
}
ALWAYS vf32 greatest(vf32 a, vf32 b) {
    vf32 zero = AS(AS(a, vu32) & AS(b, vu32), vf32);
    vf32 r = (a > b) ? a : (a == b) ? zero : b;
    return (a != a) ? b : (b != b) ? a : r;
}
ALWAYS vf64 least64(vf64 a, vf64 b) {
    vf64 r = (a < b) ? a : (a == b) ? AS(AS(a, vu64) | AS(b, vu64), vf64) : b;
    return (a != a) ? b : (b != b) ? a : r;
}
ALWAYS vf64 greatest64(vf64 a, vf64 b) {
    vf64 r = (a > b) ? a : (a == b) ? AS(AS(a, vu64) & AS(b, vu64), vf64) : b;
    return (a != a) ? b : (b != b) ? a : r;
}
// Here a NaN beats a number.
#define WITH_NANS(name, V, PICK)                                    \
    ALWAYS V name(V a, V b) { return (a != a) ? a : (b != b) ? b : PICK(a, b); }
WITH_NANS(minimum, vf32, least)
WITH_NANS(maximum, vf32, greatest)
WITH_NANS(minimum64, vf64, least64)
WITH_NANS(maximum64, vf64, greatest64)
ALWAYS vf32 median(vf32 a, vf32 b, vf32 c) {
    vf32 most = greatest(greatest(a, b), c);
    vf32 r = (most == a) ? greatest(b, c) : (most == b) ? greatest(a, c) : greatest(a, b);
    return ((a != a) | (b != b) | (c != c)) ? least(least(a, b), c) : r;
}
ALWAYS vf32 fraction(vf32 a) {
    vf32 r = a - __builtin_elementwise_floor(a);
    return (r >= 1.0f) ? (vf32)0x1.fffffep-1f : r;
}
ALWAYS vf16 half_fraction(vf16 a) {
    vf32 x = CONVERT(a, vf32);
    vf16 r = CONVERT(x - __builtin_elementwise_floor(x), vf16);
    return (r >= (vf16)(f16)1.0) ? (vf16)(f16)0x1.ffcp-1 : r;
}
ALWAYS vf64 fraction64(vf64 a) {
    vf64 r = a - __builtin_elementwise_floor(a);
    return (r >= 1.0) ? (vf64)0x1.fffffffffffffp-1 : r;
}

// --- transcendental functions: in hardware approximations; here nearly exact ----------------

ALWAYS vf64 power(vi64 n) { return AS((n + 1023) << 52, vf64); }
ALWAYS vf64 power_of_two(vf64 x) {
    vf64 held = (x > 1100.0) ? (vf64)1100.0 : (x < -1100.0) ? (vf64)-1100.0 : x;
    vf64 whole = __builtin_elementwise_roundeven(held), f = (held - whole) * 0x1.62e42fefa39efp-1;
    vf64 r = 1.0 / 39916800.0;
    r = r * f + 1.0 / 3628800.0, r = r * f + 1.0 / 362880.0, r = r * f + 1.0 / 40320.0, r = r * f + 1.0 / 5040.0;
    r = r * f + 1.0 / 720.0, r = r * f + 1.0 / 120.0, r = r * f + 1.0 / 24.0, r = r * f + 1.0 / 6.0, r = r * f + 0.5;
    r = r * f + 1.0, r = r * f + 1.0;
    vi64 n = CONVERT((whole == whole) ? whole : (vf64)0.0, vi64), half = n / 2;
    r = r * power(half) * power(n - half);
    return (x == x) ? r : x;
}
ALWAYS vf64 binary_logarithm(vf64 x) {
    vi64 bits = AS(x, vi64), n = (bits >> 52 & 2047) - 1023;
    vf64 m = AS((bits & 0xfffffffffffff) | 0x3ff0000000000000, vf64);
    vi64 large = m > 0x1.6a09e667f3bcdp0;
    m = large ? m * 0.5 : m, n = large ? n + 1 : n;
    vf64 s = (m - 1.0) / (m + 1.0), q = s * s, r = 1.0 / 21.0;
    r = r * q + 1.0 / 19.0, r = r * q + 1.0 / 17.0, r = r * q + 1.0 / 15.0, r = r * q + 1.0 / 13.0, r = r * q + 1.0 / 11.0;
    r = r * q + 1.0 / 9.0, r = r * q + 1.0 / 7.0, r = r * q + 1.0 / 5.0, r = r * q + 1.0 / 3.0, r = r * q + 1.0;
    r = CONVERT(n, vf64) + r * s * 0x1.71547652b82fep1;
    vf64 infinite = __builtin_inf();
    r = (x == infinite) ? x : (x == 0.0) ? -infinite : r;
    return (x < 0.0) ? (vf64)__builtin_nan("") : (x == x) ? r : x;
}
ALWAYS vf64 sine_of_turns(vf64 x) {
    vf64 r = x - __builtin_elementwise_roundeven(x);
    r = (r > 0.25) ? 0.5 - r : (r < -0.25) ? -0.5 - r : r;
    vf64 t = r * 0x1.921fb54442d18p2, q = t * t, s = 1.0 / 355687428096000.0;
    s = s * q - 1.0 / 1307674368000.0, s = s * q + 1.0 / 6227020800.0, s = s * q - 1.0 / 39916800.0;
    s = s * q + 1.0 / 362880.0, s = s * q - 1.0 / 5040.0, s = s * q + 1.0 / 120.0, s = s * q - 1.0 / 6.0;
    s = t + t * q * s;
    return (x - x == 0.0) ? s : (vf64)__builtin_nan("");
}

// Results moved by a part of what a card may be off: the same for the same result, whatever lane it is in.
ALWAYS u32 scattered(u64 bits, u32 seed) {
    u64 x = (bits ^ (u64)seed * 0x9e3779b97f4a7c15ul) * 0xbf58476d1ce4e5b9ul;
    return (u32)(x >> 32 ^ x >> 7);
}
#define MOVED(name, V, T, U, INFINITE)                                             \
    ALWAYS V moved_##name(V a, i64 units, u32 seed) {                              \
        V r;                                                                       \
        EACH_LANE {                                                                \
            U bits = AS((T)a[l], U), size = bits & (U)((U)~(U)0 >> 1);             \
            i64 by = (i64)(scattered(bits, seed) % (u64)(2 * units + 1)) - units;  \
            U next = (U)(size + (U)by);                                            \
            int stays = size == 0 || size >= INFINITE || next == 0 || next >= INFINITE; \
            r[l] = AS((U)(stays ? bits : (U)(bits + (U)by)), T);                   \
        }                                                                          \
        return r;                                                                  \
    }
MOVED(f32, vf32, f32, u32, 0x7f800000u)
MOVED(f64, vf64, f64, u64, 0x7ff0000000000000ul)
MOVED(f16, vf16, f16, u16, 0x7c00)
ALWAYS vf32 moved_by(vf32 a, f32 most, u32 seed) {
    vf32 r;
    EACH_LANE {
        f32 by = ((f32)(scattered(AS((f32)a[l], u32), seed) & 0xffff) / 32768.0f - 1.0f) * most, x = a[l] + by;
        r[l] = x > 1.0f ? 1.0f : x < -1.0f ? -1.0f : x;
    }
    return r;
}

// --- parts of numbers -----------------------------------------------------------------------

ALWAYS vf64 scaled64(vf64 a, vi32 by) {
    vf64 r;
    EACH_LANE r[l] = __builtin_ldexp(a[l], by[l]);
    return r;
}
ALWAYS vf32 scaled(vf32 a, vi32 by) {
    vi64 n = CONVERT(clamped(by, -400, 400), vi64);
    return CONVERT(CONVERT(a, vf64) * power(n), vf32);
}
ALWAYS vi32 exponent(vf32 a) {
    vi64 n = (AS(CONVERT(a, vf64), vi64) >> 52 & 2047) - 1022;
    return ((a == 0.0f) | (a - a != 0.0f)) ? (vi32)0 : CONVERT(n, vi32);
}
ALWAYS vf32 mantissa(vf32 a) {
    vf64 x = AS((AS(CONVERT(a, vf64), vi64) & (i64)0x800fffffffffffff) | 0x3fe0000000000000, vf64);
    return ((a == 0.0f) | (a - a != 0.0f)) ? a : CONVERT(x, vf32);
}
ALWAYS vi32 exponent64(vf64 a) {
    vi32 r;
    EACH_LANE {
        int n = 0;
        if (a[l] != 0 && a[l] - a[l] == 0) {
            u64 bits = AS((f64)a[l], u64) & ~(1ul << 63);
            n = bits >> 52 ? (int)(bits >> 52) - 1022 : -1074 + 64 - __builtin_clzl(bits);
        }
        r[l] = n;
    }
    return r;
}
ALWAYS vf64 mantissa64(vf64 a) {
    vf64 r;
    vi32 n = exponent64(a);
    EACH_LANE r[l] = a[l] == 0 || a[l] - a[l] != 0 ? a[l] : __builtin_ldexp(a[l], -n[l]);
    return r;
}
// By way of 32 bits that keep in their last one whether anything was cut off, so that rounding happens once.
ALWAYS vf16 double_to_half(vf64 x) {
    vf32 y = CONVERT(x, vf32);
    vf64 back = CONVERT(y, vf64);
    vu32 bits = AS(y, vu32);
    vi32 above = CONVERT(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(x), vi32), cut = CONVERT(back != x, vi32);
    bits = above ? bits - 1 : bits;
    bits = (cut & ((bits & 0x7f800000) != 0x7f800000)) ? bits | 1 : bits;
    return CONVERT(AS(bits, vf32), vf16);
}
// Rounded after the product and after the sum: the compiler would keep more bits in between.
ALWAYS vf16 half_mad(vf16 a, vf16 b, vf16 c) {
    vu16 product = AS(CONVERT(CONVERT(a, vf32) * CONVERT(b, vf32), vf16), vu16);
    return CONVERT(CONVERT(AS(product, vf16), vf32) + CONVERT(c, vf32), vf16);
}
ALWAYS vf16 half_fma(vf16 a, vf16 b, vf16 c) {
    // The product is exact in 32 bits.
    return double_to_half(CONVERT(CONVERT(a, vf32) * CONVERT(b, vf32), vf64) + CONVERT(c, vf64));
}

// --- division: scaled, multiplied, put right ------------------------------------------------

#define EXPONENT32(x) ((int)(AS((f32)(x), u32) >> 23 & 255))
#define EXPONENT64(x) ((int)(AS((f64)(x), u64) >> 52 & 2047))
#define DENORMAL32(x) ((x) != 0 && EXPONENT32(x) == 0)
#define DENORMAL64(x) ((x) != 0 && EXPONENT64(x) == 0)

ALWAYS vf32 fixed_quotient(vf32 a, vf32 b, vf32 c) {
    vf32 r;
    EACH_LANE {
        f32 q = a[l], d = b[l], n = c[l], x;
        u32 sign = (AS(d, u32) ^ AS(n, u32)) & 0x80000000u, bits;
        if (n != n) x = AS(AS(n, u32) | 0x400000u, f32);
        else if (d != d) x = AS(AS(d, u32) | 0x400000u, f32);
        else {
            int infinite_d = EXPONENT32(d) == 255, infinite_n = EXPONENT32(n) == 255;
            if ((d == 0 && n == 0) || (infinite_d && infinite_n)) bits = 0xffc00000u;
            else if (d == 0 || infinite_n) bits = sign | 0x7f800000u;
            else if (infinite_d || n == 0) bits = sign;
            else if (EXPONENT32(n) - EXPONENT32(d) < -150) bits = sign;
            else if (q != q) bits = sign | 0x7f800000u;  // the steps before this one overflowed: so do cards
            else bits = sign | (AS(q, u32) & 0x7fffffffu);
            x = AS(bits, f32);
        }
        r[l] = x;
    }
    return r;
}
ALWAYS vf64 fixed_quotient64(vf64 a, vf64 b, vf64 c) {
    vf64 r;
    EACH_LANE {
        f64 q = a[l], d = b[l], n = c[l], x;
        u64 sign = (AS(d, u64) ^ AS(n, u64)) & 1ul << 63, bits;
        if (n != n) x = AS(AS(n, u64) | 1ul << 51, f64);
        else if (d != d) x = AS(AS(d, u64) | 1ul << 51, f64);
        else {
            int infinite_d = EXPONENT64(d) == 2047, infinite_n = EXPONENT64(n) == 2047;
            if ((d == 0 && n == 0) || (infinite_d && infinite_n)) bits = 0xfff8000000000000ul;
            else if (d == 0 || infinite_n) bits = sign | 0x7fful << 52;
            else if (infinite_d || n == 0) bits = sign;
            else if (EXPONENT64(n) - EXPONENT64(d) < -1075) bits = sign;
            else if (q != q) bits = sign | 0x7fful << 52;
            else bits = sign | (AS(q, u64) & ~(1ul << 63));
            x = AS(bits, f64);
        }
        r[l] = x;
    }
    return r;
}
ALWAYS f32 scaled_part(f32 s, f32 d, f32 n, int *vcc) {
    *vcc = n == 0 || d == 0;
    if (*vcc) return __builtin_nanf("");
    if (EXPONENT32(n) - EXPONENT32(d) >= 96) {
        *vcc = 1;
        return s == d ? s * 0x1p64f : s;
    }
    if (DENORMAL32(d)) return s * 0x1p64f;
    f64 inverse = 1.0 / (f64)d;
    int tiny = DENORMAL32(n / d);
    if (DENORMAL64(inverse) && tiny) {
        *vcc = 1;
        return s == d ? s * 0x1p64f : s;
    }
    if (DENORMAL64(inverse)) return s * 0x1p-64f;
    if (tiny) {
        *vcc = 1;
        return s == n ? s * 0x1p64f : s;
    }
    return EXPONENT32(n) <= 23 ? s * 0x1p64f : s;
}
ALWAYS f64 scaled_part64(f64 s, f64 d, f64 n, int *vcc) {
    *vcc = n == 0 || d == 0;
    if (*vcc) return __builtin_nan("");
    if (EXPONENT64(n) - EXPONENT64(d) >= 768) {
        *vcc = 1;
        return s == d ? s * 0x1p128 : s;
    }
    if (DENORMAL64(d)) return s * 0x1p128;
    int tiny = DENORMAL64(n / d), large = DENORMAL64(1.0 / d);
    if (large && tiny) {
        *vcc = 1;
        return s == d ? s * 0x1p128 : s;
    }
    if (large) return s * 0x1p-128;
    if (tiny) {
        *vcc = 1;
        return s == n ? s * 0x1p128 : s;
    }
    return EXPONENT64(n) <= 53 ? s * 0x1p128 : s;
}
ALWAYS vf64 two_over_pi(vf64 a, vu32 which) {
    // The bits of 2/pi behind the point, the first ones first; cards have 1,201.
    static const u32 digits[] = {
        0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A,
        0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41,
        0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF,
        0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08,
        0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D, 0xA9E39161, 0x5EE61B08, 0x6599855F};
    vf64 r;
    EACH_LANE {
        f64 x = a[l];
        int shift = (int)(which[l] & 31) * 53, e = EXPONENT64(x);
        if (e > 1077) shift += e - 1077;
        u64 found = 0;
        for (int bit = 0; bit < 53; bit++) {
            int at = shift + bit;
            found = found << 1 | (at < 1201 ? digits[at / 32] >> (31 - at % 32) & 1 : 0);
        }
        r[l] = __builtin_ldexp((f64)found, -53 - shift + (e >= 1968 ? 128 : 0));
    }
    return r;
}

// --- classes: signalling NaN, quiet NaN, then from -infinity to +infinity --------------------

#define CLASS(name, V, T, U, EXP, MAN, VI)                                        \
    ALWAYS VI is_class_##name(V a, vu32 wanted) {                                 \
        VI r;                                                                     \
        EACH_LANE {                                                               \
            U bits = AS((T)a[l], U);                                              \
            int negative = bits >> (EXP + MAN) & 1;                               \
            U e = bits >> MAN & (((U)1 << EXP) - 1), m = bits & (((U)1 << MAN) - 1); \
            int number = e == ((U)1 << EXP) - 1 ? (m ? -1 : 0) : e ? 1 : m ? 2 : 3; \
            u32 is = number == -1 ? (m >> (MAN - 1) ? 2u : 1u) : negative ? 4u << number : 512u >> number; \
            r[l] = wanted[l] & is ? -1 : 0;                                       \
        }                                                                         \
        return r;                                                                 \
    }
CLASS(f32, vf32, f32, u32, 8, 23, vi32)
CLASS(f64, vf64, f64, u64, 11, 52, vi64)
CLASS(f16, vf16, f16, u16, 5, 10, vi16)

// --- dot products ---------------------------------------------------------------------------

ALWAYS vf32 half_of(vu32 x, int high) { return CONVERT(AS(CONVERT(x >> (vu32)(high * 16), vu16), vf16), vf32); }
ALWAYS vf32 dot2_f16(vu32 a, vu32 b, vf32 c) {
    return __builtin_elementwise_fma(half_of(a, 1), half_of(b, 1), __builtin_elementwise_fma(half_of(a, 0), half_of(b, 0), c));
}
ALWAYS vf32 dot2_bf16(vu32 a, vu32 b, vf32 c) {
    vf32 low = AS(a << 16, vf32) * AS(b << 16, vf32), high = AS(a & 0xffff0000, vf32) * AS(b & 0xffff0000, vf32);
    return c + low + high;
}
ALWAYS vf16 half_at(vu32 x, int high) { return AS(CONVERT(x >> (vu32)(high * 16), vu16), vf16); }
ALWAYS vf16 dot2_half(vu32 a, vu32 b, vf16 c) {
    return half_mad(half_at(a, 1), half_at(b, 1), half_mad(half_at(a, 0), half_at(b, 0), c));
}
ALWAYS vu32 to_bf16(vf32 x) {
    vu32 bits = AS(x, vu32);
    return (x != x) ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
ALWAYS vf32 round_bf16(vf32 x) { return AS(to_bf16(x) << 16, vf32); }
ALWAYS vu16 dot2_short_bf16(vu32 a, vu32 b, vu16 c) {
    vf32 low = round_bf16(AS(a << 16, vf32) * AS(b << 16, vf32)), high = round_bf16(AS(a & 0xffff0000, vf32) * AS(b & 0xffff0000, vf32));
    return CONVERT(to_bf16(round_bf16(bf16_to_float(c) + low) + high), vu16);
}
#define DOT(name, V, COUNT, WIDTH, SHIFT)                                          \
    ALWAYS V name(vu32 a, vu32 b, V c) {                                           \
        for (int n = 0; n < COUNT; n++)                                            \
            c += (AS(a << (vu32)(32 - WIDTH * (n + 1)), V) >> SHIFT) * (AS(b << (vu32)(32 - WIDTH * (n + 1)), V) >> SHIFT); \
        return c;                                                                  \
    }
DOT(dot4_signed, vi32, 4, 8, 24)
DOT(dot4_unsigned, vu32, 4, 8, 24)
DOT(dot8_signed, vi32, 8, 4, 28)
DOT(dot8_unsigned, vu32, 8, 4, 28)
DOT(dot2_signed, vi32, 2, 16, 16)
DOT(dot2_unsigned, vu32, 2, 16, 16)

// The face of a cube that a direction points to, and where on it.
ALWAYS vi32 points_along_z(vf32 a, vf32 b, vf32 c) {
    vf32 x = __builtin_elementwise_abs(a), y = __builtin_elementwise_abs(b), z = __builtin_elementwise_abs(c);
    return (z >= x) & (z >= y);
}
ALWAYS vi32 points_along_y(vf32 a, vf32 b) { return __builtin_elementwise_abs(b) >= __builtin_elementwise_abs(a); }
ALWAYS vf32 cube_face(vf32 a, vf32 b, vf32 c) {
    vf32 z = (c < 0) ? (vf32)5 : (vf32)4, y = (b < 0) ? (vf32)3 : (vf32)2, x = (a < 0) ? (vf32)1 : (vf32)0;
    return points_along_z(a, b, c) ? z : points_along_y(a, b) ? y : x;
}
ALWAYS vf32 cube_across(vf32 a, vf32 b, vf32 c) {
    return points_along_z(a, b, c) ? ((c < 0) ? -a : a) : points_along_y(a, b) ? a : ((a < 0) ? c : -c);
}
ALWAYS vf32 cube_down(vf32 a, vf32 b, vf32 c) {
    return points_along_z(a, b, c) ? -b : points_along_y(a, b) ? ((b < 0) ? -c : c) : -b;
}
ALWAYS vf32 cube_axis(vf32 a, vf32 b, vf32 c) {
    return 2.0f * (points_along_z(a, b, c) ? c : points_along_y(a, b) ? b : a);
}

// --- fp8: FNUZ, as MI300 has it ---------------------------------------------------------------

ALWAYS f32 one_fp8(u32 x, int exponents, int mantissas, int bias) {
    if (x == 0x80) return __builtin_nanf("");
    u32 e = x >> mantissas & ((1u << exponents) - 1), m = x & ((1u << mantissas) - 1);
    f32 r = e ? (f32)(m | 1u << mantissas) : (f32)m;
    int n = (e ? (int)e : 1) - bias - mantissas;
    r *= AS((u32)(n + 127) << 23, f32);
    return x & 0x80 ? -r : r;
}
ALWAYS u32 to_one_fp8(f32 x, int exponents, int mantissas, int bias) {
    u32 sign = AS(x, u32) >> 24 & 0x80;
    if (x - x != 0) return 0x80;
    f32 most = (f32)((1u << (mantissas + 1)) - 1) * AS((u32)((1 << exponents) - 1 - bias - mantissas + 127) << 23, f32);
    f32 size = x < 0 ? -x : x;
    int e = EXPONENT32(size) - 127;
    if (e < 1 - bias) e = 1 - bias;
    f32 step = AS((u32)(e - mantissas + 127) << 23, f32);
    f32 rounded = __builtin_roundevenf(size / step) * step;
    if (rounded > most) return 0x80;
    if (rounded == 0) return 0;
    e = EXPONENT32(rounded) - 127;
    u32 bits = e < 1 - bias ? (u32)(rounded / AS((u32)(1 - bias - mantissas + 127) << 23, f32))
                            : (u32)(e + bias) << mantissas | (AS(rounded, u32) >> (23 - mantissas) & ((1u << mantissas) - 1));
    return sign | bits;
}
ALWAYS vf32 from_fp8(vu32 a) {
    vf32 r;
    EACH_LANE r[l] = one_fp8(a[l], 4, 3, 8);
    return r;
}
ALWAYS vf32 from_bf8(vu32 a) {
    vf32 r;
    EACH_LANE r[l] = one_fp8(a[l], 5, 2, 16);
    return r;
}
ALWAYS vu32 to_fp8(vf32 a) {
    vu32 r;
    EACH_LANE r[l] = to_one_fp8(a[l], 4, 3, 8);
    return r;
}
ALWAYS vu32 to_bf8(vf32 a) {
    vu32 r;
    EACH_LANE r[l] = to_one_fp8(a[l], 5, 2, 16);
    return r;
}

// --- the scalar unit --------------------------------------------------------------------------

ALWAYS u64 bits_u64(u64 x, u32 from, u32 count) { return count >= 64 ? x >> from : x >> from & ((1ul << count) - 1); }
ALWAYS i64 bits_i64(i64 x, u32 from, u32 count) {
    if (count == 0) return 0;
    if (count >= 64) return x >> from;
    u64 raw = (u64)(x >> from) & ((1ul << count) - 1), sign = 1ul << (count - 1);
    return (i64)((raw ^ sign) - sign);
}
ALWAYS u64 quads64(u64 x) {
    x |= x >> 1, x |= x >> 2, x &= 0x1111111111111111ul;
    return x * 15;
}
ALWAYS u32 quads32(u32 x) { return (u32)quads64(x); }
ALWAYS u64 quad_bits(u64 x) {
    u64 r = 0;
    for (int n = 0; n < 16; n++) r |= (u64)((x >> n * 4 & 15) != 0) << n;
    return r;
}
ALWAYS u64 twice_each(u32 x) {
    u64 r = 0;
    for (int n = 0; n < 32; n++) r |= (u64)(x >> n & 1) * 3 << n * 2;
    return r;
}

// --- atomics ----------------------------------------------------------------------------------

ALWAYS u32 halves_added(u32 a, u32 b) {
    f16 low = (f16)((f32)AS((u16)a, f16) + (f32)AS((u16)b, f16)), high = (f16)((f32)AS((u16)(a >> 16), f16) + (f32)AS((u16)(b >> 16), f16));
    return (u32)AS(high, u16) << 16 | AS(low, u16);
}
ALWAYS u32 rounded_bf16(f32 x) {
    u32 bits = AS(x, u32);
    return x != x ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
ALWAYS u32 bf16_added(u32 a, u32 b) {
    f32 low = AS(a << 16, f32) + AS(b << 16, f32), high = AS(a & 0xffff0000, f32) + AS(b & 0xffff0000, f32);
    return rounded_bf16(high) << 16 | rounded_bf16(low);
}
