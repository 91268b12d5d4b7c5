#ifdef __CUDA_ARCH__
#define TABLE __device__ __constant__
#else
#define TABLE
#endif
#ifdef __CUDA_ARCH__
#define DEVICE __device__ inline
#else
#define DEVICE inline
#endif
#if __CUDA_ARCH__ >= 200
#define FMA "fma.rn.f32 "
#else
#define FMA "mad.f32 "
#endif
#ifndef __CUDA_ARCH__
#define UNROLL_ALL
#endif
static const unsigned TABLE sigma[4] = {1, 2, 3, 4};
DEVICE unsigned twice(unsigned x) { return 2 * x; }

#if __CUDA_ARCH__ >= 300
__device__ int helper(struct item* one) { return one->x; }
#endif
template <int N>
#if __CUDA_ARCH__ >= 300
__launch_bounds__(N)
#endif
__global__ void kernel(struct item* all) {
#if __CUDA_ARCH__ >= 300
  all->x = helper(all);
#endif
}

#if __CUDA_ARCH__ >= 300
__device__ int needed(int x) { return x; }
#endif
__global__ void other(int* x) { *x = needed(*x); }
# output
1 info: #ifdef __CUDA_ARCH__
6 build-fail: #ifdef __CUDA_ARCH__
11 info: #if __CUDA_ARCH__ >= 200
16 info: #ifndef __CUDA_ARCH__
22 info: #if __CUDA_ARCH__ >= 300
26 info: #if __CUDA_ARCH__ >= 300
30 wrong-result: #if __CUDA_ARCH__ >= 300
35 build-fail: #if __CUDA_ARCH__ >= 300
