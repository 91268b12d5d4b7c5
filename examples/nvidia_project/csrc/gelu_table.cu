#include <cmath>
#include <vector>

#include "kernels.cuh"

namespace warpnorm {
namespace {

constexpr int kEntries = 4096;
constexpr float kLimit = 8.0f;

// The table is read through the read-only cache; values between two entries are interpolated.
__global__ void gelu_kernel(const float *__restrict__ table, const float *__restrict__ x,
                            float *__restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float value = x[i];
  const float position = fmaxf((value + kLimit) / (2 * kLimit) * (kEntries - 1), 0.0f);
  const int left = min(static_cast<int>(position), kEntries - 2);
  const float low = __ldg(&table[left]), high = __ldg(&table[left + 1]);
  y[i] = value >= kLimit ? value : low + (high - low) * fminf(position - left, 1.0f);
}

// Built once, on the device that is current at the first call, and kept.
cudaError_t make_table(float **table) {
  std::vector<float> values(kEntries);
  for (int i = 0; i < kEntries; ++i) {
    const float x = -kLimit + 2 * kLimit * i / (kEntries - 1);
    values[i] = 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
  }
  const cudaError_t status = cudaMalloc(table, kEntries * sizeof(float));
  if (status != cudaSuccess) return status;
  return cudaMemcpy(*table, values.data(), kEntries * sizeof(float), cudaMemcpyHostToDevice);
}

}  // namespace

cudaError_t gelu_table(const float *x, float *y, int count, cudaStream_t stream) {
  static float *table = nullptr;
  static const cudaError_t made = make_table(&table);
  if (made != cudaSuccess || count == 0) return made;
  gelu_kernel<<<(count + 255) / 256, 256, 0, stream>>>(table, x, y, count);
  return cudaGetLastError();
}

}  // namespace warpnorm
