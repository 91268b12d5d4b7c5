// C = A B, one thread for each number of C, floats and integers, with rows that do not fill the blocks.
#include "common.h"

template <typename T>
__global__ void multiply(const T *a, const T *b, T *c, int rows, int columns, int inner) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || column >= columns) return;
    T sum = 0;
    for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

int main() {
    const int rows = 70, columns = 93, inner = 101;
    float *a = to_device(random_floats(rows * inner, -1, 1, 131)), *b = to_device(random_floats(inner * columns, -1, 1, 132));
    float *c = device_zeros<float>(rows * columns);
    int *p = to_device(random_ints(rows * inner, 50000, 133)), *q = to_device(random_ints(inner * columns, 50000, 134));
    int *r = device_zeros<int>(rows * columns);
    dim3 block(16, 16), grid((columns + 15) / 16, (rows + 15) / 16);
    multiply<<<grid, block>>>(a, b, c, rows, columns, inner);
    multiply<<<grid, block>>>(p, q, r, rows, columns, inner);
    CHECK_KERNEL();
    show("floats", to_host(c, rows * columns));
    show("ints", to_host(r, rows * columns));
    return 0;
}
