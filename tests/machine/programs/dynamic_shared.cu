// One dynamic piece of shared memory cut into arrays of three types, sized at the launch; more than 48 KiB on request.
#include "common.h"

__global__ void cut(const int *in, double *out, int n) {
    extern __shared__ __align__(16) unsigned char memory[];
    double *doubles = reinterpret_cast<double *>(memory);
    int *ints = reinterpret_cast<int *>(doubles + n);
    short *shorts = reinterpret_cast<short *>(ints + n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int value = in[blockIdx.x * n + i];
        doubles[i] = value / 4.0;
        ints[n - 1 - i] = value * 3;
        shorts[(i + 5) % n] = (short)value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = doubles[i] + ints[i] + shorts[i] / 8.0;
}

template <typename T>
struct SharedMemory {
    __device__ operator T *() {
        extern __shared__ __align__(16) unsigned char memory[];
        return reinterpret_cast<T *>(memory);
    }
};

template <typename T>
__global__ void reverse(T *data, int n) {
    T *values = SharedMemory<T>();
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = values[n - 1 - i];
}

int main() {
    const int n = 300, blocks = 8, many = 7000;
    int *in = to_device(random_ints(blocks * n, 30000, 431));
    double *out = device_zeros<double>(blocks * n);
    cut<<<blocks, 96, n * (sizeof(double) + sizeof(int) + sizeof(short))>>>(in, out, n);
    CHECK_KERNEL();
    show("cut", to_host(out, blocks * n));
    std::vector<double> values(many);
    for (int i = 0; i < many; ++i) values[i] = i * 0.5;
    double *doubles = to_device(values);
    CHECK(cudaFuncSetAttribute(reverse<double>, cudaFuncAttributeMaxDynamicSharedMemorySize, many * (int)sizeof(double)));
    reverse<double><<<1, 256, many * sizeof(double)>>>(doubles, many);
    int *ints = to_device(random_ints(1000, 99, 432));
    reverse<int><<<1, 64, 1000 * sizeof(int)>>>(ints, 1000);
    CHECK_KERNEL();
    show("reversed", to_host(doubles, many));
    show("ints", to_host(ints, 1000));
    return 0;
}
