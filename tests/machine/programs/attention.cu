// Causal attention by tiles of keys in shared memory with an online softmax, one thread for each query.
#include "common.h"
#include <cfloat>

constexpr int SIZE = 32, TILE = 32;

__global__ void attention(const float *q, const float *k, const float *v, float *out, float *logsum, int tokens, float scale) {
    __shared__ float keys[TILE][SIZE], values[TILE][SIZE];
    int head = blockIdx.y, query = blockIdx.x * blockDim.x + threadIdx.x, base = head * tokens * SIZE;
    float mine[SIZE], sums[SIZE] = {}, most = -FLT_MAX, total = 0.0f;
    for (int d = 0; d < SIZE; ++d) mine[d] = query < tokens ? q[base + query * SIZE + d] * scale : 0.0f;
    int last = min(tokens, (int)((blockIdx.x + 1) * blockDim.x));
    for (int start = 0; start < last; start += TILE) {
        for (int i = threadIdx.x; i < TILE * SIZE; i += blockDim.x) {
            bool there = start + i / SIZE < tokens;
            keys[i / SIZE][i % SIZE] = there ? k[base + start * SIZE + i] : 0.0f;
            values[i / SIZE][i % SIZE] = there ? v[base + start * SIZE + i] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < TILE && start + j <= query; ++j) {
            float score = 0.0f;
            for (int d = 0; d < SIZE; ++d) score += mine[d] * keys[j][d];
            float next = fmaxf(most, score), shrink = expf(most - next), weight = expf(score - next);
            total = total * shrink + weight;
            for (int d = 0; d < SIZE; ++d) sums[d] = sums[d] * shrink + weight * values[j][d];
            most = next;
        }
        __syncthreads();
    }
    if (query >= tokens) return;
    for (int d = 0; d < SIZE; ++d) out[base + query * SIZE + d] = sums[d] / total;
    logsum[head * tokens + query] = most + logf(total);
}

int main() {
    const int heads = 2, tokens = 90, count = heads * tokens * SIZE;
    float *q = to_device(random_floats(count, -2, 2, 321)), *k = to_device(random_floats(count, -2, 2, 322));
    float *v = to_device(random_floats(count, -1, 1, 323)), *out = device_zeros<float>(count);
    float *logsum = device_zeros<float>(heads * tokens);
    attention<<<dim3((tokens + 63) / 64, heads), 64>>>(q, k, v, out, logsum, tokens, 0.17677669f);
    CHECK_KERNEL();
    show("out", to_host(out, count));
    show("logsum", to_host(logsum, heads * tokens));
    return 0;
}
