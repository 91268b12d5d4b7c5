// compile: -DUSE_ROCM, as builds of torch extensions do
#ifdef USE_ROCM
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 bfloat16;
#else
#include <cuda_bf16.h>
typedef __nv_bfloat16 bfloat16;
#endif
#include <cuda_runtime.h>

#ifndef USE_ROCM
#define WARP_SIZE 32
#define SHUFFLE_DOWN(value, offset) __shfl_down_sync(0xffffffff, value, offset)
#else
#define WARP_SIZE warpSize
#define SHUFFLE_DOWN(value, offset) __shfl_down(value, offset)
#endif

__global__ void sum(float* x) {
  float value = x[threadIdx.x];
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += SHUFFLE_DOWN(value, offset);
  x[threadIdx.x] = value;
}

void launch(float* x, cudaStream_t stream) { sum<<<1, 256, 0, stream>>>(x); }
// ---- HIP ----
#include "rewarp_hip.h"
#ifdef USE_ROCM
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 bfloat16;
#else
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 bfloat16;
#endif
#include <hip/hip_runtime.h>

#ifndef USE_ROCM
#define WARP_SIZE 32
#define SHUFFLE_DOWN(value, offset) __shfl_down_sync(0xffffffff, value, offset)
#else
#define WARP_SIZE warpSize
#define SHUFFLE_DOWN(value, offset) __shfl_down(value, offset)
#endif

__global__ void sum(float* x) {
  float value = x[threadIdx.x];
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += SHUFFLE_DOWN(value, offset);
  x[threadIdx.x] = value;
}

void launch(float* x, hipStream_t stream) { sum<<<1, 256, 0, stream>>>(x); }
