#include <cuda_runtime.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  unsigned long long* whole = (unsigned long long*)address;
  unsigned long long old = *whole, assumed;
  do {
    assumed = old;
    old = atomicCAS(whole, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif

__global__ void sum(double* out, double value) { atomicAdd(out, value); }
// ---- HIP ----
#include <hip/hip_runtime.h>

#if defined(__HIP_DEVICE_COMPILE__) && !defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ < 600 */
__device__ double atomicAdd(double* address, double value) {
  unsigned long long* whole = (unsigned long long*)address;
  unsigned long long old = *whole, assumed;
  do {
    assumed = old;
    old = atomicCAS(whole, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif

__global__ void sum(double* out, double value) { atomicAdd(out, value); }
