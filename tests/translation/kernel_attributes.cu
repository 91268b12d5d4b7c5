#include <cuda_runtime.h>

extern __shared__ float buffer[];

template <typename T>
__global__ void __launch_bounds__(256, 2) kernel(T* x) {
  extern __shared__ unsigned char storage[];
  x[threadIdx.x] = T(buffer[threadIdx.x]) + T(storage[0]);
}

template __global__ void kernel<float>(float*);
typedef void (*Kernel)(float*);

int configure(int bytes) {
  Kernel chosen = kernel<float>;
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel<float>);
  cudaFuncSetAttribute(kernel<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetCacheConfig(chosen, cudaFuncCachePreferShared);
  int blocks = 0, grid = 0, block = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<float>, 256, bytes);
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel<float>, 0, 0);
  chosen<<<grid, block, bytes>>>(nullptr);
  return blocks;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

extern __shared__ float buffer[];

template <typename T>
__global__ void __launch_bounds__(256, 2) kernel(T* x) {
  extern __shared__ unsigned char storage[];
  x[threadIdx.x] = T(buffer[threadIdx.x]) + T(storage[0]);
}

template __global__ void kernel<float>(float*);
typedef void (*Kernel)(float*);

int configure(int bytes) {
  Kernel chosen = kernel<float>;
  hipFuncAttributes attributes;
  hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel<float>));
  hipFuncSetAttribute(reinterpret_cast<const void*>(kernel<float>), hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
  hipFuncSetCacheConfig(reinterpret_cast<const void*>(chosen), hipFuncCachePreferShared);
  int blocks = 0, grid = 0, block = 0;
  hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel<float>, 256, bytes);
  hipOccupancyMaxPotentialBlockSize(&grid, &block, kernel<float>, 0, 0);
  chosen<<<grid, block, bytes>>>(nullptr);
  return blocks;
}
// ---- findings ----
// 6 noted __launch_bounds__
