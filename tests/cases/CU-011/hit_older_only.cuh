#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ < 700
__device__ __forceinline__ void atomicAdd(half* address, half value) { add_by_exchange(address, value); }
#endif
#endif

// The same with something that newer GPUs compile as well.
#ifdef __CUDA_ARCH__
__device__ int device_code = 1;
#if __CUDA_ARCH__ < 700
__device__ int older = 1;
#endif
#endif
# output
1 info: #ifdef __CUDA_ARCH__
8 build-fail: #ifdef __CUDA_ARCH__
