// compile: no, HIP has no pipeline
#include <cuda_pipeline.h>
#include <cuda_pipeline_primitives.h>

__global__ void staged(float* out, const float* x) {
  __shared__ float stage[128];
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(stage[threadIdx.x], x[threadIdx.x], pipe);
  pipe.commit_and_wait();
  out[threadIdx.x] = stage[threadIdx.x];
}
// ---- HIP ----
#include "rewarp_hip.h"

__global__ void staged(float* out, const float* x) {
  __shared__ float stage[128];
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(stage[threadIdx.x], x[threadIdx.x], pipe);
  pipe.commit_and_wait();
  out[threadIdx.x] = stage[threadIdx.x];
}
// ---- findings ----
// 6 noted nvcuda
// 6 unsupported pipeline
// 7 noted nvcuda
// 7 unsupported memcpy_async
