// Bytes multiplied four at a time, summed in 32 bits, and scaled back to floats.
#include "common.h"

__global__ void multiply(const int *a, const int *b, int *c, int m, int n, int quads) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    int sum = 0;
    for (int i = 0; i < quads; ++i) sum = __dp4a(a[row * quads + i], b[column * quads + i], sum);
    c[row * n + column] = sum;
}

__global__ void multiply_unsigned(const unsigned *a, const unsigned *b, unsigned *c, int m, int n, int quads) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    unsigned sum = 7;
    for (int i = 0; i < quads; ++i) sum = __dp4a(a[row * quads + i], b[column * quads + i], sum);
    c[row * n + column] = sum;
}

__global__ void scale(const int *c, const float *rows, const float *columns, float *out, int m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n) out[i] = (float)c[i] * rows[i / n] * columns[i % n];
}

int main() {
    const int m = 40, n = 72, k = 128, quads = k / 4;
    Random random(171);
    std::vector<int> packed_a(m * quads), packed_b(n * quads);
    for (int &value : packed_a) value = (int)random.next();
    for (int &value : packed_b) value = (int)random.next();
    int *a = to_device(packed_a), *b = to_device(packed_b), *c = device_zeros<int>(m * n);
    unsigned *u = device_zeros<unsigned>(m * n);
    float *rows = to_device(random_floats(m, 0.01f, 0.02f, 172)), *columns = to_device(random_floats(n, 0.01f, 0.02f, 173));
    float *out = device_zeros<float>(m * n);
    dim3 block(32, 4), grid((n + 31) / 32, (m + 3) / 4);
    multiply<<<grid, block>>>(a, b, c, m, n, quads);
    multiply_unsigned<<<grid, block>>>(reinterpret_cast<unsigned *>(a), reinterpret_cast<unsigned *>(b), u, m, n, quads);
    scale<<<(m * n + 255) / 256, 256>>>(c, rows, columns, out, m, n);
    CHECK_KERNEL();
    show("signed", to_host(c, m * n));
    show("unsigned", to_host(u, m * n));
    show("scaled", to_host(out, m * n));
    return 0;
}
