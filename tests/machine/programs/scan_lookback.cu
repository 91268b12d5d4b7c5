// A scan in one pass: each block publishes its sum and looks back until it finds one that knows its prefix.
#include "common.h"

constexpr int THREADS = 128;
enum : unsigned { NOTHING = 0, SUM_READY = 1, PREFIX_READY = 2 };

struct Status {
    unsigned flag, sum, prefix;
};

__global__ void scan(const unsigned *in, unsigned *out, volatile Status *status, unsigned *next_block, int n) {
    __shared__ unsigned values[THREADS];
    __shared__ unsigned number, before;
    if (threadIdx.x == 0) number = atomicAdd(next_block, 1);
    __syncthreads();
    unsigned block = number;
    int i = block * THREADS + threadIdx.x;
    unsigned mine = i < n ? in[i] : 0;
    values[threadIdx.x] = mine;
    __syncthreads();
    for (int offset = 1; offset < THREADS; offset *= 2) {
        unsigned other = threadIdx.x >= offset ? values[threadIdx.x - offset] : 0;
        __syncthreads();
        values[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        unsigned sum = values[THREADS - 1], prefix = 0;
        status[block].sum = sum;
        __threadfence();
        status[block].flag = SUM_READY;
        for (int look = (int)block - 1; look >= 0;) {
            unsigned flag = status[look].flag;
            __threadfence();
            if (flag == PREFIX_READY) {
                prefix += status[look].prefix;
                break;
            }
            if (flag == SUM_READY) prefix += status[look--].sum;
        }
        status[block].prefix = prefix + sum;
        __threadfence();
        status[block].flag = PREFIX_READY;
        before = prefix;
    }
    __syncthreads();
    if (i < n) out[i] = before + values[threadIdx.x];
}

int main() {
    const int n = 30011, blocks = (n + THREADS - 1) / THREADS;
    std::vector<int> values = random_ints(n, 5000, 51);
    unsigned *in = to_device(std::vector<unsigned>(values.begin(), values.end())), *out = device_zeros<unsigned>(n);
    Status *status = device_zeros<Status>(blocks);
    unsigned *next_block = device_zeros<unsigned>(1);
    scan<<<blocks, THREADS>>>(in, out, status, next_block, n);
    CHECK_KERNEL();
    show("scan", to_host(out, n));
    show("blocks", to_host(next_block, 1));
    return 0;
}
