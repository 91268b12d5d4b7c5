// Barriers that count and vote, and a stream compaction in blocks of a size that is no power of two.
#include "common.h"

__global__ void vote(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int counted = __syncthreads_count(in[i] % 3 == 0);
    int everyone = __syncthreads_and(in[i] < 9990);
    int someone = __syncthreads_or(in[i] < 10);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = counted;
        out[3 * blockIdx.x + 1] = everyone != 0;
        out[3 * blockIdx.x + 2] = someone != 0;
    }
}

__global__ void settle(int *values, int *rounds) {  // until no neighbours of the block want to change places
    extern __shared__ int shared[];
    int base = blockIdx.x * blockDim.x, i = threadIdx.x, count = 0;
    shared[i] = values[base + i];
    __syncthreads();
    bool again = true;
    while (again) {
        bool changed = false;
        for (int parity = 0; parity < 2; ++parity) {
            if (i % 2 == parity && i + 1 < blockDim.x && shared[i] > shared[i + 1]) {
                int kept = shared[i];
                shared[i] = shared[i + 1];
                shared[i + 1] = kept;
                changed = true;
            }
            __syncthreads();
        }
        again = __syncthreads_or(changed);
        ++count;
    }
    values[base + i] = shared[i];
    if (i == 0) rounds[blockIdx.x] = count;
}

int main() {
    const int blocks = 40, threads = 200, n = blocks * threads;
    std::vector<int> values = random_ints(n, 10000, 471);
    int *in = to_device(values), *out = device_zeros<int>(3 * blocks);
    vote<<<blocks, threads>>>(in, out);
    int *few = to_device(std::vector<int>(values.begin(), values.begin() + 600)), *rounds = device_zeros<int>(6);
    settle<<<6, 100, 100 * sizeof(int)>>>(few, rounds);
    CHECK_KERNEL();
    show("votes", to_host(out, 3 * blocks));
    show("settled", to_host(few, 600));
    show("rounds", to_host(rounds, 6));
    return 0;
}
