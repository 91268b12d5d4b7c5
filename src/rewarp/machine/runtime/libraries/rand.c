// The generators, as their authors published them. A stream here is one sequence; a card deals several out to its threads,
// so the numbers are not a card's, but they come from the same generator.
#include "rand.h"

// --- XORWOW (Marsaglia) ----------------------------------------------------------------------

static void begin_xorwow(Stream *s) {
    uint32_t low = (uint32_t)s->seed ^ 0x2c7f967fu, high = (uint32_t)(s->seed >> 32) ^ 0xa03697cbu;
    uint32_t a = 1228688033u * low, b = 2073658381u * high;
    uint32_t x[5] = {123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a};
    memcpy(s->xorwow.x, x, sizeof x);
    s->xorwow.d = 6615241u + b + a;
}
static uint32_t next_xorwow(Stream *s) {
    uint32_t *x = s->xorwow.x, t = x[0] ^ x[0] >> 2;
    x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = x[4];
    x[4] = x[4] ^ x[4] << 4 ^ t ^ t << 1;
    s->xorwow.d += 362437;
    return s->xorwow.d + x[4];
}

// --- MRG32k3a (L'Ecuyer) ---------------------------------------------------------------------

static const uint64_t M1 = 4294967087u, M2 = 4294944443u;
static void begin_mrg(Stream *s) {
    uint64_t low = s->seed & 0xffffffffu, high = s->seed >> 32;
    for (int i = 0; i < 3; ++i) {
        s->mrg.a[i] = (12345 + (i == 1 ? high : low) * 1000003u) % M1;
        s->mrg.b[i] = (12345 + (i == 1 ? low : high) * 1000033u) % M2;
    }
    if (!(s->mrg.a[0] | s->mrg.a[1] | s->mrg.a[2])) s->mrg.a[0] = 1;
    if (!(s->mrg.b[0] | s->mrg.b[1] | s->mrg.b[2])) s->mrg.b[0] = 1;
}
static uint32_t next_mrg(Stream *s) {
    uint64_t *a = s->mrg.a, *b = s->mrg.b;
    uint64_t p = (1403580 * a[1] + 810728 * (M1 - a[0])) % M1, q = (527612 * b[2] + 1370589 * (M2 - b[0])) % M2;
    a[0] = a[1], a[1] = a[2], a[2] = p;
    b[0] = b[1], b[1] = b[2], b[2] = q;
    return (uint32_t)(p > q ? p - q : p + M1 - q);
}

// --- Philox 4x32, 10 rounds (Salmon and others) ----------------------------------------------

static void philox_block(Stream *s) {
    uint32_t c[4] = {(uint32_t)s->philox.counter, (uint32_t)(s->philox.counter >> 32), 0, 0};
    uint32_t k[2] = {(uint32_t)s->seed, (uint32_t)(s->seed >> 32)};
    for (int round = 0; round < 10; ++round, k[0] += 0x9e3779b9u, k[1] += 0xbb67ae85u) {
        uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
        uint32_t made[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, made, sizeof c);
    }
    memcpy(s->philox.block, c, sizeof c);
}
static void begin_philox(Stream *s) {
    s->philox.counter = s->offset / 4, s->philox.used = (int)(s->offset % 4);
    philox_block(s);
}
static uint32_t next_philox(Stream *s) {
    if (s->philox.used == 4) ++s->philox.counter, s->philox.used = 0, philox_block(s);
    return s->philox.block[s->philox.used++];
}

// --- MT19937 (Matsumoto and Nishimura) -------------------------------------------------------

static void begin_twister(Stream *s) {
    uint32_t *x = s->twister.state;
    x[0] = (uint32_t)(s->seed ^ s->seed >> 32);
    for (uint32_t i = 1; i < 624; ++i) x[i] = 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
    s->twister.at = 624;
}
static uint32_t next_twister(Stream *s) {
    uint32_t *x = s->twister.state;
    if (s->twister.at == 624) {
        for (int i = 0; i < 624; ++i) {
            uint32_t y = (x[i] & 0x80000000u) | (x[(i + 1) % 624] & 0x7fffffffu);
            x[i] = x[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        s->twister.at = 0;
    }
    uint32_t y = x[s->twister.at++];
    y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

uint32_t next32(Stream *s) {
    static void (*const begin[])(Stream *) = {begin_xorwow, begin_mrg, begin_philox, begin_twister};
    static uint32_t (*const next[])(Stream *) = {next_xorwow, next_mrg, next_philox, next_twister};
    if (!s->begun) {
        s->begun = 1;
        begin[s->family](s);
        for (uint64_t i = 0; i < s->offset && s->family != PHILOX; ++i) next[s->family](s);
    }
    return next[s->family](s);
}

// --- Sobol's sequence ------------------------------------------------------------------------

// Joe and Kuo's direction numbers for the dimensions behind the first: degree, polynomial, first numbers.
static const struct { int degree, polynomial, first[7]; } JOE_KUO[MOST_DIMENSIONS - 1] = {
    {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}}, {5, 4, {1, 1, 5, 5, 5}}, {5, 7, {1, 1, 7, 11, 19}}, {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}}, {5, 14, {1, 3, 5, 5, 31}}, {6, 1, {1, 3, 3, 9, 7, 49}}, {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}}, {6, 19, {1, 1, 1, 15, 7, 5}}, {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}}, {7, 1, {1, 3, 7, 11, 23, 15, 103}}, {7, 4, {1, 3, 7, 13, 13, 15, 69}}};

uint64_t sobol(int dimension, uint64_t index, int bits) {
    uint64_t v[64], gray = index ^ index >> 1, found = 0;
    for (int i = 0; i < bits; ++i) {
        if (dimension == 0) {
            v[i] = (uint64_t)1 << (bits - 1 - i);
            continue;
        }
        int degree = JOE_KUO[dimension - 1].degree, polynomial = JOE_KUO[dimension - 1].polynomial;
        if (i < degree) {
            v[i] = (uint64_t)JOE_KUO[dimension - 1].first[i] << (bits - 1 - i);
            continue;
        }
        v[i] = v[i - degree] ^ v[i - degree] >> degree;
        for (int k = 1; k < degree; ++k)
            if (polynomial >> (degree - 1 - k) & 1) v[i] ^= v[i - k];
    }
    for (int i = 0; i < bits && gray >> i; ++i)
        if (gray >> i & 1) found ^= v[i];
    return found;
}
