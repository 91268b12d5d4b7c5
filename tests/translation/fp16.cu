#include <cuda_fp16.h>

__global__ void halves(half* out, const __half* x, half2* pairs, const float* f) {
  int i = threadIdx.x;
  half a = __float2half(f[i]);
  __half b = __hfma(a, x[i], __float2half_rn(1.0f));
  if (__hgt(a, b) && !__hisnan(b)) b = __hmax(a, b);
  out[i] = hexp(b) + a * b;
  half2 both = __halves2half2(a, b);
  both = __hadd2(both, __float22half2_rn(make_float2(1.0f, 2.0f)));
  pairs[i] = h2sqrt(__hmul2(both, both));
  float2 wide = __half22float2(both);
  out[i] = __low2half(both) + __high2half(both) + __float2half(wide.x);
  unsigned short raw = __half_as_ushort(a);
  out[i] = __ushort_as_half(raw);
  atomicAdd(out, a);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_fp16.h>

__global__ void halves(half* out, const __half* x, half2* pairs, const float* f) {
  int i = threadIdx.x;
  half a = __float2half(f[i]);
  __half b = __hfma(a, x[i], __float2half_rn(1.0f));
  if (__hgt(a, b) && !__hisnan(b)) b = __hmax(a, b);
  out[i] = hexp(b) + a * b;
  half2 both = __halves2half2(a, b);
  both = __hadd2(both, __float22half2_rn(make_float2(1.0f, 2.0f)));
  pairs[i] = h2sqrt(__hmul2(both, both));
  float2 wide = __half22float2(both);
  out[i] = __low2half(both) + __high2half(both) + __float2half(wide.x);
  unsigned short raw = __half_as_ushort(a);
  out[i] = __ushort_as_half(raw);
  atomicAdd(out, a);
}
