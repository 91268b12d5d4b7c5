__device__ float step(const float *x, unsigned m) {
  // __nanosleep(100)
  float y = __ldg(x) + __fadd_rn(x[0], 1.f) + __fdividef(x[1], 2.f);
#ifndef __HIP_PLATFORM_AMD__
  __nanosleep(10);
#endif
  return y + __popc(m) + __byte_perm(m, m, 0x3210);
}
# output
