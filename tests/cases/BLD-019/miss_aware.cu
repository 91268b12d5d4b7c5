#if defined(USE_ROCM) || CUDA_VERSION >= 11000
#include <cuda_bf16.h>
#endif
#ifndef USE_ROCM
#if CUDA_VERSION >= 12000
#include <cuda_fp8.h>
#endif
#endif
# output
