// Three kernels in a row: flags, a scan of them, and a stable scatter; then runs of equal values encoded.
#include "common.h"

__global__ void flag(const int *in, int n, int *flags, bool runs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = runs ? i == 0 || in[i] != in[i - 1] : in[i] % 4 == 1;
}

__global__ void scan(const int *flags, int *places, int n) {  // exclusive, by one block that carries on
    __shared__ int values[256];
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int start = 0; start < n; start += 256) {
        int i = start + threadIdx.x, mine = i < n ? flags[i] : 0;
        values[threadIdx.x] = mine;
        __syncthreads();
        for (int offset = 1; offset < 256; offset *= 2) {
            int other = threadIdx.x >= offset ? values[threadIdx.x - offset] : 0;
            __syncthreads();
            values[threadIdx.x] += other;
            __syncthreads();
        }
        if (i < n) places[i] = carry + values[threadIdx.x] - mine;
        __syncthreads();
        if (threadIdx.x == 0) carry += values[255];
        __syncthreads();
    }
    if (threadIdx.x == 0) places[n] = carry;
}

__global__ void scatter(const int *in, const int *flags, const int *places, int n, int *out, int *origin) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i]) {
        out[places[i]] = in[i];
        origin[places[i]] = i;
    }
}

int main() {
    const int n = 5003;
    std::vector<int> values = random_ints(n, 30, 551);
    for (int i = 1; i < n; ++i)
        if (values[i] % 3 == 0) values[i] = values[i - 1];
    int *in = to_device(values), *flags = device_zeros<int>(n), *places = device_zeros<int>(n + 1);
    int *out = device_zeros<int>(n), *origin = device_zeros<int>(n);
    for (int runs = 0; runs < 2; ++runs) {
        flag<<<(n + 127) / 128, 128>>>(in, n, flags, runs != 0);
        scan<<<1, 256>>>(flags, places, n);
        scatter<<<(n + 127) / 128, 128>>>(in, flags, places, n, out, origin);
        CHECK_KERNEL();
        int found = to_host(places + n, 1)[0];
        show(runs ? "runs" : "kept", found);
        show(runs ? "run_values" : "kept_values", to_host(out, found));
        show(runs ? "run_starts" : "kept_origins", to_host(origin, found));
    }
    return 0;
}
