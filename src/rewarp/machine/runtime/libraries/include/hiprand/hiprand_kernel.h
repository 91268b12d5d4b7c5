// hipRAND in device code: Philox, XORWOW and MRG32k3a. The generators are the published ones, seeded and split into
// sequences as rocRAND does for Philox and XORWOW; how numbers become floats may differ from rocRAND in the last bits.
#pragma once
#include <hip/hip_runtime.h>
#include <hiprand/hiprand.h>
struct rewarp_boxmuller {
    float kept;
    double kept_double;
    int has, has_double;
};
struct hiprandStateXORWOW_t : rewarp_boxmuller { unsigned int d, x[5]; };
struct hiprandStatePhilox4_32_10_t : rewarp_boxmuller { unsigned int counter[4], key[2], result[4], used; };
struct hiprandStateMRG32k3a_t : rewarp_boxmuller { unsigned long long a[3], b[3]; };
typedef hiprandStateXORWOW_t hiprandState_t, hiprandState, hiprandStateXORWOW;
typedef hiprandStatePhilox4_32_10_t hiprandStatePhilox4_32_10;
typedef hiprandStateMRG32k3a_t hiprandStateMRG32k3a;

#if defined(__HIP__)  // plain C++ may include this for the types
#include <hiprand/xorwow_jumps.h>

#define QUALIFIERS static __forceinline__ __device__

QUALIFIERS void rewarp_begin(rewarp_boxmuller *state) { state->has = state->has_double = 0; }

// --- XORWOW ----------------------------------------------------------------------------------

QUALIFIERS unsigned int hiprand(hiprandStateXORWOW_t *s) {
    unsigned int t = s->x[0] ^ (s->x[0] >> 2);
    s->x[0] = s->x[1], s->x[1] = s->x[2], s->x[2] = s->x[3], s->x[3] = s->x[4];
    s->x[4] = s->x[4] ^ (s->x[4] << 4) ^ t ^ (t << 1);
    s->d += 362437;
    return s->d + s->x[4];
}
QUALIFIERS void skipahead(unsigned long long n, hiprandStateXORWOW_t *s) {
    for (unsigned long long i = 0; i < n; ++i) hiprand(s);
}
// Sequences lie 2^67 numbers apart: as many jumps as the digits of their number to the base 4 say.
QUALIFIERS void skipahead_sequence(unsigned long long n, hiprandStateXORWOW_t *s) {
    for (int digit = 0; n; ++digit, n >>= 2)
        for (int times = n & 3; times; --times) {
            unsigned int moved[5] = {0, 0, 0, 0, 0};
            for (int bit = 0; bit < 160; ++bit)
                if (s->x[bit / 32] >> (bit % 32) & 1)
                    for (int word = 0; word < 5; ++word) moved[word] ^= rewarp_xorwow_jumps[digit][bit][word];
            for (int word = 0; word < 5; ++word) s->x[word] = moved[word];
        }
}
QUALIFIERS void hiprand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, hiprandStateXORWOW_t *s) {
    unsigned int low = (unsigned int)seed ^ 0x2c7f967fu, high = (unsigned int)(seed >> 32) ^ 0xa03697cbu;
    unsigned int a = 1228688033u * low, b = 2073658381u * high;
    rewarp_begin(s);
    s->x[0] = 123456789u + a, s->x[1] = 362436069u ^ a, s->x[2] = 521288629u + b, s->x[3] = 88675123u ^ b, s->x[4] = 5783321u + a;
    s->d = 6615241u + b + a;
    skipahead_sequence(sequence, s);
    skipahead(offset, s);
}

// --- Philox ----------------------------------------------------------------------------------

QUALIFIERS void rewarp_philox(hiprandStatePhilox4_32_10_t *s) {
    unsigned int c[4] = {s->counter[0], s->counter[1], s->counter[2], s->counter[3]}, k[2] = {s->key[0], s->key[1]};
    for (int round = 0; round < 10; ++round, k[0] += 0x9e3779b9u, k[1] += 0xbb67ae85u) {
        unsigned int high_a = __umulhi(0xd2511f53u, c[0]), low_a = 0xd2511f53u * c[0];
        unsigned int high_b = __umulhi(0xcd9e8d57u, c[2]), low_b = 0xcd9e8d57u * c[2];
        unsigned int first = high_b ^ c[1] ^ k[0], third = high_a ^ c[3] ^ k[1];
        c[0] = first, c[1] = low_b, c[2] = third, c[3] = low_a;
    }
    for (int i = 0; i < 4; ++i) s->result[i] = c[i];
}
QUALIFIERS void rewarp_count(hiprandStatePhilox4_32_10_t *s, unsigned long long n) {
    unsigned long long low = ((unsigned long long)s->counter[1] << 32 | s->counter[0]) + n;
    if (low < n && !++s->counter[2]) ++s->counter[3];
    s->counter[0] = (unsigned int)low, s->counter[1] = (unsigned int)(low >> 32);
}
QUALIFIERS void skipahead(unsigned long long n, hiprandStatePhilox4_32_10_t *s) {
    unsigned int place = s->used + (unsigned int)(n & 3);
    rewarp_count(s, n / 4 + place / 4);
    s->used = place % 4;
    rewarp_philox(s);
}
QUALIFIERS void skipahead_sequence(unsigned long long n, hiprandStatePhilox4_32_10_t *s) {
    unsigned long long high = ((unsigned long long)s->counter[3] << 32 | s->counter[2]) + n;
    s->counter[2] = (unsigned int)high, s->counter[3] = (unsigned int)(high >> 32);
    rewarp_philox(s);
}
QUALIFIERS void hiprand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, hiprandStatePhilox4_32_10_t *s) {
    rewarp_begin(s);
    s->key[0] = (unsigned int)seed, s->key[1] = (unsigned int)(seed >> 32);
    s->counter[0] = s->counter[1] = s->used = 0;
    s->counter[2] = (unsigned int)sequence, s->counter[3] = (unsigned int)(sequence >> 32);
    skipahead(offset, s);
}
QUALIFIERS unsigned int hiprand(hiprandStatePhilox4_32_10_t *s) {
    unsigned int found = s->result[s->used];
    if (++s->used == 4) s->used = 0, rewarp_count(s, 1), rewarp_philox(s);
    return found;
}
QUALIFIERS uint4 hiprand4(hiprandStatePhilox4_32_10_t *s) {
    unsigned int a = hiprand(s), b = hiprand(s), c = hiprand(s), d = hiprand(s);
    return make_uint4(a, b, c, d);
}

// --- MRG32k3a --------------------------------------------------------------------------------

QUALIFIERS unsigned int hiprand(hiprandStateMRG32k3a_t *s) {
    const unsigned long long m1 = 4294967087u, m2 = 4294944443u;
    unsigned long long p = (1403580 * s->a[1] + 810728 * (m1 - s->a[0])) % m1, q = (527612 * s->b[2] + 1370589 * (m2 - s->b[0])) % m2;
    s->a[0] = s->a[1], s->a[1] = s->a[2], s->a[2] = p;
    s->b[0] = s->b[1], s->b[1] = s->b[2], s->b[2] = q;
    return (unsigned int)(p > q ? p - q : p + m1 - q);
}
QUALIFIERS void skipahead(unsigned long long n, hiprandStateMRG32k3a_t *s) {
    for (unsigned long long i = 0; i < n; ++i) hiprand(s);
}
// Sequences begin from states that are mixed from seed and number, not from one far along the first.
QUALIFIERS void hiprand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, hiprandStateMRG32k3a_t *s) {
    unsigned long long z = seed ^ sequence * 0x9e3779b97f4a7c15ull;
    rewarp_begin(s);
    for (int i = 0; i < 6; ++i) {
        z += 0x9e3779b97f4a7c15ull;
        unsigned long long y = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        y = (y ^ (y >> 27)) * 0x94d049bb133111ebull;
        y = (y ^ (y >> 31)) % 4294944000u + 1;
        (i < 3 ? s->a[i] : s->b[i - 3]) = y;
    }
    skipahead(offset, s);
}

// --- what is made of numbers -----------------------------------------------------------------

QUALIFIERS float rewarp_unit(unsigned int x) { return 2.3283064365386963e-10f + x * 2.3283064365386963e-10f; }
QUALIFIERS double rewarp_unit_double(unsigned int low, unsigned int high) {
    return ((double)(((unsigned long long)high << 32 | low) >> 11) + 1.0) * 1.1102230246251565e-16;
}
QUALIFIERS float2 rewarp_normals(unsigned int a, unsigned int b) {
    float radius = sqrtf(-2 * logf(rewarp_unit(a))), sine, cosine;
    sincosf(6.283185307179586f * rewarp_unit(b), &sine, &cosine);
    return make_float2(radius * sine, radius * cosine);
}
template <typename State> QUALIFIERS float hiprand_uniform(State *s) { return rewarp_unit(hiprand(s)); }
template <typename State> QUALIFIERS double hiprand_uniform_double(State *s) {
    unsigned int low = hiprand(s), high = hiprand(s);
    return rewarp_unit_double(low, high);
}
template <typename State> QUALIFIERS float2 hiprand_normal2(State *s) {
    unsigned int a = hiprand(s), b = hiprand(s);
    return rewarp_normals(a, b);
}
template <typename State> QUALIFIERS float hiprand_normal(State *s) {
    if (s->has) {
        s->has = 0;
        return s->kept;
    }
    float2 both = hiprand_normal2(s);
    s->has = 1, s->kept = both.y;
    return both.x;
}
template <typename State> QUALIFIERS double2 hiprand_normal2_double(State *s) {
    double radius = sqrt(-2 * log(hiprand_uniform_double(s))), sine, cosine;
    sincos(6.283185307179586 * hiprand_uniform_double(s), &sine, &cosine);
    return make_double2(radius * sine, radius * cosine);
}
template <typename State> QUALIFIERS double hiprand_normal_double(State *s) {
    if (s->has_double) {
        s->has_double = 0;
        return s->kept_double;
    }
    double2 both = hiprand_normal2_double(s);
    s->has_double = 1, s->kept_double = both.y;
    return both.x;
}
template <typename State> QUALIFIERS float hiprand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * hiprand_normal(s)); }
template <typename State> QUALIFIERS double hiprand_log_normal_double(State *s, double mean, double deviation) { return exp(mean + deviation * hiprand_normal_double(s)); }
template <typename State> QUALIFIERS unsigned int hiprand_poisson(State *s, double lambda) {
    if (lambda > 500) {
        double k = floor(lambda + sqrt(lambda) * hiprand_normal_double(s) + 0.5);
        return k < 0 ? 0 : (unsigned int)k;
    }
    double u = hiprand_uniform_double(s), part = exp(-lambda), sum = part;
    unsigned int k = 0;
    while (u > sum && k < 10000) part *= lambda / ++k, sum += part;
    return k;
}
QUALIFIERS float4 hiprand_uniform4(hiprandStatePhilox4_32_10_t *s) {
    uint4 x = hiprand4(s);
    return make_float4(rewarp_unit(x.x), rewarp_unit(x.y), rewarp_unit(x.z), rewarp_unit(x.w));
}
QUALIFIERS double2 hiprand_uniform2_double(hiprandStatePhilox4_32_10_t *s) {
    uint4 x = hiprand4(s);
    return make_double2(rewarp_unit_double(x.x, x.y), rewarp_unit_double(x.z, x.w));
}
QUALIFIERS float4 hiprand_normal4(hiprandStatePhilox4_32_10_t *s) {
    uint4 x = hiprand4(s);
    float2 first = rewarp_normals(x.x, x.y), second = rewarp_normals(x.z, x.w);
    return make_float4(first.x, first.y, second.x, second.y);
}
#undef QUALIFIERS
#endif
