// Template arguments may stand on the next line; a comparison has something behind its `>`.
#include <cuda_runtime.h>

template <int Size, typename T>
__global__ void kernel(T *p) {}

void prepare(int a, int b) {
  cudaFuncSetCacheConfig(kernel
                         <4, float>, cudaFuncCachePreferL1);
  cudaFuncSetAttribute(kernel
                       <4,
                        float>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, a < b);
}
// ---- HIP ----
// Template arguments may stand on the next line; a comparison has something behind its `>`.
#include <hip/hip_runtime.h>

template <int Size, typename T>
__global__ void kernel(T *p) {}

void prepare(int a, int b) {
  hipFuncSetCacheConfig(reinterpret_cast<const void*>(kernel
                         <4, float>), hipFuncCachePreferL1);
  hipFuncSetAttribute(reinterpret_cast<const void*>(kernel
                       <4,
                        float>),
                       hipFuncAttributeMaxDynamicSharedMemorySize, a < b);
}
