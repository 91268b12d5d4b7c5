// HIP's compiler has no version of nvcc's: numbers that code is made of get a value.
#include <cuda_runtime.h>
#if defined(__CUDACC_VER_BUILD__)
#define PATCH __CUDACC_VER_BUILD__
#else
#define PATCH 7
#endif
#define DIGIT(n) ('0' + ((n) % 10))

char const compiled_by[] = {'v', DIGIT(__CUDACC_VER_MAJOR__), '.', DIGIT(__CUDACC_VER_MINOR__), '.', DIGIT(__CUDACC_VER_BUILD__), 0};
__global__ void k(int *x) { x[0] = PATCH; }
// ---- HIP ----
// HIP's compiler has no version of nvcc's: numbers that code is made of get a value.
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>
#if 1 /* defined(__CUDACC_VER_BUILD__) */
#define PATCH 0
#else
#define PATCH 7
#endif
#define DIGIT(n) ('0' + ((n) % 10))

char const compiled_by[] = {'v', DIGIT((REWARP_CUDA_VERSION / 1000)), '.', DIGIT((REWARP_CUDA_VERSION % 1000 / 10)), '.', DIGIT(0), 0};
__global__ void k(int *x) { x[0] = PATCH; }
