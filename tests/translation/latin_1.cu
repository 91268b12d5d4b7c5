#include <cuda_runtime.h>

// Grüße aus München: 20 µs
/* µ */ const char* unit = "us";
void f() { cudaDeviceSynchronize(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

// Grüße aus München: 20 µs
/* µ */ const char* unit = "us";
void f() { hipDeviceSynchronize(); }
