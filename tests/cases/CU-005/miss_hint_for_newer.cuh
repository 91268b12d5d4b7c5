__device__ void next_kernel_may_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ float twice(float x) {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 700)
  asm("add.f32 %0, %0, %0;" : "+f"(x));
  return x;
#else
  return x + x;
#endif
}
# output
3 info: asm volatile("griddepcontrol.launch_dependents;")
8 info: asm("add.f32 %0, %0, %0;" : "+f"(x))
