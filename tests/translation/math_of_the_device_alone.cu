// HIP has it in kernels; a namespace or an include says where it comes from.
#include <cuda_runtime.h>
#include <cmath>

struct Own { bool isnan(int x) { return x == 0; } };
__device__ bool odd(float x) { return isnan(x); }
__global__ void k(float *x) { x[0] = odd(x[1]) || isinf(x[2]); }
bool host(float x, Own own) { return std::isnan(x) || own.isnan(1); }
// ---- HIP ----
// HIP has it in kernels; a namespace or an include says where it comes from.
#include <hip/hip_runtime.h>
#include <cmath>

struct Own { bool isnan(int x) { return x == 0; } };
__device__ bool odd(float x) { return isnan(x); }
__global__ void k(float *x) { x[0] = odd(x[1]) || isinf(x[2]); }
bool host(float x, Own own) { return std::isnan(x) || own.isnan(1); }
