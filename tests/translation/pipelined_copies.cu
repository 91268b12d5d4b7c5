#include <cuda_pipeline.h>

__global__ void staged(float4* out, const float4* x) {
  __shared__ float4 stage[128];
  __pipeline_memcpy_async(&stage[threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
}
// ---- HIP ----
#include "rewarp_hip.h"

__global__ void staged(float4* out, const float4* x) {
  __shared__ float4 stage[128];
  __pipeline_memcpy_async(&stage[threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
}
