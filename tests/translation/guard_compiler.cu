#ifdef __CUDACC__
#define GPU_CODE __host__ __device__
#else
#define GPU_CODE
#endif

#if defined(__NVCC__) || defined(__CUDACC__)
#define ALIGNED(n) __align__(n)
#else
#define ALIGNED(n) __attribute__((aligned(n)))
#endif

struct ALIGNED(8) Pair {
  int a, b;
  GPU_CODE int sum() const { return a + b; }
};

__global__ void kernel(Pair* pairs, int* out) { out[threadIdx.x] = pairs[threadIdx.x].sum(); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#ifdef __HIPCC__
#define GPU_CODE __host__ __device__
#else
#define GPU_CODE
#endif

#if defined(__HIPCC__) || defined(__HIPCC__)
#define ALIGNED(n) __align__(n)
#else
#define ALIGNED(n) __attribute__((aligned(n)))
#endif

struct ALIGNED(8) Pair {
  int a, b;
  GPU_CODE int sum() const { return a + b; }
};

__global__ void kernel(Pair* pairs, int* out) { out[threadIdx.x] = pairs[threadIdx.x].sum(); }
