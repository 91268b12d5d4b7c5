// C = alpha A B + beta C by tiles in shared memory, each thread 4 × 4 numbers in registers.
#include "common.h"

constexpr int TILE = 64, DEPTH = 16, WORK = 4;

__global__ void __launch_bounds__(256) multiply(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
    __shared__ float at[DEPTH][TILE + 1], bt[DEPTH][TILE];
    int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    float sums[WORK][WORK] = {};
    for (int start = 0; start < k; start += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += 256) {
            int row = i / DEPTH, depth = i % DEPTH;
            at[depth][row] = row0 + row < m && start + depth < k ? a[(row0 + row) * k + start + depth] : 0.0f;
            int depth2 = i / TILE, column = i % TILE;
            bt[depth2][column] = column0 + column < n && start + depth2 < k ? b[(start + depth2) * n + column0 + column] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int depth = 0; depth < DEPTH; ++depth) {
            float left[WORK], right[WORK];
#pragma unroll
            for (int i = 0; i < WORK; ++i) {
                left[i] = at[depth][ty + 16 * i];
                right[i] = bt[depth][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < WORK; ++i)
#pragma unroll
                for (int j = 0; j < WORK; ++j) sums[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < WORK; ++i)
        for (int j = 0; j < WORK; ++j) {
            int row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;
            if (row < m && column < n) c[row * n + column] = alpha * sums[i][j] + beta * c[row * n + column];
        }
}

int main() {
    const int m = 150, n = 130, k = 90;
    float *a = to_device(random_floats(m * k, -1, 1, 141)), *b = to_device(random_floats(k * n, -1, 1, 142));
    float *c = to_device(random_floats(m * n, -1, 1, 143));
    multiply<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), 256>>>(a, b, c, m, n, k, 1.5f, -0.5f);
    CHECK_KERNEL();
    show("c", to_host(c, m * n));
    return 0;
}
