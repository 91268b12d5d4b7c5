__device__ void arrive(int n) {
#ifdef HAS_BARRIERS
  use(n);
#elif defined(__CUDA_ARCH__)
  asm volatile("brkpt;\n" ::);
#endif
}
__device__ void other(int n) {
#ifdef __CUDA_ARCH__
  use(n);
  __trap();
#endif
}
# output
4 info: #elif defined(__CUDA_ARCH__)
9 wrong-result: #ifdef __CUDA_ARCH__
