#include <cmath>
#include <vector>

#include "kernels.cuh"

namespace warpnorm {
namespace {

constexpr int kEntries = 4096;
constexpr float kLimit = 8.0f;

__global__ void gelu_kernel(cudaTextureObject_t table, const float *__restrict__ x,
                            float *__restrict__ y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float value = x[i];
  const float position = (value + kLimit) / (2 * kLimit) * (kEntries - 1) + 0.5f;
  y[i] = value >= kLimit ? value : tex1D<float>(table, position);
}

// Built once, on the device that is current at the first call, and kept.
cudaError_t make_table(cudaTextureObject_t *texture) {
  std::vector<float> values(kEntries);
  for (int i = 0; i < kEntries; ++i) {
    const float x = -kLimit + 2 * kLimit * i / (kEntries - 1);
    values[i] = 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
  }
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaError_t status = cudaMallocArray(&array, &format, kEntries);
  if (status != cudaSuccess) return status;
  status = cudaMemcpy2DToArray(array, 0, 0, values.data(), kEntries * sizeof(float),
                               kEntries * sizeof(float), 1, cudaMemcpyHostToDevice);
  if (status != cudaSuccess) return status;

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  return cudaCreateTextureObject(texture, &resource, &description, nullptr);
}

}  // namespace

cudaError_t gelu_table(const float *x, float *y, int count, cudaStream_t stream) {
  static cudaTextureObject_t table = 0;
  static const cudaError_t made = make_table(&table);
  if (made != cudaSuccess || count == 0) return made;
  gelu_kernel<<<(count + 255) / 256, 256, 0, stream>>>(table, x, y, count);
  return cudaGetLastError();
}

}  // namespace warpnorm
