#include "kernels.cuh"
#include "warp.cuh"

namespace warpnorm {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
layer_norm_kernel(const float *__restrict__ x, const float *__restrict__ gamma,
                  const float *__restrict__ beta, float *__restrict__ y, int cols, float eps) {
  const float *row = x + static_cast<size_t>(blockIdx.x) * cols;
  float *out = y + static_cast<size_t>(blockIdx.x) * cols;

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) sum += __ldg(&row[i]);
  const float mean = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    const float centred = __ldg(&row[i]) - mean;
    squares += centred * centred;
  }
  const float scale = rsqrtf(block_sum(squares) / cols + eps);

  for (int i = threadIdx.x; i < cols; i += kThreads)
    out[i] = (row[i] - mean) * scale * __ldg(&gamma[i]) + __ldg(&beta[i]);
}

}  // namespace

cudaError_t layer_norm(const float *x, const float *gamma, const float *beta, float *y,
                       int rows, int cols, float eps, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  layer_norm_kernel<<<rows, kThreads, 0, stream>>>(x, gamma, beta, y, cols, eps);
  return cudaGetLastError();
}

}  // namespace warpnorm
