__global__ void bits(unsigned* x, int* y, unsigned long long* z) {
  unsigned a = x[0], b = x[1];
  x[2] = __popc(a) + __clz(a) + __ffs(a) + __brev(a);
  x[3] = __byte_perm(a, b, 0x5410) + __funnelshift_l(a, b, 3) + __umulhi(a, b) + __umul24(a, b);
  y[0] = __dp4a(y[1], y[2], y[3]);
  z[0] = __popcll(z[1]) + __clzll(z[1]) + __umul64hi(z[1], z[2]);
  x[4] = __vadd4(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b);
  x[5] = __float_as_uint(1.0f) + __float2int_rn(2.5f) + __double2loint(3.0);
}

__global__ void fences(volatile int* flag, const int* __restrict__ in, int* out) {
  out[0] = __ldg(in) + __ldcs(in + 1);
  __stcs(out + 1, 7);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __syncthreads();
  out[2] = __syncthreads_count(in[2]) + __syncthreads_or(in[3]);
  __nanosleep(100);
}
// ---- HIP ----
#include "rewarp_hip.h"
__global__ void bits(unsigned* x, int* y, unsigned long long* z) {
  unsigned a = x[0], b = x[1];
  x[2] = __popc(a) + __clz(a) + __ffs(a) + __brev(a);
  x[3] = __byte_perm(a, b, 0x5410) + __funnelshift_l(a, b, 3) + __umulhi(a, b) + __umul24(a, b);
  y[0] = __dp4a(y[1], y[2], y[3]);
  z[0] = __popcll(z[1]) + __clzll(z[1]) + __umul64hi(z[1], z[2]);
  x[4] = __vadd4(a, b) + __vabsdiffu4(a, b) + __vmaxs2(a, b);
  x[5] = __float_as_uint(1.0f) + __float2int_rn(2.5f) + __double2loint(3.0);
}

__global__ void fences(volatile int* flag, const int* __restrict__ in, int* out) {
  out[0] = __ldg(in) + __ldcs(in + 1);
  __stcs(out + 1, 7);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __syncthreads();
  out[2] = __syncthreads_count(in[2]) + __syncthreads_or(in[3]);
  __nanosleep(100);
}
