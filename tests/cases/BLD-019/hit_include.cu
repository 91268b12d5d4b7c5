#include <cuda.h>
#if CUDA_VERSION >= 11000
#include <cuda_bf16.h>
#endif
#if defined(CUDART_VERSION) && (CUDART_VERSION >= 12000)
using reduce_t = cuda::std::plus<>;
#else
#define OLD_REDUCE cub::Sum
#endif
# output
2 build-fail: #if CUDA_VERSION >= 11000
5 info: #if defined(CUDART_VERSION) && (CUDART_VERSION >= 12000)
