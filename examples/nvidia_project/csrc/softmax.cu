#include "kernels.cuh"
#include "warp.cuh"

namespace warpnorm {
namespace {

constexpr int kThreads = 256;
constexpr size_t kDefaultShared = 48 * 1024;

// One block per row; the row lives in dynamic shared memory between the passes.
__global__ void __launch_bounds__(kThreads)
softmax_kernel(const float *__restrict__ x, float *__restrict__ y, int cols) {
  extern __shared__ float cached[];
  const float *row = x + static_cast<size_t>(blockIdx.x) * cols;
  float local = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    cached[i] = row[i];
    local = fmaxf(local, cached[i]);
  }
  const float highest = block_max(local);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) {
    cached[i] = fast_exp(cached[i] - highest);
    sum += cached[i];
  }
  const float total = block_sum(sum);

  for (int i = threadIdx.x; i < cols; i += kThreads)
    y[static_cast<size_t>(blockIdx.x) * cols + i] = cached[i] / total;
}

}  // namespace

cudaError_t softmax(const float *x, float *y, int rows, int cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  const size_t bytes = cols * sizeof(float);
  if (bytes > kDefaultShared) {
    // Up to 164 KiB on A100 and 228 KiB on H100 can be had by asking.
    const cudaError_t asked = cudaFuncSetAttribute(
        softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    if (asked != cudaSuccess) return asked;
  }
  softmax_kernel<<<rows, kThreads, bytes, stream>>>(x, y, cols);
  return cudaGetLastError();
}

}  // namespace warpnorm
