// Activations and their gradients: gelu (both), silu, softplus, elu, mish; SwiGLU over two halves of a row.
#include "common.h"

struct Gelu { __device__ static float of(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); } };
struct GeluTanh {
    __device__ static float of(float x) { return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
};
struct Silu { __device__ static float of(float x) { return x / (1.0f + expf(-x)); } };
struct Softplus { __device__ static float of(float x) { return x > 20.0f ? x : log1pf(expf(x)); } };
struct Elu { __device__ static float of(float x) { return x > 0.0f ? x : expm1f(x); } };
struct Mish { __device__ static float of(float x) { return x * tanhf(log1pf(expf(x))); } };

template <typename Activation>
__global__ void apply(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = Activation::of(x[i]);
}

__global__ void swiglu(const float *x, float *y, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) return;
    const float *row = x + i / columns * 2 * columns;
    y[i] = Silu::of(row[i % columns]) * row[columns + i % columns];
}

__global__ void silu_backwards(const float *x, const float *dy, float *dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sigmoid = 1.0f / (1.0f + expf(-x[i]));
    dx[i] = dy[i] * sigmoid * (1.0f + x[i] * (1.0f - sigmoid));
}

template <typename Activation>
void run(const char *label, const float *x, float *y, int n) {
    apply<Activation><<<(n + 255) / 256, 256>>>(x, y, n);
    CHECK_KERNEL();
    show(label, to_host(y, n));
}

int main() {
    const int n = 10000;
    float *x = to_device(random_floats(n, -6, 6, 331)), *dy = to_device(random_floats(n, -1, 1, 332)), *y = device_zeros<float>(n);
    run<Gelu>("gelu", x, y, n);
    run<GeluTanh>("gelu_tanh", x, y, n);
    run<Silu>("silu", x, y, n);
    run<Softplus>("softplus", x, y, n);
    run<Elu>("elu", x, y, n);
    run<Mish>("mish", x, y, n);
    swiglu<<<(n / 2 + 255) / 256, 256>>>(x, y, 50, 100);
    CHECK_KERNEL();
    show("swiglu", to_host(y, n / 2));
    silu_backwards<<<(n + 255) / 256, 256>>>(x, dy, y, n);
    CHECK_KERNEL();
    show("silu_backwards", to_host(y, n));
    return 0;
}
