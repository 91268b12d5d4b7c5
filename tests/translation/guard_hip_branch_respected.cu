#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
typedef hipStream_t gpuStream_t;
#define gpuMalloc hipMalloc
#else
#include <cuda_runtime.h>
typedef cudaStream_t gpuStream_t;
#define gpuMalloc cudaMalloc
#endif

__device__ unsigned lane() {
#ifdef __HIP_PLATFORM_AMD__
  return __lane_id();
#else
  unsigned result;
  asm("mov.u32 %0, %%laneid;" : "=r"(result));
  return result;
#endif
}

void allocate(void** memory, size_t bytes) { gpuMalloc(memory, bytes); }
// ---- unchanged ----
