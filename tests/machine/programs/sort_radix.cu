// Radix sort of keys with values, 4 bits a pass: count by block, scan, scatter in order.
#include "common.h"
#include <utility>

constexpr int BITS = 4, DIGITS = 1 << BITS, THREADS = 128;

__global__ void count(const unsigned *keys, int n, int shift, unsigned *counts) {
    __shared__ unsigned local[DIGITS];
    if (threadIdx.x < DIGITS) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&local[keys[i] >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void scan(unsigned *counts, int n) {  // one block: each thread takes a piece
    __shared__ unsigned sums[256];
    int piece = (n + 255) / 256, start = threadIdx.x * piece, end = min(start + piece, n);
    unsigned sum = 0;
    for (int i = start; i < end; ++i) sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned running = 0;
        for (int i = 0; i < 256; ++i) {
            unsigned kept = sums[i];
            sums[i] = running;
            running += kept;
        }
    }
    __syncthreads();
    unsigned running = sums[threadIdx.x];
    for (int i = start; i < end; ++i) {
        unsigned kept = counts[i];
        counts[i] = running;
        running += kept;
    }
}

__global__ void scatter(const unsigned *keys, const int *values, unsigned *keys_out, int *values_out, int n, int shift,
                        const unsigned *offsets) {
    __shared__ unsigned char digits[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned digit = i < n ? keys[i] >> shift & (DIGITS - 1) : DIGITS;
    digits[threadIdx.x] = (unsigned char)digit;
    __syncthreads();
    if (i >= n) return;
    unsigned rank = 0;  // stable: how many of the same digit come before in the block
    for (int other = 0; other < threadIdx.x; ++other) rank += digits[other] == digit;
    unsigned place = offsets[digit * gridDim.x + blockIdx.x] + rank;
    keys_out[place] = keys[i];
    values_out[place] = values[i];
}

int main() {
    const int n = 6000, blocks = (n + THREADS - 1) / THREADS;
    Random random(91);
    std::vector<unsigned> start(n);
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) {
        start[i] = random.next() % 100000;
        order[i] = i;
    }
    unsigned *keys = to_device(start), *other_keys = device_zeros<unsigned>(n), *counts = device_zeros<unsigned>(DIGITS * blocks);
    int *values = to_device(order), *other_values = device_zeros<int>(n);
    for (int shift = 0; shift < 20; shift += BITS) {
        count<<<blocks, THREADS>>>(keys, n, shift, counts);
        scan<<<1, 256>>>(counts, DIGITS * blocks);
        scatter<<<blocks, THREADS>>>(keys, values, other_keys, other_values, n, shift, counts);
        std::swap(keys, other_keys);
        std::swap(values, other_values);
    }
    CHECK_KERNEL();
    show("keys", to_host(keys, n));
    show("values", to_host(values, n));
    return 0;
}
