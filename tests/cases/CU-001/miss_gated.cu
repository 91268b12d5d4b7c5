#ifndef USE_ROCM
#include <cuda_runtime.h>
inline void wait(cudaStream_t stream) { cudaStreamSynchronize(stream); }
#else
#include <hip/hip_runtime.h>
inline void wait(hipStream_t stream) { hipStreamSynchronize(stream); }
#endif
# output
