#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)
__device__ unsigned long long votes(int wanted) { return __ballot(wanted) + __shfl_down(wanted, 32) + warpSize; }
#else
__device__ unsigned votes(int wanted) { return __ballot_sync(0xffffffff, wanted); }
#endif

__global__ void kernel(unsigned long long* x) { x[0] = votes(1); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP__)
__device__ unsigned long long votes(int wanted) { return __ballot(wanted) + __shfl_down(wanted, 32) + warpSize; }
#else
__device__ unsigned votes(int wanted) { return __ballot_sync(0xffffffff, wanted); }
#endif

__global__ void kernel(unsigned long long* x) { x[0] = votes(1); }
