#include <cuda_runtime.h>

#if 0
int never = cudaNoSuchThing();
#endif

void reset(cudaStream_t stream) {
#if CUDART_VERSION >= 11000
  cudaCtxResetPersistingL2Cache();
#else
  cudaStreamSynchronize(stream);
#endif
}
// ---- HIP ----
#include <hip/hip_runtime.h>

#if 0
int never = cudaNoSuchThing();
#endif

void reset(hipStream_t stream) {
#if 0 /* CUDART_VERSION >= 11000 */
  cudaCtxResetPersistingL2Cache();
#else
  hipStreamSynchronize(stream);
#endif
}
// ---- findings ----
// 8 decision
