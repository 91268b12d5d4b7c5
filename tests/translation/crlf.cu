#include <cuda_runtime.h>
#include <cstdio>

#define FREE(x) \
  cudaFree(x)

__device__ void stop() { __trap(); }
void f(void* x) {
  FREE(x);
  cudaDeviceSynchronize();
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>
#include <cstdio>

#define FREE(x) \
  hipFree(x)

__device__ void stop() { __trap(); }
void f(void* x) {
  FREE(x);
  hipDeviceSynchronize();
}
