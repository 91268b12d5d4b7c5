#if defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ >= 900)
__device__ void wait();
#else
__device__ inline void wait() {}
#endif
#if __CUDA_ARCH__ >= MIN_SM_TENSOR
__device__ void tensor();
#endif
# output
1 info: #if defined(__CUDA_ARCH__) && \
7 build-fail: #if __CUDA_ARCH__ >= MIN_SM_TENSOR
