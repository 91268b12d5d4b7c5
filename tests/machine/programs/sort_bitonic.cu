// Bitonic sort: long strides in global memory, short ones in shared memory, ascending and descending.
#include "common.h"

constexpr unsigned SHARED = 512;

__device__ inline void exchange(float &a, float &b, bool ascending) {
    if ((a > b) == ascending) {
        float kept = a;
        a = b;
        b = kept;
    }
}

__global__ void global_step(float *data, unsigned size, unsigned stride, bool ascending) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low = 2 * i - (i & (stride - 1));
    exchange(data[low], data[low + stride], ((low & size) == 0) == ascending);
}

__global__ void shared_steps(float *data, unsigned first_size, unsigned last_size, bool ascending) {
    __shared__ float values[SHARED];
    unsigned base = blockIdx.x * SHARED;
    values[threadIdx.x] = data[base + threadIdx.x];
    values[threadIdx.x + SHARED / 2] = data[base + threadIdx.x + SHARED / 2];
    for (unsigned size = first_size; size <= last_size; size *= 2) {
        for (unsigned stride = min(size / 2, SHARED / 2); stride > 0; stride /= 2) {
            __syncthreads();
            unsigned low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            exchange(values[low], values[low + stride], (((base + low) & size) == 0) == ascending);
        }
    }
    __syncthreads();
    data[base + threadIdx.x] = values[threadIdx.x];
    data[base + threadIdx.x + SHARED / 2] = values[threadIdx.x + SHARED / 2];
}

void sort(float *data, unsigned n, bool ascending) {
    shared_steps<<<n / SHARED, SHARED / 2>>>(data, 2, SHARED, ascending);
    for (unsigned size = 2 * SHARED; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride >= SHARED; stride /= 2)
            global_step<<<n / 512, 256>>>(data, size, stride, ascending);
        shared_steps<<<n / SHARED, SHARED / 2>>>(data, size, size, ascending);
    }
    CHECK_KERNEL();
}

int main() {
    const unsigned n = 8192;
    float *up = to_device(random_floats(n, -100, 100, 101)), *down = to_device(random_floats(n, 0, 1, 102));
    sort(up, n, true);
    sort(down, n, false);
    show("up", to_host(up, n));
    show("down", to_host(down, n));
    return 0;
}
