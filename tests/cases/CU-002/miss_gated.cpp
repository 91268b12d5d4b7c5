#if defined(__HIP_PLATFORM_AMD__) || defined(USE_ROCM)
#include <hip/hip_runtime.h>
void start() { hipInit(0); }
#else
#include <cuda.h>
void start() { cuInit(0); }
#endif
# output
