#include <algorithm>
#include <cuda.h>
#include "cuda_runtime.h"
#include <vector>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include "cuda_fp16.h"

#include <driver_types.h>
#  include <vector_types.h>  // the types
#include <cuda_profiler_api.h>

__global__ void kernel(half* x) { x[0] = __float2half(1.0f); }
// ---- HIP ----
#include <algorithm>
#include <hip/hip_runtime.h>
#include <vector>
#include "hip/hip_fp16.h"

#include <hip/driver_types.h>
#  include <hip/hip_vector_types.h>  // the types
#include <hip/hip_runtime_api.h>

__global__ void kernel(half* x) { x[0] = __float2half(1.0f); }
// ---- findings ----
// 11 noted cuda_profiler_api.h
