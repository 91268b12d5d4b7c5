#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>

__global__ void kernel(float* x) {
  unsigned long long mask = __ballot(x[threadIdx.x] > 0);
  x[threadIdx.x] = __popcll(mask) + __shfl_xor(x[threadIdx.x], 16) + warpSize;
}

void launch(float* x, hipStream_t stream) {
  hipLaunchKernelGGL(kernel, dim3(1), dim3(64), 0, stream, x);
  kernel<<<1, 64, 0, stream>>>(x);
  hipStreamSynchronize(stream);
}
// ---- unchanged ----
// ---- findings ----
// 6 noted warpSize
