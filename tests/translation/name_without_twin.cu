// compile: no, HIP has no such function
#include <cuda_runtime.h>

void limits(cudaStream_t stream) {
  cudaCtxResetPersistingL2Cache();
  cudaDeviceSynchronize();
}
// ---- HIP ----
#include <hip/hip_runtime.h>

void limits(hipStream_t stream) {
  cudaCtxResetPersistingL2Cache();
  hipDeviceSynchronize();
}
// ---- findings ----
// 4 unsupported cudaCtxResetPersistingL2Cache
