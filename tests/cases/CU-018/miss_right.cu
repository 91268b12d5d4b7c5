#include <torch/extension.h>

__global__ void kernel(float* x) {}

void launch(const void* given, int bytes, cudaStream_t stream) {
  cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(given, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#ifndef USE_ROCM
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#endif
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaStreamGetCaptureInfo(stream, &status, &id);
}
# output
