#include <cuda_runtime.h>

__global__ void plain(int* x) { x[0] = 1; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }

void launch(int* x, float* y, cudaStream_t stream) {
  plain<<<1, 64>>>(x);
  plain<<<dim3(2, 2), dim3(8, 8), 1 << 4, stream>>>(x);
  templated<float, 3><<<1, 64, 0, stream>>>(y);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void plain(int* x) { x[0] = 1; }
template <typename T, int n>
__global__ void templated(T* x) { x[n] = T(1); }

void launch(int* x, float* y, hipStream_t stream) {
  plain<<<1, 64>>>(x);
  plain<<<dim3(2, 2), dim3(8, 8), 1 << 4, stream>>>(x);
  templated<float, 3><<<1, 64, 0, stream>>>(y);
}
