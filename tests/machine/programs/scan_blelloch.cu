// An exclusive scan after Blelloch: up, down, without bank conflicts, then block sums scanned and added.
#include "common.h"

constexpr int HALF = 128, COUNT = 2 * HALF;
__host__ __device__ constexpr int padded(int index) { return index + (index >> 5); }

__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, int n) {
    __shared__ unsigned values[COUNT + COUNT / 32 + 1];
    int base = blockIdx.x * COUNT, a = threadIdx.x, b = threadIdx.x + HALF;
    values[padded(a)] = base + a < n ? in[base + a] : 0;
    values[padded(b)] = base + b < n ? in[base + b] : 0;
    int offset = 1;
    for (int active = HALF; active > 0; active >>= 1) {
        __syncthreads();
        if (threadIdx.x < active)
            values[padded(offset * (2 * a + 2) - 1)] += values[padded(offset * (2 * a + 1) - 1)];
        offset *= 2;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (sums) sums[blockIdx.x] = values[padded(COUNT - 1)];
        values[padded(COUNT - 1)] = 0;
    }
    for (int active = 1; active <= HALF; active *= 2) {
        offset >>= 1;
        __syncthreads();
        if (threadIdx.x < active) {
            int left = padded(offset * (2 * a + 1) - 1), right = padded(offset * (2 * a + 2) - 1);
            unsigned kept = values[left];
            values[left] = values[right];
            values[right] += kept;
        }
    }
    __syncthreads();
    if (base + a < n) out[base + a] = values[padded(a)];
    if (base + b < n) out[base + b] = values[padded(b)];
}

__global__ void add_sums(unsigned *out, const unsigned *sums, int n) {
    int i = blockIdx.x * COUNT + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
    if (i + HALF < n) out[i + HALF] += sums[blockIdx.x];
}

int main() {
    const int n = 40003, blocks = (n + COUNT - 1) / COUNT;
    std::vector<int> values = random_ints(n, 1000, 31);
    unsigned *in = to_device(std::vector<unsigned>(values.begin(), values.end()));
    unsigned *out = device_zeros<unsigned>(n), *sums = device_zeros<unsigned>(COUNT), *offsets = device_zeros<unsigned>(COUNT);
    scan_blocks<<<blocks, HALF>>>(in, out, sums, n);
    scan_blocks<<<1, HALF>>>(sums, offsets, nullptr, blocks);
    add_sums<<<blocks, HALF>>>(out, offsets, n);
    CHECK_KERNEL();
    show("scan", to_host(out, n));
    show("offsets", to_host(offsets, blocks));
    return 0;
}
