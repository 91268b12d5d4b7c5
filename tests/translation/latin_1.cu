#include <cuda_runtime.h>

// Grüße aus München: 20 µs
const char* unit = "µs";
void f() { cudaDeviceSynchronize(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

// Grüße aus München: 20 µs
const char* unit = "µs";
void f() { hipDeviceSynchronize(); }
