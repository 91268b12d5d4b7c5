#if defined(__CUDA_ARCH__) and not (__CUDA_ARCH__ < 700)
#define FAST 1
#endif
#if defined(__CUDA_ARCH__) and __CUDA_ARCH__ >= 900
#define NEWER 1
#endif
#if defined(__CUDA_ARCH__) or defined(USE_ROCM)
#define ON_DEVICE 1
#endif
# output
1 info: #if defined(__CUDA_ARCH__) and not (__CUDA_ARCH__ < 700)
4 info: #if defined(__CUDA_ARCH__) and __CUDA_ARCH__ >= 900
