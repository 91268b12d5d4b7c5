#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>

struct Plan {
  cudaEvent_t done;
  cuFloatComplex twiddle;
  __nv_bfloat16 bias;
};
# output
6 build-fail: cudaEvent_t
