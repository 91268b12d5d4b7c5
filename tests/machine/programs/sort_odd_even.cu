// Odd-even transposition in one block of 1024 threads, and a rank sort that counts what is smaller.
#include "common.h"

__global__ void odd_even(short *data, int n) {
    __shared__ short values[2048];
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = data[i];
    __syncthreads();
    for (int phase = 0; phase < n; ++phase) {
        int i = 2 * threadIdx.x + (phase & 1);
        if (i + 1 < n && values[i] > values[i + 1]) {
            short kept = values[i];
            values[i] = values[i + 1];
            values[i + 1] = kept;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = values[i];
}

__global__ void rank_sort(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0;
    double mine = in[i];
    for (int j = 0; j < n; ++j) rank += in[j] < mine || (in[j] == mine && j < i);
    out[rank] = mine;
}

int main() {
    const int n = 700;
    Random random(121);
    std::vector<short> shorts(n);
    std::vector<double> doubles(n);
    for (short &value : shorts) value = (short)(random.below(60000) - 30000);
    for (double &value : doubles) value = (random.below(2000) - 1000) / 8.0;
    short *a = to_device(shorts);
    double *b = to_device(doubles), *c = device_zeros<double>(n);
    odd_even<<<1, 512>>>(a, n);
    rank_sort<<<(n + 63) / 64, 64>>>(b, c, n);
    CHECK_KERNEL();
    show("shorts", to_host(a, n));
    show("doubles", to_host(c, n));
    return 0;
}
