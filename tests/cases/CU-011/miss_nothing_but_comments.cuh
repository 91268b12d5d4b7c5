#if __CUDA_ARCH__ >= 200
#define DEBUG(x) /* \
    printf("%d\n", x); */
#else
    #define DEBUG(x)
#endif
__device__ inline int f(int x) {
#ifdef __CUDA_ARCH__
  return x + 1;  // on the device
#else
  return x  + 1;
#endif
}
# output
