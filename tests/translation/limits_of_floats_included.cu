#include <cfloat>
#include <cub/block/block_reduce.cuh>

__global__ void least(float* out) { out[threadIdx.x] = FLT_MIN; }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cfloat>
#include <hipcub/config.hpp>
#include <hipcub/block/block_reduce.hpp>

__global__ void least(float* out) { out[threadIdx.x] = FLT_MIN; }
