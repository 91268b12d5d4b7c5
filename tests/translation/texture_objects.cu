// compile: gfx1100, CDNA GPUs have no texture units
#include <cuda_runtime.h>

__global__ void sample(cudaTextureObject_t texture, float* out, int width) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

cudaTextureObject_t bind(const float* host, int width, int height) {
  cudaArray_t array;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channel, width, height);
  cudaMemcpy2DToArray(array, 0, 0, host, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void sample(hipTextureObject_t texture, float* out, int width) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

hipTextureObject_t bind(const float* host, int width, int height) {
  hipArray_t array;
  hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  hipMallocArray(&array, &channel, width, height);
  hipMemcpy2DToArray(array, 0, 0, host, width * sizeof(float), width * sizeof(float), height, hipMemcpyHostToDevice);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipTextureDesc description = {};
  description.addressMode[0] = hipAddressModeClamp;
  description.filterMode = hipFilterModeLinear;
  description.readMode = hipReadModeElementType;
  hipTextureObject_t texture = 0;
  hipCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}
// ---- findings ----
// 5 unsupported tex2D
