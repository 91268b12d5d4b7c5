#include <cuda_bf16.h>

__global__ void brains(__nv_bfloat16* out, const nv_bfloat16* x, __nv_bfloat162* pairs, const float* f) {
  int i = threadIdx.x;
  __nv_bfloat16 a = __float2bfloat16(f[i]);
  nv_bfloat16 b = __hadd(a, x[i]);
  out[i] = __float2bfloat16(__bfloat162float(a) * __bfloat162float(b));
  nv_bfloat162 both = __halves2bfloat162(a, b);
  pairs[i] = __hmul2(both, __float2bfloat162_rn(2.0f));
  if (__hlt(a, b)) out[i] = __hmin(a, b);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_bf16.h>

__global__ void brains(__hip_bfloat16* out, const __hip_bfloat16* x, __hip_bfloat162* pairs, const float* f) {
  int i = threadIdx.x;
  __hip_bfloat16 a = __float2bfloat16(f[i]);
  __hip_bfloat16 b = __hadd(a, x[i]);
  out[i] = __float2bfloat16(__bfloat162float(a) * __bfloat162float(b));
  __hip_bfloat162 both = __halves2bfloat162(a, b);
  pairs[i] = __hmul2(both, __float2bfloat162_rn(2.0f));
  if (__hlt(a, b)) out[i] = __hmin(a, b);
}
