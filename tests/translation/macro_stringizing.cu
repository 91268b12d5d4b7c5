#include <cuda_runtime.h>
#include <cstdio>

// The name that a user reads follows the call, as the preprocessor makes both of one token.
#define NAME_OF(call) #call
#define REPORT(call) std::printf("%s: %d\n", NAME_OF(call), static_cast<int>(call))

void report() { REPORT(cudaDeviceSynchronize()); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cstdio>

// The name that a user reads follows the call, as the preprocessor makes both of one token.
#define NAME_OF(call) #call
#define REPORT(call) std::printf("%s: %d\n", NAME_OF(call), static_cast<int>(call))

void report() { REPORT(hipDeviceSynchronize()); }
