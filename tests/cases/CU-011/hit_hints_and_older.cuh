template <int N>
__host__ __device__ int sum(const int* x) {
    int s = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < N; ++i) s += x[i];
    return s;
}

__global__
#if __CUDA_ARCH__ > 500
__launch_bounds__(256, 1)
#endif
void first(float* x) { x[threadIdx.x] = 1; }

#if __CUDA_ARCH__ < 320
#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#else
#define ROTATE(x, n) __funnelshift_l((x), (x), (n))
#endif

#if __CUDA_ARCH__ < 350
__device__ inline float fetch(const float* p) { return *p; }
#else
__device__ inline float fetch(const float* p) { return __ldg(p); }
#endif

#if __CUDA_ARCH__ < 300
#define broadcast(x) (x)
#endif
# output
4 info: #ifdef __CUDA_ARCH__
12 info: #if __CUDA_ARCH__ > 500
17 perf: #if __CUDA_ARCH__ < 320
23 perf: #if __CUDA_ARCH__ < 350
29 wrong-result: #if __CUDA_ARCH__ < 300
