// FNV-1a, MurmurHash3, xxHash's avalanche and SipHash-2-4 of keys of every length from 0 to 40 bytes.
#include "common.h"

typedef unsigned long long u64;

__device__ unsigned fnv(const unsigned char *data, int length) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < length; ++i) hash = (hash ^ data[i]) * 16777619u;
    return hash;
}

__device__ unsigned murmur(const unsigned char *data, int length, unsigned seed) {
    unsigned hash = seed, k;
    for (int i = 0; i + 4 <= length; i += 4) {
        k = data[i] | data[i + 1] << 8 | data[i + 2] << 16 | (unsigned)data[i + 3] << 24;
        k *= 0xcc9e2d51u;
        k = __funnelshift_l(k, k, 15) * 0x1b873593u;
        hash = __funnelshift_l(hash ^ k, hash ^ k, 13) * 5 + 0xe6546b64u;
    }
    k = 0;
    for (int i = (length & 3) - 1; i >= 0; --i) k = k << 8 | data[(length & ~3) + i];
    k *= 0xcc9e2d51u;
    hash ^= __funnelshift_l(k, k, 15) * 0x1b873593u;
    hash ^= length;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

__device__ u64 turn(u64 x, int bits) { return x << bits | x >> (64 - bits); }

__device__ void round(u64 v[4]) {
    v[0] += v[1]; v[1] = turn(v[1], 13) ^ v[0]; v[0] = turn(v[0], 32);
    v[2] += v[3]; v[3] = turn(v[3], 16) ^ v[2];
    v[0] += v[3]; v[3] = turn(v[3], 21) ^ v[0];
    v[2] += v[1]; v[1] = turn(v[1], 17) ^ v[2]; v[2] = turn(v[2], 32);
}

__device__ u64 sip(const unsigned char *data, int length, u64 k0, u64 k1) {
    u64 v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    for (int start = 0; start <= length; start += 8) {
        u64 word = 0;
        bool last = start + 8 > length;
        for (int i = 0; i < 8 && start + i < length; ++i) word |= (u64)data[start + i] << 8 * i;
        if (last) word |= (u64)length << 56;
        v[3] ^= word;
        round(v); round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

__global__ void hash_all(const unsigned char *data, int keys, unsigned *f, unsigned *m, u64 *s, u64 *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= keys) return;
    int length = i % 41;
    const unsigned char *key = data + i * 40;
    f[i] = fnv(key, length);
    m[i] = murmur(key, length, 42);
    s[i] = sip(key, length, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
    u64 mixed = s[i];
    mixed = (mixed ^ mixed >> 33) * 0xC2B2AE3D27D4EB4Full;
    mixed = (mixed ^ mixed >> 29) * 0x165667B19E3779F9ull;
    x[i] = (mixed ^ mixed >> 32) + __umul64hi(mixed, 0x9E3779B97F4A7C15ull);
}

int main() {
    const int keys = 1000;
    std::vector<int> numbers = random_ints(keys * 40, 256, 411);
    unsigned char *data = to_device(std::vector<unsigned char>(numbers.begin(), numbers.end()));
    unsigned *f = device_zeros<unsigned>(keys), *m = device_zeros<unsigned>(keys);
    u64 *s = device_zeros<u64>(keys), *x = device_zeros<u64>(keys);
    hash_all<<<(keys + 95) / 96, 96>>>(data, keys, f, m, s, x);
    CHECK_KERNEL();
    show("fnv", to_host(f, keys));
    show("murmur", to_host(m, keys));
    show("sip", to_host(s, keys));
    show("mixed", to_host(x, keys));
    return 0;
}
