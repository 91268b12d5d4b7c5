#include <cuda_runtime.h>

__global__ void kernel(int* x);

cudaError_t launch(int* x) {
  void* arguments[] = {&x};
  return cudaLaunchKernel((const void*)kernel, dim3(1), dim3(64), arguments, 0, nullptr);
}

cudaError_t launch_by_name(int* x) {
  void* arguments[] = {&x};
  return cudaLaunchKernel(kernel, dim3(1), dim3(64), arguments, 0, nullptr);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

__global__ void kernel(int* x);

hipError_t launch(int* x) {
  void* arguments[] = {&x};
  return hipLaunchKernel((const void*)kernel, dim3(1), dim3(64), arguments, 0, nullptr);
}

hipError_t launch_by_name(int* x) {
  void* arguments[] = {&x};
  return hipLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(64), arguments, 0, nullptr);
}
