#include <cuda/std/limits>
#include <cuda/std/type_traits>

template <typename T>
__device__ T largest() {
  static_assert(cuda::std::is_floating_point<T>::value, "a float");
  return cuda::std::numeric_limits<T>::max();
}

__global__ void fill(float* x) { x[threadIdx.x] = largest<float>(); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <limits>
#include <type_traits>

template <typename T>
__device__ T largest() {
  static_assert(std::is_floating_point<T>::value, "a float");
  return std::numeric_limits<T>::max();
}

__global__ void fill(float* x) { x[threadIdx.x] = largest<float>(); }
// ---- findings ----
// 1 noted cuda/std/limits
// 2 noted cuda/std/type_traits
// 6 noted cuda::std
