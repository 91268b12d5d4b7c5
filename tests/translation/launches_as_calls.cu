// options: launch=ggl
#include <cuda_runtime.h>

#define BLOCKS(n) ((n) + 63) / 64
#define LAUNCH(kernel, n, ...) kernel<<<BLOCKS(n), 64>>>(__VA_ARGS__)

namespace detail {
__global__ void empty() {}
}
__global__ void plain(int* x, int y) { x[0] = y; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }

void launch(int* x, float* y, cudaStream_t stream, void (*pointer)(int*, int)) {
  plain<<<1, 64>>>(x, 1);
  plain <<< dim3(2, 2), dim3(8, 8), 1 << 4, stream >>> (x, 2);
  templated<float, 3><<<1, 64, 0, stream>>>(y);
  detail::empty<<<BLOCKS(1000), 64>>>();
  plain<<<  // one block
      1,    // of one wave
      64>>>(x, 3);
  (*pointer)<<<1, 64>>>(x, 4);
  LAUNCH(plain, 100, x, 5);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#define BLOCKS(n) ((n) + 63) / 64
#define LAUNCH(kernel, n, ...) hipLaunchKernelGGL(kernel, dim3(BLOCKS(n)), dim3(64), 0, 0, __VA_ARGS__)

namespace detail {
__global__ void empty() {}
}
__global__ void plain(int* x, int y) { x[0] = y; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }

void launch(int* x, float* y, hipStream_t stream, void (*pointer)(int*, int)) {
  hipLaunchKernelGGL(plain, dim3(1), dim3(64), 0, 0, x, 1);
  hipLaunchKernelGGL(plain, dim3(2, 2), dim3(8, 8), 1 << 4, stream, x, 2);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(templated<float, 3>), dim3(1), dim3(64), 0, stream, y);
  hipLaunchKernelGGL(detail::empty, dim3(BLOCKS(1000)), dim3(64), 0, 0);
  hipLaunchKernelGGL(plain,  // one block
      dim3(1),    // of one wave
      dim3(64), 0, 0, x, 3);
  hipLaunchKernelGGL((*pointer), dim3(1), dim3(64), 0, 0, x, 4);
  LAUNCH(plain, 100, x, 5);
}
