// y = a x + y, with a grid that is larger than the array and one that is smaller (grid-stride loop).
#include "common.h"

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

__global__ void saxpy4(int n4, float a, const float4 *x, float4 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 u = x[i], v = y[i];
    y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}

int main() {
    const int n = 100004;
    float *x = to_device(random_floats(n, -1, 1, 1)), *y = to_device(random_floats(n, -1, 1, 2));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.5f, x, y);
    CHECK_KERNEL();
    show("plain", to_host(y, n));
    saxpy_strided<<<16, 192>>>(n, -0.75f, x, y);
    CHECK_KERNEL();
    show("strided", to_host(y, n));
    saxpy4<<<(n / 4 + 127) / 128, 128>>>(n / 4, 0.125f, reinterpret_cast<float4 *>(x), reinterpret_cast<float4 *>(y));
    CHECK_KERNEL();
    show("vector", to_host(y, n));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}
