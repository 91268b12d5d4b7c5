#if defined(__CUDA_ARCH__)
#define STOP() asm("trap;")
#elif defined(__HIP_DEVICE_COMPILE__)
#define STOP() abort()
#else
#define STOP() std::abort()
#endif

#ifdef LIB_USE_HIP
#include <hip/hip_runtime.h>
#endif
#if defined(LIB_USE_CUDA) && defined(__CUDA_ARCH__)
inline __device__ int width() { return 32; }
#else
inline int width() { return 1; }
#endif
# output
