// Doubles by tiles of 16 × 16, then a triangular solve and a Cholesky factor of a small matrix.
#include "common.h"

constexpr int TILE = 16;

__global__ void multiply_transposed(const double *a, double *c, int n, int k) {  // c = a aT + n I
    __shared__ double left[TILE][TILE + 1], right[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    double sum = 0;
    for (int start = 0; start < k; start += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * k + start + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = a[(blockIdx.x * TILE + threadIdx.y) * k + start + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[threadIdx.x][i];
        __syncthreads();
    }
    c[row * n + column] = sum + (row == column ? n : 0);
}

__global__ void cholesky(double *a, int n) {  // one block, a column at a time
    for (int column = 0; column < n; ++column) {
        if (threadIdx.x == 0) a[column * n + column] = sqrt(a[column * n + column]);
        __syncthreads();
        for (int row = column + 1 + threadIdx.x; row < n; row += blockDim.x) a[row * n + column] /= a[column * n + column];
        __syncthreads();
        for (int row = column + 1 + threadIdx.x; row < n; row += blockDim.x)
            for (int j = column + 1; j <= row; ++j) a[row * n + j] -= a[row * n + column] * a[j * n + column];
        __syncthreads();
    }
}

__global__ void solve(const double *factor, double *x, int n) {  // forwards: L y = b
    __shared__ double known;
    for (int i = 0; i < n; ++i) {
        if (threadIdx.x == i) known = x[i] = x[i] / factor[i * n + i];
        __syncthreads();
        if (threadIdx.x > i && threadIdx.x < n) x[threadIdx.x] -= factor[threadIdx.x * n + i] * known;
        __syncthreads();
    }
}

int main() {
    const int n = 64, k = 48;
    Random random(161);
    std::vector<double> values(n * k), right(n);
    for (double &value : values) value = random.uniform(-1, 1);
    for (double &value : right) value = random.uniform(-1, 1);
    double *a = to_device(values), *c = device_zeros<double>(n * n), *x = to_device(right);
    multiply_transposed<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, c, n, k);
    CHECK_KERNEL();
    show("product", to_host(c, n * n));
    cholesky<<<1, 64>>>(c, n);
    solve<<<1, 64>>>(c, x, n);
    CHECK_KERNEL();
    show("factor", to_host(c, n * n));
    show("solution", to_host(x, n));
    return 0;
}
