#include <cuda_fp16.h>

__global__ void plain(float* x) { x[0] = 1.0f; }

#if __CUDA_ARCH__ >= 530
__global__ void halves(__half* x) { x[0] = __hadd(x[0], x[1]); }
#endif

__device__ __half add(__half a, __half b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
  return __hadd(a, b);
#else
  return __float2half(__half2float(a) + __half2float(b));
#endif
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__global__ void plain(float* x) { x[0] = 1.0f; }

#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 530 */
__global__ void halves(__half* x) { x[0] = __hadd(x[0], x[1]); }
#endif

__device__ __half add(__half a, __half b) {
#if defined(__HIP_DEVICE_COMPILE__) && defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 530 */
  return __hadd(a, b);
#else
  return __float2half(__half2float(a) + __half2float(b));
#endif
}
