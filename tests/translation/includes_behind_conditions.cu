#include <cstdio>
#ifdef USE_HALF
#include <cuda_fp16.h>
#endif
#if defined(USE_BLAS)
#include <cublas_v2.h>
#else
#include <cuda_runtime.h>
#endif

__global__ void kernel(float* x) { x[0] = 1.0f; }
// ---- HIP ----
#include "rewarp_hip.h"
#include <cstdio>
#ifdef USE_HALF
#include <hip/hip_fp16.h>
#endif
#if defined(USE_BLAS)
#include <hipblas/hipblas.h>
#else
#include <hip/hip_runtime.h>
#endif

__global__ void kernel(float* x) { x[0] = 1.0f; }
