#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define HAS_DOUBLE_ATOMICS
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "too old"
#endif
// #if __CUDA_ARCH__ >= 800
#if __CUDA_ARCH__ >= 800 || defined(USE_ROCM)
#define HAS_BF16
#endif
# output
