__device__ float fast_exp(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}
# output
4 info: asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x))
