#include <cuda_fp8.h>

__global__ void eights(__nv_fp8_e4m3* out, __nv_fp8_storage_t* raw, const float* f) {
  int i = threadIdx.x;
  out[i] = __nv_fp8_e4m3(f[i]);
  float back = static_cast<float>(out[i]);
  raw[i] = __nv_cvt_float_to_fp8(back, __NV_SATFINITE, __NV_E5M2);
}
// ---- HIP ----
#include "rewarp_hip.h"

__global__ void eights(rewarp_fp8_e4m3* out, rewarp_fp8_storage_t* raw, const float* f) {
  int i = threadIdx.x;
  out[i] = rewarp_fp8_e4m3(f[i]);
  float back = static_cast<float>(out[i]);
  raw[i] = rewarp_cvt_float_to_fp8(back, REWARP_SATFINITE, REWARP_E5M2);
}
