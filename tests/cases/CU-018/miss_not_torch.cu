#include <cuda_runtime.h>

__global__ void kernel(float* x) {}

void launch(int bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
# output
