#if __CUDA_ARCH__ >= 530
extern "C" __global__ void copy(int *x) { *x = 1; }
#endif
#if defined(__CUDA_ARCH__)
#define ON_DEVICE 1
#endif
__device__ int here(int x) {
#if __CUDA_ARCH__ >= 700
  x += 1;
#endif
  return x;
}
# output
1 build-fail: #if __CUDA_ARCH__ >= 530
4 info: #if defined(__CUDA_ARCH__)
8 wrong-result: #if __CUDA_ARCH__ >= 700
