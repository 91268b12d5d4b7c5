#include <cstdio>

__global__ void report() { printf("built for %d\n", __CUDA_ARCH__); }

__device__ int stages() { return __CUDA_ARCH__ >= 800 ? 4 : 2; }
// ---- HIP ----
#include "rewarp_hip.h"
#include <cstdio>

__global__ void report() { printf("built for %d\n", REWARP_CUDA_ARCH); }

__device__ int stages() { return REWARP_CUDA_ARCH >= 800 ? 4 : 2; }
