// Random numbers of our own (Philox 4×32-10): hits inside a circle, counted exactly, and the mean prices along random paths.
#include "common.h"

__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
        unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

__global__ void inside(unsigned long long *hits, unsigned *first, int tries) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    for (int i = 0; i < tries; ++i) {
        uint4 bits = philox(make_uint4(thread, i, 0, 0), make_uint2(42, 7));
        if (i == 0) first[thread] = bits.x ^ bits.y ^ bits.z ^ bits.w;
        unsigned long long x = bits.x >> 8, y = bits.y >> 8, u = bits.z >> 8, v = bits.w >> 8;
        count += x * x + y * y < 1ull << 48;
        count += u * u + v * v < 1ull << 48;
    }
    atomicAdd(hits, (unsigned long long)count);
}

__global__ void asian(float *means, int steps, float drift, float sigma) {
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    float price = 100.0f, sum = 0.0f;
    for (int i = 0; i < steps; i += 2) {
        uint4 bits = philox(make_uint4(path, i, 1, 0), make_uint2(5, 6));
        float u = ((bits.x >> 8) + 1) / 16777216.0f, v = (bits.y >> 8) / 16777216.0f;  // Box and Muller
        float radius = sqrtf(-2.0f * logf(u)), sine, cosine;
        sincosf(6.28318530718f * v, &sine, &cosine);
        price *= expf(drift + sigma * radius * cosine);
        sum += price;
        price *= expf(drift + sigma * radius * sine);
        sum += price;
    }
    means[path] = sum / steps;
}

int main() {
    const int threads = 2048, tries = 64;
    unsigned long long *hits = device_zeros<unsigned long long>(1);
    unsigned *first = device_zeros<unsigned>(threads);
    float *means = device_zeros<float>(threads);
    inside<<<threads / 128, 128>>>(hits, first, tries);
    asian<<<threads / 128, 128>>>(means, 32, 0.0005f, 0.02f);
    CHECK_KERNEL();
    show("bits", to_host(first, threads));
    show("hits", to_host(hits, 1));
    show("means", to_host(means, threads));
    return 0;
}
