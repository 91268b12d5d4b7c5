// compile: no, the source is broken
#include <cuda_runtime.h>

const char* text = "cudaMalloc;
void f() { cudaDeviceSynchronize(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

const char* text = "cudaMalloc;
void f() { hipDeviceSynchronize(); }
