#include <cuda_runtime.h>

__device__ unsigned lane() {
#ifdef __HIP_DEVICE_COMPILE__
  return __lane_id();
#else
  unsigned result;
  asm("mov.u32 %0, %%laneid;" : "=r"(result));
  return result;
#endif
}

__global__ void kernel(unsigned* x) { x[threadIdx.x] = lane(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

__device__ unsigned lane() {
#ifdef __HIP_DEVICE_COMPILE__
  return __lane_id();
#else
  unsigned result;
  asm("mov.u32 %0, %%laneid;" : "=r"(result));
  return result;
#endif
}

__global__ void kernel(unsigned* x) { x[threadIdx.x] = lane(); }
