#include <cuda_runtime.h>

// Größe — 20 µs
const char* unit = "µs, cudaMalloc";
void größe(cudaStream_t stream) { cudaStreamSynchronize(stream); }
// ---- HIP ----
#include <hip/hip_runtime.h>

// Größe — 20 µs
const char* unit = "µs, cudaMalloc";
void größe(hipStream_t stream) { hipStreamSynchronize(stream); }
