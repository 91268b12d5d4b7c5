__device__ void stop() {
#if defined(__CUDA_ARCH__)
  asm volatile("mov.u32 %0, %laneid;" : "=r"(0));
#elif defined(__HIP_DEVICE_COMPILE__)
  abort();
#endif
}
# output
3 info: asm volatile("mov.u32 %0, %laneid;" : "=r"(0))
