#include <cuda_runtime.h>
int main() {
    float *a, *b, **where = &b, *d;
    size_t pitch;
    cudaHostAlloc((float **)&a, 16, cudaHostAllocMapped);
    cudaHostAlloc(where, 16, cudaHostAllocMapped);
    cudaMallocPitch((float **)&d, &pitch, 64, 4);
    return 0;
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>
int main() {
    float *a, *b, **where = &b, *d;
    size_t pitch;
    hipHostAlloc((float **)&a, 16, hipHostMallocMapped);
    hipHostAlloc(where, 16, hipHostMallocMapped);
    hipMallocPitch((float **)&d, &pitch, 64, 4);
    return 0;
}
