#include <cuda_runtime.h>
int main() {
    float *a, *d;
    size_t pitch;
    cudaHostAlloc((void **)&a, 16, cudaHostAllocMapped);
    cudaMallocPitch(reinterpret_cast<void **>(&d), &pitch, 64, 4);
    return 0;
}
// ---- HIP ----
#include <hip/hip_runtime.h>
int main() {
    float *a, *d;
    size_t pitch;
    hipHostAlloc((void **)&a, 16, hipHostMallocMapped);
    hipMallocPitch(reinterpret_cast<void **>(&d), &pitch, 64, 4);
    return 0;
}
