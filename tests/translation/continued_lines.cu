#include <cuda_runtime.h>

void f(void* memory) {
  cuda\
Free(memory);
  cudaDevice\
Synchronize(); // cuda\
Free
}
#define CHECK \
  cudaPeek\
AtLastError()
// ---- HIP ----
#include <hip/hip_runtime.h>

void f(void* memory) {
  hipFree(memory);
  hipDeviceSynchronize(); // cuda\
Free
}
#define CHECK \
  hipPeekAtLastError()
