#include <cuda.h>
#include <cuda_runtime.h>

void prefetch(void* memory, size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  cudaMemPrefetchAsync(memory, bytes, location, 0, stream);
#else
  cudaMemPrefetchAsync(memory, bytes, device, stream);
#endif
}

#if CUDA_VERSION < 9000
#error "CUDA 9 or later is needed"
#endif

#if __CUDACC_VER_MAJOR__ >= 11 && __CUDACC_VER_MINOR__ >= 2
cudaError_t allocate(void** memory, size_t bytes, cudaStream_t stream) { return cudaMallocAsync(memory, bytes, stream); }
#else
cudaError_t allocate(void** memory, size_t bytes, cudaStream_t) { return cudaMalloc(memory, bytes); }
#endif
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_runtime.h>

void prefetch(void* memory, size_t bytes, int device, hipStream_t stream) {
#if 0 /* CUDART_VERSION >= 13000 */
  hipMemLocation location = {hipMemLocationTypeDevice, device};
  hipMemPrefetchAsync(memory, bytes, location, 0, stream);
#else
  hipMemPrefetchAsync(memory, bytes, device, stream);
#endif
}

#if 0 /* CUDA_VERSION < 9000 */
#error "CUDA 9 or later is needed"
#endif

#if 1 /* __CUDACC_VER_MAJOR__ >= 11 */ && 1 /* __CUDACC_VER_MINOR__ >= 2 */
hipError_t allocate(void** memory, size_t bytes, hipStream_t stream) { return hipMallocAsync(memory, bytes, stream); }
#else
hipError_t allocate(void** memory, size_t bytes, hipStream_t) { return hipMalloc(memory, bytes); }
#endif
