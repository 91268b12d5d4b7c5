#include <cuda_bf16.h>

template <typename T, int N>
struct Converter {
  static inline __device__ void to_float(const T (&from)[N], float (&to)[N]) {
    for (int i = 0; i < N; ++i) { to[i] = from[i]; }
  }
};

#if __CUDA_ARCH__ >= 800
template <int N>
struct Converter<__nv_bfloat16, N> {
  static inline __device__ void to_float(const __nv_bfloat16 (&from)[N], float (&to)[N]) {
    for (int i = 0; i < N; ++i) { to[i] = __bfloat162float(from[i]); }
  }
};
#endif

template <typename T>
struct Narrow;

#if __CUDA_ARCH__ >= 800
template <>
struct Narrow<float> {
  static __device__ __nv_bfloat16 of(float x) { return __float2bfloat16(x); }
};
#endif

__global__ void k(float* x, __nv_bfloat16* y) {
  y[threadIdx.x] = Narrow<float>::of(x[threadIdx.x]);
}
# output
10 perf: #if __CUDA_ARCH__ >= 800
22 build-fail: #if __CUDA_ARCH__ >= 800
