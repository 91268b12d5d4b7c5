// Rows of floats to bytes with a scale each (greatest magnitude by atomicMax on bits), and back.
#include "common.h"

__global__ void greatest(const float *x, unsigned *bits, int columns) {
    __shared__ unsigned most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += blockDim.x) atomicMax(&most, __float_as_uint(fabsf(x[blockIdx.x * columns + i])));
    __syncthreads();
    if (threadIdx.x == 0) bits[blockIdx.x] = most;
}

__global__ void quantise(const float *x, const unsigned *bits, signed char *q, float *scales, int columns) {
    float scale = __uint_as_float(bits[blockIdx.x]) / 127.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        int value = __float2int_rn(x[blockIdx.x * columns + i] / scale);
        q[blockIdx.x * columns + i] = (signed char)max(-127, min(127, value));
    }
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

__global__ void dequantise(const signed char *q, const float *scales, float *x, int columns) {
    const char4 *quads = reinterpret_cast<const char4 *>(q + blockIdx.x * columns);
    float4 *out = reinterpret_cast<float4 *>(x + blockIdx.x * columns);
    float scale = scales[blockIdx.x];
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x)
        out[i] = make_float4(quads[i].x * scale, quads[i].y * scale, quads[i].z * scale, quads[i].w * scale);
}

int main() {
    const int rows = 30, columns = 400, n = rows * columns;
    float *x = to_device(random_floats(n, -3, 3, 341)), *scales = device_zeros<float>(rows), *back = device_zeros<float>(n);
    unsigned *bits = device_zeros<unsigned>(rows);
    signed char *q = device_zeros<signed char>(n);
    greatest<<<rows, 128>>>(x, bits, columns);
    quantise<<<rows, 128>>>(x, bits, q, scales, columns);
    dequantise<<<rows, 128>>>(q, scales, back, columns);
    CHECK_KERNEL();
    show("bits", to_host(bits, rows));
    show("scales", to_host(scales, rows));
    show("bytes", to_host(q, n));
    show("back", to_host(back, n));
    return 0;
}
