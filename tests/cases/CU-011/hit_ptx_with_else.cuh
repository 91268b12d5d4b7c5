__device__ int load(const int* p) {
#if __CUDA_ARCH__ >= 800
  int value;
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(p));
  return value;
#else
  return *p;
#endif
}
__device__ int other(const int* p) {
#if __CUDA_ARCH__ >= 800
  return p[1];
#else
  return *p;
#endif
}
# output
2 info: #if __CUDA_ARCH__ >= 800
11 perf: #if __CUDA_ARCH__ >= 800
