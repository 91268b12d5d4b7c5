// compile: no, the source is broken
#include <cuda_runtime.h>

void f() { cudaDeviceSynchronize(); }
/* cudaDeviceReset();
// ---- HIP ----
#include <hip/hip_runtime.h>

void f() { hipDeviceSynchronize(); }
/* cudaDeviceReset();
