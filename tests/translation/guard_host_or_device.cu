#include <cuda_runtime.h>

__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
  return threadIdx.x;
#else
  return -1;
#endif
}

__host__ __device__ inline float inverse_root(float x) {
#ifndef __CUDA_ARCH__
  return 1.0f / __builtin_sqrtf(x);
#else
  return rsqrtf(x);
#endif
}

#if !defined(__CUDA_ARCH__)
void on_the_host_only() {}
#endif

__global__ void kernel(int* x) { x[0] = where(); }
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

__host__ __device__ int where() {
#ifdef __HIP_DEVICE_COMPILE__
  return threadIdx.x;
#else
  return -1;
#endif
}

__host__ __device__ inline float inverse_root(float x) {
#ifndef __HIP_DEVICE_COMPILE__
  return 1.0f / __builtin_sqrtf(x);
#else
  return rsqrtf(x);
#endif
}

#if !defined(__HIP_DEVICE_COMPILE__)
void on_the_host_only() {}
#endif

__global__ void kernel(int* x) { x[0] = where(); }
