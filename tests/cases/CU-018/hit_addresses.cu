#include <torch/extension.h>

template <int N>
__global__ void kernel(float* x) {}

void launch(float* x, int bytes) {
  auto chosen = &kernel<128>;
  cudaFuncSetAttribute(chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(kernel<64>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncAttributes found;
  cudaFuncGetAttributes(&found, kernel<64>);
}
# output
8 build-fail: cudaFuncSetAttribute
9 build-fail: cudaFuncSetAttribute
11 build-fail: cudaFuncGetAttributes
