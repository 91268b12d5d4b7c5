#include <cuda_runtime.h>

typedef __device_builtin__ struct __builtin_align__(32) eight_floats {
  float x[8];
} eight_floats;

extern __device__ __device_builtin__ void __threadfence(void);

__global__ void fill(eight_floats* out) { out[threadIdx.x].x[0] = alignof(eight_floats); }
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

typedef __device_builtin__ struct __builtin_align__(32) eight_floats {
  float x[8];
} eight_floats;

extern __device__ __device_builtin__ void __threadfence(void);

__global__ void fill(eight_floats* out) { out[threadIdx.x].x[0] = alignof(eight_floats); }
