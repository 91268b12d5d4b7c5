#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#endif

__device__ float exp2_fast(float x) {
#if __CUDA_ARCH__ >= 530
  return x;
#elif __CUDA_ARCH__ < 300
  return -x;
#endif
}
constexpr bool kNew = __CUDA_ARCH__ / 100 >= 9;
# output
1 info: #ifdef __CUDA_ARCH__
6 perf: #if __CUDA_ARCH__ >= 530
8 wrong-result: #elif __CUDA_ARCH__ < 300
12 build-fail: __CUDA_ARCH__
