#pragma once
#if defined(__CUDACC__)
#define FUNC __host__ __device__
#else
#define FUNC
#endif
#ifdef MINE_ON_DEVICE
#define INNER __device__ \
  __forceinline__
#endif
#ifdef USE_CUDA
#include <c10/cuda/CUDAStream.h>
#endif
FUNC int twice(int x) { return 2 * x; }
# output
target: gaudi
# output
12 works-as-is: #include <c10/cuda/CUDAStream.h>
