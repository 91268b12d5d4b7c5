__device__ void copy(unsigned to, const void *from) {
#if defined(__CUDA_ARCH__) and __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
#else
  assert(false && "Ampere only");
#endif
}
__device__ void fetch(unsigned to) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(to));
#endif
}
# output
3 crash: asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from))
10 build-fail: asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(to))
