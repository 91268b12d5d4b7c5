// Integers of 8 to 128 bits: division and remainder by variables, products modulo a prime, greatest common divisors.
#include "common.h"

typedef unsigned long long u64;

struct Wide {
    u64 high, low;
};

__device__ Wide product(u64 a, u64 b) { return {__umul64hi(a, b), a * b}; }
__device__ Wide sum(Wide a, Wide b) {
    u64 low = a.low + b.low;
    return {a.high + b.high + (low < a.low), low};
}

__device__ u64 times_modulo(u64 a, u64 b, u64 modulus) {
    u64 result = 0;
    for (a %= modulus; b; b >>= 1) {
        if (b & 1) result = result >= modulus - a ? result - (modulus - a) : result + a;
        a = a >= modulus - a ? a - (modulus - a) : a + a;
    }
    return result;
}

__device__ u64 common_divisor(u64 a, u64 b) {
    while (b) {
        u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

__global__ void wide(const u64 *a, const u64 *b, u64 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 x = a[i], y = b[i], *row = out + 8 * i;
    Wide both = sum(product(x, y), product(x ^ y, y + 12345));
    row[0] = both.high;
    row[1] = both.low;
    row[2] = y ? x / y : 0;
    row[3] = y ? x % y : 0;
    row[4] = (u64)((long long)x / (long long)(y >> 33 | 1));
    row[5] = (u64)((long long)x % (long long)(y >> 7 | 1));
    row[6] = times_modulo(x, y, 0xffffffffffffffc5ull);
    row[7] = common_divisor(x >> 20, y >> 20);
}

__global__ void narrow(const u64 *a, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    signed char c = (signed char)a[i], d = (signed char)(a[i] >> 8 | 1);
    short s = (short)(a[i] >> 16), t = (short)(a[i] >> 32 | 1);
    unsigned u = (unsigned)a[i], v = (unsigned)(a[i] >> 32) | 1;
    int *row = out + 8 * i;
    row[0] = c / d + (signed char)(c * d);
    row[1] = c % d;
    row[2] = s / t + (short)(s * t);
    row[3] = s % t;
    row[4] = (int)(u / v + u / 7 + u / 1000003);
    row[5] = (int)(u % v ^ u % 7 ^ u % 641);
    row[6] = (int)u / (int)v - (int)u / -9;
    row[7] = ((int)u >> 5) + (int)(u >> 5) + (c < d) + (s < t) + (u < v);
}

__global__ void primes(unsigned *count, unsigned limit) {
    unsigned n = (blockIdx.x * blockDim.x + threadIdx.x) * 2 + 3;
    bool prime = n < limit;
    for (unsigned d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
    if (prime) atomicAdd(count, 1u);
}

int main() {
    const int n = 600;
    Random random(491);
    std::vector<u64> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = random.next_long() >> i % 40;
        y[i] = random.next_long() >> i % 57;
    }
    u64 *a = to_device(x), *b = to_device(y), *out = device_zeros<u64>(8 * n);
    int *small = device_zeros<int>(8 * n);
    unsigned *count = device_zeros<unsigned>(1);
    wide<<<(n + 63) / 64, 64>>>(a, b, out, n);
    narrow<<<(n + 63) / 64, 64>>>(a, small, n);
    primes<<<40, 256>>>(count, 20000);
    CHECK_KERNEL();
    show("wide", to_host(out, 8 * n));
    show("narrow", to_host(small, 8 * n));
    show("primes", to_host(count, 1)[0] + 1);
    return 0;
}
