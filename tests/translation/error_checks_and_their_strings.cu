#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

// cudaGetErrorString() gives the words; "cudaError" in a message stays.
#define CUDA_CHECK(call)                                                          \
  do {                                                                            \
    cudaError_t error = (call);                                                   \
    if (error != cudaSuccess) {                                                   \
      fprintf(stderr, "cudaError at %s:%d: %s (%s) in %s\n", __FILE__, __LINE__,  \
              cudaGetErrorName(error), cudaGetErrorString(error), #call);         \
      exit(EXIT_FAILURE);                                                         \
    }                                                                             \
  } while (0)

__global__ void kernel() {}

int main() {
  CUDA_CHECK(cudaSetDevice(0));
  kernel<<<1, 1>>>();
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaPeekAtLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  switch (cudaDeviceSynchronize()) {
    case cudaErrorMemoryAllocation: return 1;
    case cudaErrorInvalidValue: return 2;
    default: return 0;
  }
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

// cudaGetErrorString() gives the words; "cudaError" in a message stays.
#define CUDA_CHECK(call)                                                          \
  do {                                                                            \
    hipError_t error = (call);                                                   \
    if (error != hipSuccess) {                                                   \
      fprintf(stderr, "cudaError at %s:%d: %s (%s) in %s\n", __FILE__, __LINE__,  \
              hipGetErrorName(error), hipGetErrorString(error), #call);         \
      exit(EXIT_FAILURE);                                                         \
    }                                                                             \
  } while (0)

__global__ void kernel() {}

int main() {
  CUDA_CHECK(hipSetDevice(0));
  kernel<<<1, 1>>>();
  CUDA_CHECK(hipGetLastError());
  CUDA_CHECK(hipPeekAtLastError());
  CUDA_CHECK(hipDeviceSynchronize());
  switch (hipDeviceSynchronize()) {
    case hipErrorOutOfMemory: return 1;
    case hipErrorInvalidValue: return 2;
    default: return 0;
  }
}
