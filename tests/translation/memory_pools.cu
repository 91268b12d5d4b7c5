#include <cuda_runtime.h>
#include <cstdint>

void pooled(cudaStream_t stream, size_t bytes) {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  uint64_t threshold = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  void* memory;
  cudaMallocAsync(&memory, bytes, stream);
  cudaMallocFromPoolAsync(&memory, bytes, pool, stream);
  cudaFreeAsync(memory, stream);
  cudaMemPoolTrimTo(pool, 0);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPoolCreate(&pool, &properties);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cstdint>

void pooled(hipStream_t stream, size_t bytes) {
  hipMemPool_t pool;
  hipDeviceGetDefaultMemPool(&pool, 0);
  uint64_t threshold = UINT64_MAX;
  hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold);
  void* memory;
  hipMallocAsync(&memory, bytes, stream);
  hipMallocFromPoolAsync(&memory, bytes, pool, stream);
  hipFreeAsync(memory, stream);
  hipMemPoolTrimTo(pool, 0);
  hipMemPoolProps properties = {};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  properties.location.id = 0;
  hipMemPoolCreate(&pool, &properties);
}
