#include <cuda_runtime.h>

__device__ float atomicMax(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void largest(float* out, const float* in) { atomicMax(out, in[threadIdx.x]); }
// ---- HIP ----
#include <hip/hip_runtime.h>

#if !defined(__HIP_PLATFORM_AMD__)
__device__ float atomicMax(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
#endif

__global__ void largest(float* out, const float* in) { atomicMax(out, in[threadIdx.x]); }
// ---- findings ----
// 3 noted atomicMax
