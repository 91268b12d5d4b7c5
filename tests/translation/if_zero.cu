#include <cuda_runtime.h>

#if 0
cudaMalloc(unfinished business, 'and a lone quote
#endif

void done() { cudaDeviceSynchronize(); }
// ---- HIP ----
#include <hip/hip_runtime.h>

#if 0
hipMalloc(unfinished business, 'and a lone quote
#endif

void done() { hipDeviceSynchronize(); }
