#include <cuda_runtime.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
static __inline__ __device__ double atomicAdd(double* address, double value) {
  return value;
}
#endif

__global__ void sum(double* out, double value) { atomicAdd(out, value); }
// ---- HIP ----
#include <hip/hip_runtime.h>

#if !defined(__HIP_DEVICE_COMPILE__) || defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 600 */
#else
static __inline__ __device__ double atomicAdd(double* address, double value) {
  return value;
}
#endif

__global__ void sum(double* out, double value) { atomicAdd(out, value); }
