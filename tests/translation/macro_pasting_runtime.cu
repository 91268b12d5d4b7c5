#include <cuda_runtime.h>

#define RUNTIME(name) cuda##name

void wait() { RUNTIME(DeviceSynchronize)(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

#define RUNTIME(name) hip##name

void wait() { RUNTIME(DeviceSynchronize)(); }
