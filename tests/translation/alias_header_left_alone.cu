// path: vendor.h
#pragma once

#if defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaStream_t hipStream_t
#else
#include <cuda_runtime.h>
#endif
// ---- unchanged ----
