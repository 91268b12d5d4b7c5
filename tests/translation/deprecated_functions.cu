#include <cuda_runtime.h>

void old(cudaStream_t stream) {
  cudaThreadSynchronize();
  cudaThreadSetLimit(cudaLimitStackSize, 1024);
  cudaThreadExit();
  int* pinned;
  cudaHostAlloc((void**)&pinned, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

void old(hipStream_t stream) {
  hipDeviceSynchronize();
  hipDeviceSetLimit(hipLimitStackSize, 1024);
  hipDeviceReset();
  int* pinned;
  hipHostAlloc((void**)&pinned, 64, hipHostMallocMapped | hipHostMallocWriteCombined);
}
