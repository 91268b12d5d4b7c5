#define GPU_RUNTIME <cuda_runtime.h>
#include GPU_RUNTIME
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#endif

cudaError_t status = cudaSuccess;
// ---- HIP ----
#include <hip/hip_runtime.h>
#define GPU_RUNTIME <hip/hip_runtime.h>
#include GPU_RUNTIME
#if __has_include(<hip/hip_fp16.h>)
#include <hip/hip_fp16.h>
#endif

hipError_t status = hipSuccess;
