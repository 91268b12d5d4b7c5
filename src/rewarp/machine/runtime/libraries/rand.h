// Streams of random numbers: one generator, one position in it.
#pragma once
#include "calls.h"

typedef enum { XORWOW, MRG32K3A, PHILOX, MT19937, SOBOL32, SOBOL64 } Family;
typedef struct Stream {
    Family family;
    uint64_t seed, offset;
    int begun;
    union {
        struct { uint32_t x[5], d; } xorwow;
        struct { uint64_t a[3], b[3]; } mrg;
        struct { uint64_t counter; uint32_t block[4]; int used; } philox;
        struct { uint32_t state[624]; int at; } twister;
    };
} Stream;
enum { MOST_DIMENSIONS = 21 };
uint32_t next32(Stream *);                       // begins the stream where it has not begun
uint64_t sobol(int dimension, uint64_t index, int bits);
