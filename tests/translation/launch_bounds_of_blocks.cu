#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) one(float* x) { x[threadIdx.x] *= 2.0f; }
__global__ void __launch_bounds__(256, 2) two(float* x) { x[threadIdx.x] *= 2.0f; }
__global__ void __launch_bounds__(256, 2, 1) three(float* x) { x[threadIdx.x] *= 2.0f; }
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(256) one(float* x) { x[threadIdx.x] *= 2.0f; }
__global__ void __launch_bounds__(256, 2) two(float* x) { x[threadIdx.x] *= 2.0f; }
__global__ void __launch_bounds__(256, 2) three(float* x) { x[threadIdx.x] *= 2.0f; }
// ---- findings ----
// 4 noted __launch_bounds__
