// compile: no, the source is broken
#include <cuda_runtime.h>

template <typename T
__global__ void kernel(T* x) {
  if (x[0] > 1 {
    cudaMemcpy(x, 
}

void g() { kernel<<<1, 
#ifdef X
cudaStream_t stream
// ---- HIP ----
#include <hip/hip_runtime.h>

template <typename T
__global__ void kernel(T* x) {
  if (x[0] > 1 {
    hipMemcpy(x, 
}

void g() { kernel<<<1, 
#ifdef X
hipStream_t stream
