// Atomics of every kind and type, in global and in shared memory, with results that do not depend on the order.
#include "common.h"

typedef unsigned long long u64;

struct Results {
    int add, sub, exchange_sum, least, most, bits_and, bits_or, bits_xor;
    unsigned inc, dec, uleast, umost, uand, uor, uxor, uadd;
    u64 add64, least64, most64, and64, or64, xor64, cas64;
    float fadd;
    double dadd;
    int cas, fmost_bits;
};

__device__ void all_of(Results *r, unsigned i, unsigned value) {
    atomicAdd(&r->add, (int)value % 1000 - 500);
    atomicSub(&r->sub, (int)value % 777);
    atomicMin(&r->least, (int)value);
    atomicMax(&r->most, (int)value);
    atomicAnd(&r->bits_and, (int)(value | 0xff00ff00u));
    atomicOr(&r->bits_or, (int)(value & 0x0f0f0f0fu));
    atomicXor(&r->bits_xor, (int)value);
    atomicInc(&r->inc, 99u);
    atomicDec(&r->dec, 77u);
    atomicMin(&r->uleast, value);
    atomicMax(&r->umost, value);
    atomicAnd(&r->uand, value | 0x00ffff00u);
    atomicOr(&r->uor, value & 0x01010101u);
    atomicXor(&r->uxor, value * 3);
    atomicAdd(&r->uadd, value);
    u64 wide = (u64)value << 20 | i;
    atomicAdd(&r->add64, wide);
    atomicMin(&r->least64, wide);
    atomicMax(&r->most64, wide);
    atomicAnd(&r->and64, wide | 0xffff0000ffffull);
    atomicOr(&r->or64, wide & 0xf0f0f0f0f0ull);
    atomicXor(&r->xor64, wide * 5);
    atomicAdd(&r->fadd, (float)(value % 16) * 0.25f);
    atomicAdd(&r->dadd, (double)(value % 1024) * 0.125);
    int seen = r->cas, expected;
    do {  // a product modulo a prime, by compare-and-swap
        expected = seen;
        seen = atomicCAS(&r->cas, expected, (int)((u64)(unsigned)expected * (value % 1000 + 1) % 1000003));
    } while (seen != expected);
    u64 wide_seen = r->cas64, wide_expected;
    do {
        wide_expected = wide_seen;
        wide_seen = atomicCAS(&r->cas64, wide_expected, wide_expected + (wide ^ wide >> 3));
    } while (wide_seen != wide_expected);
    atomicMax(&r->fmost_bits, __float_as_int((float)(value >> 8)));
    atomicAdd(&r->exchange_sum, atomicExch(&r->exchange_sum, 0));
}

__device__ void begin(Results *r) {
    *r = Results{};
    r->least = 0x7fffffff;
    r->most = -0x7fffffff - 1;
    r->bits_and = -1;
    r->uleast = r->uand = ~0u;
    r->least64 = r->and64 = ~0ull;
    r->cas = 1;
}

__global__ void begin_global(Results *r) { begin(r); }
__global__ void global(const unsigned *values, int n, Results *r) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all_of(r, i, values[i]);
}
__global__ void shared(const unsigned *values, int n, Results *out) {
    __shared__ Results r;
    if (threadIdx.x == 0) begin(&r);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) all_of(&r, i, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) *out = r;
}

void show_all(const char *where, const Results &r) {
    std::printf("%s\n", where);
    int ints[] = {r.add, r.sub, r.least, r.most, r.bits_and, r.bits_or, r.bits_xor, r.cas, r.fmost_bits, r.exchange_sum};
    unsigned words[] = {r.inc, r.dec, r.uleast, r.umost, r.uand, r.uor, r.uxor, r.uadd};
    u64 longs[] = {r.add64, r.least64, r.most64, r.and64, r.or64, r.xor64, r.cas64};
    show("ints", ints, 10);
    show("words", words, 8);
    show("longs", longs, 7);
    show("float", r.fadd);
    show("double", r.dadd);
}

int main() {
    const int n = 1500;
    Random random(521);
    std::vector<unsigned> numbers(n);
    for (unsigned &number : numbers) number = random.next();
    unsigned *values = to_device(numbers);
    Results *r = device_zeros<Results>(1), *s = device_zeros<Results>(1);
    begin_global<<<1, 1>>>(r);
    global<<<(n + 127) / 128, 128>>>(values, n, r);
    shared<<<1, 256>>>(values, n, s);
    CHECK_KERNEL();
    show_all("global text", to_host(r, 1)[0]);
    show_all("shared text", to_host(s, 1)[0]);
    return 0;
}
