// The host has a macro, the device a function of the same name: host code is read for the device too, and calls it there.
#if __CUDA_ARCH__ >= 320
__device__ __forceinline__ unsigned long long rotate(const unsigned long long value, const int offset) {
  return (value << offset) | (value >> (64 - offset));
}
#else
#define rotate(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#endif

#ifdef __CUDA_ARCH__
__device__ int only_there(int x) { return __clz(x); }
__host__ __device__ int both(int x) { return x; }
#else
inline int both(int x) { return x; }
#endif

unsigned long long on_host(unsigned long long x) { return rotate(x, 3) + both(1); }
__global__ void k(unsigned long long *x) { *x = rotate(*x, 5) + both(1); }
// ---- HIP ----
// The host has a macro, the device a function of the same name: host code is read for the device too, and calls it there.
#include <hip/hip_runtime.h>
#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 320 */
__host__ __device__ __forceinline__ unsigned long long rotate(const unsigned long long value, const int offset) {
  return (value << offset) | (value >> (64 - offset));
}
#else
#define rotate(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
#endif

#ifdef __HIP_DEVICE_COMPILE__
__device__ int only_there(int x) { return __clz(x); }
__host__ __device__ int both(int x) { return x; }
#else
inline int both(int x) { return x; }
#endif

unsigned long long on_host(unsigned long long x) { return rotate(x, 3) + both(1); }
__global__ void k(unsigned long long *x) { *x = rotate(*x, 5) + both(1); }
