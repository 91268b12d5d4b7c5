// Functions chosen at run time: a table of pointers on the GPU, pointers fetched by the host, recursion.
#include "common.h"

typedef float (*Operation)(float, float);

__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ __noinline__ float power(float a, float b) { return powf(fabsf(a), b); }
__device__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ Operation operations[4] = {add, subtract, power, larger};
__device__ Operation chosen = subtract;

__global__ void apply(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[(i * 7 >> 3) & 3](a[i], b[i]);
}

__global__ void apply_one(Operation operation, const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operation(a[i], b[i]);
}

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recursive(int *a, long long *f) {
    a[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
    f[threadIdx.x] = fibonacci(threadIdx.x);
}

int main() {
    const int n = 2000;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    float *a = to_device(random_floats(n, -2, 2, 441)), *b = to_device(random_floats(n, 0, 3, 442)), *out = device_zeros<float>(n);
    apply<<<(n + 127) / 128, 128>>>(a, b, out, n);
    CHECK_KERNEL();
    show("table", to_host(out, n));
    Operation operation;
    CHECK(cudaMemcpyFromSymbol(&operation, chosen, sizeof(operation)));
    apply_one<<<(n + 127) / 128, 128>>>(operation, a, b, out, n);
    CHECK_KERNEL();
    show("chosen", to_host(out, n));
    int *values = device_zeros<int>(12);
    long long *numbers = device_zeros<long long>(12);
    recursive<<<1, 12>>>(values, numbers);
    CHECK_KERNEL();
    show("ackermann", to_host(values, 12));
    show("fibonacci", to_host(numbers, 12));
    return 0;
}
