#ifdef USE_ROCM
#define HAS_BF16 1
#else
#if __CUDA_ARCH__ >= 800
#define HAS_BF16 1
#endif
#endif
const char *text = "__CUDA_ARCH__ >= 800";
# output
